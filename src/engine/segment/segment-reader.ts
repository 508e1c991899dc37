/**
 * The wall between storage and search: everything that `engine/search` may ask of a segment.
 * Implementations are in this folder. All of it is synchronous over bytes already loaded, except
 * stored documents, which are read by position from their file.
 */
import type { PostingImage, PostingPlace, SegmentImage } from "../kernels/posting-image.js";
import type { DocId, DocumentId } from "../schema/document.js";
import type { EngineField, EngineSchema } from "../schema/engine-schema.js";
import type { SlicedWork } from "./sliced-work.js";

/** A bitset over doc ids: bit `docId & 31` of word `docId >>> 5`. Bits at and above `maxDoc` are 0. */
export type DocBits = Uint32Array;

export interface SegmentReader {
  /** Unique in the index, such as `s0000000a`. */
  readonly name: string;
  readonly schema: EngineSchema;
  /** Doc ids issued, deleted included. Doc ids ascend in insertion order. */
  readonly maxDoc: number;
  /** Live documents. */
  readonly docCount: number;
  /** Live documents as bits, or null when none is deleted. */
  readonly liveDocs: DocBits | null;

  /** The segment's data as kernels read it; null if it isn't in kernel memory. */
  readonly image: SegmentImage | null;

  field(name: string): EngineField | undefined;
  /** Terms of a text field; null if the field has none here. */
  terms(field: string): FieldTerms | null;
  /** Values of a keyword, facet or typed field (indexed or not); null if no document here has one. */
  column(field: string): OrdinalColumn | null;
  /** Sort ranks of a single-valued text field; null if no document here has a value. */
  textOrder(field: string): TextOrder | null;

  documentId(docId: DocId): DocumentId;
  /** The doc id of a document, deleted ones included; -1 if it isn't here. */
  docIdOf(documentId: DocumentId): DocId;
  /** The document as JSON text: stored fields only, in schema order. */
  storedJson(docId: DocId): string;
  /** The document as JSON in UTF-8, not to be changed. */
  storedBytes(docId: DocId): Uint8Array;
  /** What is kept in memory of `storedBytes`, as it was asked for repeatedly. */
  readonly kept: KeptDocuments;
  /** Values of fields that are not `stored`, as a JSON object. */
  unstoredJson(docId: DocId): string;
}

/** Documents and their ids by place, so that one look finds both. */
export interface KeptDocuments {
  /** Where a document is if it is kept; valid until another document is read. */
  placeOf(docId: DocId): number;
  /** Undefined where it isn't kept. */
  at(place: number): Uint8Array | undefined;
  /** Undefined where it wasn't named. */
  idAt(place: number): DocumentId | undefined;
  /** Says which id a document has, to be remembered with it if it is kept. */
  name(docId: DocId, id: DocumentId): void;
}

export interface FieldTerms {
  readonly termCount: number;
  /** One byte per doc id: the code (`bytes/field-norm.ts`) of the field's length in tokens (0 = no tokens). */
  readonly norms: Uint8Array;
  /** Over live documents: those with at least one token, and their tokens together (exact). */
  readonly liveDocCount: number;
  readonly liveTokenCount: number;
  /**
   * Tokens per document with any, when the segment was written: `maxImpact` is the largest at this
   * average (with BM25's k1 = 1.2, b = 0.75). At another average q a score taken at this average is an
   * upper bound once multiplied by max(1, q / impactAverageLength).
   */
  readonly impactAverageLength: number;

  /** Ordinal of a term (its rank by UTF-8 bytes), or -1. */
  ordinalOf(term: Uint8Array): number;
  /** Ordinal of the first term at or after the given bytes; `termCount` if there is none. */
  lowerBound(term: Uint8Array): number;
  termBytes(ordinal: number): Uint8Array;
  /** Documents with the term, deleted ones included. */
  docFreq(ordinal: number): number;
  /** A new cursor before the term's first block. */
  postings(ordinal: number): PostingCursor;
  /** The term's documents as bits, or null if the term is not dense enough to have them stored. */
  denseDocs(ordinal: number): DocBits | null;
  /** The posting lists as kernels read them; null if the segment isn't in kernel memory. */
  readonly image: PostingImage | null;
  /** Where a term's list is in the image; meaningless without one. */
  placeOf(ordinal: number): PostingPlace;
  /** Preorder tries over the terms for fuzzy lookup; null where the alphabet is too large or a term too long (scan instead). */
  readonly tries: TermTries | null;
}

