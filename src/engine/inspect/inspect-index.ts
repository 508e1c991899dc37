import { type Analyzer, type Token, tokensOf } from "../../analysis/analyzer.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { FIRST_WORD, shownTerm } from "../../analysis/stem-terms.js";
import { FindlingError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import type { Directory } from "../directory/directory.js";
import type { CommitPoint } from "../indexer/commit-point.js";
import { readCommitPoint } from "../indexer/open-index-writer.js";
import type { CanonicalDocument, DocumentId } from "../schema/document.js";
import type { EngineField } from "../schema/engine-schema.js";
import { type OpenSegment, openSegment } from "../segment/open-segment.js";
import { hasTerms } from "../segment/segment-files.js";
import type { FieldTerms } from "../segment/segment-reader.js";

export interface FieldInspection {
  readonly name: string;
  readonly kind: EngineField["kind"];
  /** Text: distinct words (stems beside them aside), tokens in live documents, live documents with a token. */
  readonly terms?: number;
  readonly tokens?: number;
  /** Columns: distinct values, documents with a value (deleted included). */
  readonly values?: number;
  readonly documents?: number;
}

export interface SegmentInspection {
  readonly name: string;
  readonly maxDoc: number;
  readonly docCount: number;
  readonly bytes: number;
  readonly liveDocsFile: string | null;
  readonly fields: readonly FieldInspection[];
}

export interface IndexInspection {
  readonly generation: number;
  readonly journal: string;
  readonly docCount: number;
  readonly bytes: number;
  readonly segments: readonly SegmentInspection[];
}

export interface TermEntry {
  readonly term: string;
  /** Documents with the term over all segments, deleted ones included. */
  readonly docFreq: number;
}

export interface PostingInspection {
  readonly segment: string;
  readonly documentId: DocumentId;
  readonly isLive: boolean;
  readonly frequency: number;
  readonly positions: readonly number[];
}

export interface TermInspection {
  readonly field: string;
  readonly term: string;
  readonly docFreq: number;
  readonly postings: readonly PostingInspection[];
}

export interface DocumentInspection {
  readonly documentId: DocumentId;
  readonly segment: string;
  readonly docId: number;
  readonly isLive: boolean;
  readonly stored: CanonicalDocument;
  readonly unstored: CanonicalDocument;
  /** What analysis makes of each indexed text field, a list per value; stems as they are shown. */
  readonly tokens: Readonly<Record<string, readonly (readonly Token[])[]>>;
}

/** What an index consists of, segment by segment and field by field. Reads only. */
export async function inspectIndex(directory: Directory): Promise<IndexInspection> {
  return withSegments(directory, (commitPoint, segments) => ({
    generation: commitPoint.generation,
    journal: commitPoint.journal,
    docCount: segments.reduce((sum, segment) => sum + segment.docCount, 0),
    bytes: commitPoint.segments.reduce((sum, segment) => sum + segment.bytes, 0),
    segments: segments.map((segment, i) => ({
      name: segment.name,
      maxDoc: segment.maxDoc,
      docCount: segment.docCount,
      bytes: commitPoint.segments[i]!.bytes,
      liveDocsFile: commitPoint.segments[i]!.liveDocsFile,
      fields: commitPoint.schema.fields.map((field) => inspectField(segment, field)),
    })),
  }));
}

/** Words of a text field that start with a prefix, in order, over all segments. Reads only. */
export async function inspectTerms(
  directory: Directory,
  field: string,
  options: { readonly prefix: string; readonly limit: number },
): Promise<readonly TermEntry[]> {
  return withSegments(directory, (commitPoint, segments) => {
    requireText(commitPoint, field);
    const docFreqs = new Map<string, number>();
    const decoder = new TextDecoder();
    for (const segment of segments) {
      const terms = segment.terms(field);
      if (terms === null) continue;
      let found = 0;
      const first = Math.max(terms.lowerBound(new TextEncoder().encode(options.prefix)), firstWord(terms));
      for (let ordinal = first; ordinal < terms.termCount && found < options.limit; ordinal++, found++) {
        const term = decoder.decode(terms.termBytes(ordinal).slice());
        if (!term.startsWith(options.prefix)) break;
        docFreqs.set(term, (docFreqs.get(term) ?? 0) + terms.docFreq(ordinal));
      }
    }
    return [...docFreqs]
      .map(([term, docFreq]) => ({ term, docFreq }))
      .sort((a, b) => (a.term < b.term ? -1 : 1))
      .slice(0, options.limit);
  });
}

/** A term's postings, at most `limit` of them, with positions. Reads only. */
export async function inspectTerm(
  directory: Directory,
  field: string,
  term: string,
  limit: number,
): Promise<TermInspection> {
  return withSegments(directory, (commitPoint, segments) => {
    requireText(commitPoint, field);
    const bytes = new TextEncoder().encode(term);
    const postings: PostingInspection[] = [];
    let docFreq = 0;
    for (const segment of segments) {
      const terms = segment.terms(field);
      const ordinal = terms?.ordinalOf(bytes) ?? -1;
      if (terms === null || ordinal < 0) continue;
      docFreq += terms.docFreq(ordinal);
      const cursor = terms.postings(ordinal);
      for (let block = 0; block < cursor.blockCount && postings.length < limit; block++) {
        cursor.loadBlock(block);
        cursor.loadFreqs();
        for (let i = 0; i < cursor.length && postings.length < limit; i++) {
          const docId = cursor.docs[i]!;
          const positions = new Uint32Array(cursor.freqs[i]!);
          cursor.positions(i, positions);
          postings.push({
            segment: segment.name,
            documentId: segment.documentId(docId),
            isLive: isLive(segment, docId),
            frequency: cursor.freqs[i]!,
            positions: [...positions],
          });
        }
      }
    }
    return { field, term, docFreq, postings };
  });
}

/** A document as it is kept, and its path through analysis; null if no segment has it. Reads only. */
export async function inspectDocument(
  directory: Directory,
  documentId: DocumentId,
): Promise<DocumentInspection | null> {
  return withSegments(directory, (commitPoint, segments) => {
    const analyzer = createAnalyzer(commitPoint.schema.analyzer);
    for (const segment of segments) {
      const docId = segment.docIdOf(documentId);
      if (docId < 0) continue;
      const stored = readJson(segment.storedJson(docId)) as CanonicalDocument;
      const unstored = readJson(segment.unstoredJson(docId)) as CanonicalDocument;
      const tokens: Record<string, Token[][]> = {};
      for (const field of commitPoint.schema.fields) {
        const value = stored[field.name] ?? unstored[field.name];
        if (!hasTerms(field) || value === undefined) continue;
        const values = Array.isArray(value) ? value : [value];
        tokens[field.name] = values.map((text) => shownTokens(analyzer, String(text)));
      }
      return {
        documentId,
        segment: segment.name,
        docId,
        isLive: isLive(segment, docId),
        stored,
        unstored,
        tokens,
      };
    }
    return null;
  });
}

async function withSegments<T>(
  directory: Directory,
  look: (commitPoint: CommitPoint, segments: readonly OpenSegment[]) => T,
): Promise<T> {
  const commitPoint = await readCommitPoint(directory);
  const segments: OpenSegment[] = [];
  try {
    for (const committed of commitPoint.segments) {
      const { name, liveDocsFile } = committed;
      segments.push(await openSegment(directory, name, commitPoint.schema, liveDocsFile, { committed }));
    }
    return look(commitPoint, segments);
  } finally {
    for (const segment of segments) segment.close();
  }
}

function inspectField(segment: OpenSegment, field: EngineField): FieldInspection {
  const { name, kind } = field;
  if (kind === "text") {
    const terms = segment.terms(name);
    return terms === null
      ? { name, kind, terms: 0, tokens: 0, documents: 0 }
      : {
          name,
          kind,
          terms: terms.termCount - firstWord(terms),
          tokens: terms.liveTokenCount,
          documents: terms.liveDocCount,
        };
  }
  const column = segment.column(name);
  return column === null
    ? { name, kind, values: 0, documents: 0 }
    : { name, kind, values: column.valueCount, documents: column.docsWithValue };
}

/** Ordinal of the first term that is no stem. */
function firstWord(terms: Pick<FieldTerms, "lowerBound">): number {
  return terms.lowerBound(new TextEncoder().encode(FIRST_WORD));
}

function shownTokens(analyzer: Analyzer, text: string): Token[] {
  return tokensOf(analyzer, text).map((token) => ({ ...token, text: shownTerm(token.text) }));
}

function isLive(segment: OpenSegment, docId: number): boolean {
  const live = segment.liveDocs;
  return live === null || (live[docId >>> 5]! & (1 << (docId & 31))) !== 0;
}

function requireText(commitPoint: CommitPoint, field: string): void {
  const known = commitPoint.schema.fields.find(({ name }) => name === field);
  if (known === undefined) {
    const names = commitPoint.schema.fields.map(({ name }) => name).join(", ");
    throw new FindlingError("unknown_field", `there is no field '${field}'; the index has ${names}`);
  }
  if (!hasTerms(known)) {
    throw new FindlingError(
      "field_not_indexed",
      `field '${field}' has no terms: only indexed text fields and labels do`,
    );
  }
}
