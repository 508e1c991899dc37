import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { IndexSchema } from "../contract/index-schema.js";
import { type RecordFormat, recordsIn } from "./document-records.js";
import { RequestNormalizer } from "./normalize-documents.js";
import { SentNormalizer } from "./normalize-sent.js";
import { DOCUMENT_BOUNDS, piecesOfArray, scannedBody, wholeValue } from "./parse-json-body.js";
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
}

/**
 * Reads documents piece by piece, so that few of them are in memory at a time: yields some in canonical
 * form, or undefined where it only pauses, and returns the ignored fields as `NormalizedDocuments` has
 * them. All or none: what it has yielded counts only if it comes to its end. The bytes are of no use
 * afterwards. Everything is refused as by `parseJsonBody`, and then `normalizeDocuments`.
 */
export function* readDocuments(
  unread: UnreadDocuments,
  pieceBytes?: number,
): Generator<readonly CanonicalDocument[] | undefined, readonly string[], undefined> {
  const { bytes, format, fields, awaitedFields, maxDocuments, memoryMax } = unread;
  if (format !== undefined) return yield* readRecords(format, unread);
  const body = asBuffer(bytes);
  const scan = yield* scannedBody(body, {
    memory: memoryUpTo(memoryMax),
    bounds: DOCUMENT_BOUNDS,
    ...(pieceBytes !== undefined && { pieceBytes }),
  });
  const normalizing = new RequestNormalizer(fields, maxDocuments, awaitedFields);
  if (scan.cuts.length > 0) {
    for (const piece of piecesOfArray(body, scan, DOCUMENT_BOUNDS)) yield yield* normalizing.next(piece);
  } else {
    const value = wholeValue(body, scan, DOCUMENT_BOUNDS);
    yield Array.isArray(value) ? yield* normalizing.next(value) : [normalizing.only(value)];
  }
  return normalizing.end();
}

/** As `DocumentRecords.read`, and then `normalizeSent`. */
function* readRecords(
  format: RecordFormat,
  { bytes, fields, awaitedFields, maxDocuments, memoryMax }: UnreadDocuments,
): Generator<readonly CanonicalDocument[], readonly string[], undefined> {
  const normalizing = new SentNormalizer(fields, { skipsBad: false, awaited: awaitedFields });
  const options = { documentsMax: maxDocuments, memory: memoryUpTo(memoryMax) };
  for (const some of recordsIn(format, asBuffer(bytes), options)) {
    // That there are too many records, or that they can't be read, is told before what is wrong with some.
    const documents = normalizing.isFull ? [] : some.map((each) => normalizing.next(each));
    yield documents.filter((each) => each !== null);
  }
  return normalizing.end().ignoredFields;
}