/**
 * Both tries of a field's terms. They take as much memory as all else that is known of the terms, so they are only
 * made when a word is first looked for with its misspellings: `make` comes before they are read.
 */
export interface TermTries {
  readonly alphabet: Uint32Array;
  readonly forward: TermTrie;
  readonly backward: TermTrie;
  readonly areMade: boolean;
  /** Makes them for all threads, unless they are; about a third of a microsecond for each term. @throws CorruptionError */
  make(): SlicedWork;
}

/**
 * A trie in preorder arrays. Node i has a label (1-based index into the alphabet; 0 = "term ends
 * here"), the depth of that label (code points from the root, 0 for the first) and a value: for an
 * inner node the index after its subtree, for a leaf `0x80000000 | ordinal`. A unary tail is
 * collapsed into one leaf: the rest of the term is compared against the term's own code points.
 * In the backward trie terms are reversed by code point; ordinals are those of the forward order.
 */
export interface TermTrie {
  readonly labels: Uint16Array;
  readonly depths: Uint8Array;
  readonly values: Uint32Array;
}

/**
 * Walks a term's postings block by block (128 documents, the last block fewer). `docs` and `freqs`
 * are scratch arrays that belong to the cursor and hold the loaded block.
 */
export interface PostingCursor {
  readonly docFreq: number;
  readonly blockCount: number;
  /** Doc ids of the loaded block, ascending; entries 0 to `length - 1`. */
  readonly docs: Uint32Array;
  /** Term frequencies of the loaded block; valid after `loadFreqs`. */
  readonly freqs: Uint32Array;
  readonly length: number;
  /** Ordinal of the loaded block in this term; -1 before the first. */
  readonly block: number;

  /** Last doc id of a block, without decoding it. */
  lastDoc(block: number): DocId;
  /** First block from the current one on whose last doc is at or after `target`; `blockCount` if none. Does not load. */
  seekBlock(target: DocId): number;
  loadBlock(block: number): void;
  loadFreqs(): void;
  /** Writes the positions of the loaded block's entry `index`, ascending, into `out` (grown by the caller to `freqs[index]`); returns how many. Needs `loadFreqs`. */
  positions(index: number, out: Uint32Array): number;
  /** Largest impact of a block, at `impactAverageLength`: term frequency (255 = 255 or more) and norm code. */
  maxImpact(block: number): { readonly freq: number; readonly norm: number };
}

/**
 * Doc id to value for keyword, facet and typed fields. Distinct values are sorted by `sortBytes`;
 * a value's rank is its ordinal. In a facet column every ancestor of a value is a value of the
 * dictionary too (a document holds only the paths it was given), so the ordinals are the preorder of
 * the facet tree: a path and all its descendants are one ordinal range.
 */
export interface OrdinalColumn {
  readonly valueCount: number;
  /** Documents (deleted included) with at least one value. */
  readonly docsWithValue: number;
  readonly multi: boolean;
  /** Single-valued: ordinal + 1 per doc id, 0 = no value. Null for multi-valued columns. */
  readonly ordinals: Uint8Array | Uint16Array | Uint32Array | null;
  /** Multi-valued: entries `starts[docId]` to `starts[docId + 1]` of `values` are the ordinals, ascending. */
  readonly multiStarts: Uint32Array | null;
  readonly multiOrdinals: Uint32Array | null;
  /** Inverted: entries `docStarts[ordinal]` to `docStarts[ordinal + 1]` of `docs`, doc ids ascending. */
  readonly docStarts: Uint32Array;
  readonly docs: Uint32Array;
  /** Facet columns: ordinal of each path's parent, -1 for a root. Else null. */
  readonly facetParents: Int32Array | null;
  /** Facet columns: first ordinal after each path's descendants. Else null. */
  readonly facetSubtreeEnds: Uint32Array | null;
  valueBytes(ordinal: number): Uint8Array;
  /** First ordinal whose value is at or after the bytes; `valueCount` if none. */
  lowerBound(value: Uint8Array): number;
  /** First ordinal whose value is above; `valueCount` if there is none. */
  upperBound(value: Uint8Array): number;
  ordinalOf(value: Uint8Array): number;
}

/** Rank of each document's value by case-folded code points, equal values equal ranks. */
export interface TextOrder {
  /** Rank + 1 per doc id, 0 = no value. */
  readonly ranks: Uint32Array;
}
