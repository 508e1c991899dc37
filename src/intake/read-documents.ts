import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { SkippedDocument } from "../contract/document-bodies.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { type RecordFormat, recordsIn, type SentDocument } from "./document-records.js";
import { RequestNormalizer, tooManyDocuments } from "./normalize-documents.js";
import { SentNormalizer } from "./normalize-sent.js";
import { DOCUMENT_BOUNDS, piecesOfArray, scannedBody, wholeValue } from "./parse-json-body.js";
import type { JsonScan } from "./scan-json.js";
import { asBuffer, memoryUpTo } from "./unread-body.js";

/** The documents of a request as they came, and what their reading has to go by. Plain data, for any thread. */
export interface UnreadDocuments {
  /** JSON of an array, or of one document, or records; in a buffer of their own. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** How the records are written, where they are some. */
  readonly format?: RecordFormat;
  readonly fields: IndexSchema["fields"];
  /** Names of fields that the index is about to have. */
  readonly awaitedFields?: readonly string[];
  /** The field by which they replace others; absent: they don't. */
  readonly primaryKey?: string;
  readonly maxDocuments: number;
  /** What the bytes and all their values may take in memory. */
  readonly memoryMax: number;
  /** Whether bad documents are left out; else they are all or none. */
  readonly skipsBad?: boolean;
}

/** What is known of a request's documents once they have been read. */
export interface DocumentsRead {
  /** At most 20 names of members that the schema doesn't have. */
  readonly ignoredFields: readonly string[];
  /** Where bad documents may be left out. */
  readonly leftOut?: LeftOut;
}

export interface LeftOut {
  /** How many documents the request had. */
  readonly sentCount: number;
  /** Where the good ones stood among them, ascending. */
  readonly places: readonly number[];
  /** The bad ones, at most 1,000. */
  readonly skipped: readonly SkippedDocument[];
  readonly skippedCount: number;
}

/** A generator's: documents in canonical form, or undefined where it only pauses. */
type Reading = Generator<readonly CanonicalDocument[] | undefined, DocumentsRead, undefined>;

/** Documents that are looked at between two pauses. */
const DOCUMENTS_PER_STEP = 16;

/**
 * Reads documents piece by piece, so that few of them are in memory at a time: yields some in canonical
 * form, or undefined where it only pauses, and returns what is known of them then. All or none, unless bad ones are left
 * out: what it has yielded counts only if it comes to its end. The bytes are of no use
 * afterwards. Everything is refused as by `parseJsonBody`, and then `normalizeDocuments`; of records, and where bad ones
 * are left out, as by `DocumentRecords.read`, and then `normalizeSent`.
 */
export function* readDocuments(unread: UnreadDocuments, pieceBytes?: number): Reading {
  const { bytes, format, fields, awaitedFields, maxDocuments, memoryMax, skipsBad = false } = unread;
  const body = asBuffer(bytes);
  const memory = memoryUpTo(memoryMax);
  if (format !== undefined)
    return yield* readSent(recordsIn(format, body, { documentsMax: maxDocuments, memory }), unread);
  const scan = yield* scannedBody(body, {
    memory,
    bounds: DOCUMENT_BOUNDS,
    ...(pieceBytes !== undefined && { pieceBytes }),
  });
  if (skipsBad) return yield* readSent(sentIn(body, scan, maxDocuments), unread);
  const normalizing = new RequestNormalizer(fields, maxDocuments, awaitedFields);
  if (scan.cuts.length > 0) {
    for (const piece of piecesOfArray(body, scan, DOCUMENT_BOUNDS)) yield yield* normalizing.next(piece);
  } else {
    const value = wholeValue(body, scan, DOCUMENT_BOUNDS);
    yield Array.isArray(value) ? yield* normalizing.next(value) : [normalizing.only(value)];
  }
  return { ignoredFields: normalizing.end() };
}

/** A scanned body's documents, one by one. @throws FindlingError `invalid_json`; `invalid_request` for too many */
function* sentIn(
  body: Buffer,
  scan: JsonScan,
  documentsMax: number,
): Generator<readonly SentDocument[], void, undefined> {
  let count = 0;
  for (const values of valuesIn(body, scan)) {
    count += values.length;
    for (let at = 0; at < values.length && count <= documentsMax; at += DOCUMENTS_PER_STEP)
      yield values.slice(at, at + DOCUMENTS_PER_STEP).map((value) => ({ value }));
  }
  if (count > documentsMax) throw tooManyDocuments(count, documentsMax);
}

function* valuesIn(body: Buffer, scan: JsonScan): Generator<readonly unknown[], void, undefined> {
  if (scan.cuts.length > 0) return yield* piecesOfArray(body, scan, DOCUMENT_BOUNDS);
  const value = wholeValue(body, scan, DOCUMENT_BOUNDS);
  yield Array.isArray(value) ? value : [value];
}

function* readSent(
  sent: Iterable<readonly SentDocument[]>,
  { fields, awaitedFields, skipsBad = false }: UnreadDocuments,
): Reading {
  const normalizing = new SentNormalizer(fields, { skipsBad, awaited: awaitedFields });
  const places: number[] = [];
  let sentCount = 0;
  for (const some of sent) {
    const documents: CanonicalDocument[] = [];
    for (const each of some) {
      // That there are too many records, or that they can't be read, is told before what is wrong with some.
      const document = normalizing.isFull ? null : normalizing.next(each);
      if (document !== null) {
        documents.push(document);
        if (skipsBad) places.push(sentCount);
      }
      sentCount++;
    }
    yield documents;
  }
  const { ignoredFields, ...skipped } = normalizing.end();
  return { ignoredFields, ...(skipsBad && { leftOut: { sentCount, places, ...skipped } }) };
}
