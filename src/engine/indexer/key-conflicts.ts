import { readJson } from "../../json/exact-json.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import type { CanonicalValue, DocId, DocumentId } from "../schema/document.js";
import type { EngineField } from "../schema/engine-schema.js";
import { sortBytes } from "../schema/sort-bytes.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import type { WriterSegment } from "./writer-segment.js";

/** What keeps a field from being a key, as things are committed or as a commit would leave them. */
export interface KeyConflicts {
  /** Values that several documents have, at most `NAMED_MAX`, and how many there are. */
  readonly shared: readonly CanonicalValue[];
  readonly sharedCount: number;
  /** Documents without a value, or with an empty text, at most `NAMED_MAX`, and how many there are. */
  readonly lacking: readonly DocumentId[];
  readonly lackingCount: number;
}

const NAMED_MAX = 20;
/** So many values are compared as they are; what is shared beyond them is counted by hash. */
const COMPARED_MAX = 1000;
/** Documents looked at between two pauses; a power of two. */
const DOCUMENTS_PER_STEP = 256;
const LACKING = Number.NaN;

/**
 * Looks for documents that have the same value, or none: an empty text is none, as it could name no document. What is remembered of each is a hash of 53 bits; values whose
 * hashes are alike are compared.
 *
 * @param segments all that there are, searchable
 * @param field with one value; of text without a column every document is read. Null: one that no document has
 */
export function* keyConflicts(
  segments: readonly WriterSegment[],
  field: EngineField | null,
): SlicedWork<KeyConflicts> {
  const isPending = segments.some((segment) => segment.stage !== "committed" || segment.hasPendingDeletes);
  const shared = new Map<string, CanonicalValue>();
  const lacking = new Set<DocumentId>();
  let sharedCount = 0;
  let lackingCount = 0;
  for (const state of isPending ? [isCommitted, isLeft] : [isLeft]) {
    const hashes = new Float64Array(segments.reduce((sum, { maxDoc }) => sum + maxDoc, 0));
    let count = 0;
    let withoutValue = 0;
    yield* visit(segments, state, function see(segment, docId) {
      const value = field === null ? null : valueBytes(segment, field, docId);
      const isLacking = value === null || value.length === 0;
      hashes[count++] = isLacking ? LACKING : hashOf(value);
      if (!isLacking) return;
      withoutValue++;
      if (lacking.size < NAMED_MAX) lacking.add(segment.reader.documentId(docId));
    });
    const alike = hashes.subarray(0, count).sort();
    yield;
    const repeated = repeatedIn(alike);
    lackingCount = Math.max(lackingCount, withoutValue);
    if (field === null || repeated.size === 0) continue;
    const compared = yield* compare(segments, state, field, new Set([...repeated].slice(0, COMPARED_MAX)));
    for (const [key, value] of compared) if (shared.size < NAMED_MAX) shared.set(key, value);
    const beyond = Math.max(0, repeated.size - COMPARED_MAX);
    sharedCount = Math.max(sharedCount, compared.size + beyond);
  }
  return { shared: [...shared.values()], sharedCount, lacking: [...lacking], lackingCount };
}

type IsIn = (segment: WriterSegment, docId: DocId) => boolean;

const isLeft: IsIn = (segment, docId) => segment.isLive(docId);

const isCommitted: IsIn = ({ stage, reader }, docId) => {
  if (stage !== "committed") return false;
  const { liveDocs } = reader;
  return liveDocs === null || ((liveDocs[docId >>> 5]! >>> (docId & 31)) & 1) === 1;
};

function* visit(
  segments: readonly WriterSegment[],
  isIn: IsIn,
  see: (segment: WriterSegment, docId: DocId) => void,
): SlicedWork {
  for (const segment of segments) {
    for (let docId = 0; docId < segment.maxDoc; docId++) {
      if (isIn(segment, docId)) see(segment, docId);
      if ((docId & (DOCUMENTS_PER_STEP - 1)) === DOCUMENTS_PER_STEP - 1) yield;
    }
    yield;
  }
}

/** Those among ascending numbers that come more than once. */
function repeatedIn(ascending: Float64Array): Set<number> {
  const repeated = new Set<number>();
  for (let i = 1; i < ascending.length; i++)
    if (ascending[i] === ascending[i - 1]) repeated.add(ascending[i]!);
  return repeated;
}

/** The values with one of these hashes that several documents have. */
function* compare(
  segments: readonly WriterSegment[],
  isIn: IsIn,
  field: EngineField,
  hashes: ReadonlySet<number>,
): SlicedWork<Map<string, CanonicalValue>> {
  const counts = new Map<string, number>();
  const shared = new Map<string, CanonicalValue>();
  yield* visit(segments, isIn, (segment, docId) => {
    const bytes = valueBytes(segment, field, docId);
    if (bytes === null || !hashes.has(hashOf(bytes))) return;
    const key = String.fromCharCode(...bytes.subarray(0, KEY_BYTES_MAX));
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count === 2) shared.set(key, keptValue(segment, field, docId)!);
  });
  return shared;
}

/** Longer values with equal hashes that begin alike are taken for equal. */
const KEY_BYTES_MAX = 1024;

/** Sort bytes of a document's value; null if it has none. */
function valueBytes(segment: WriterSegment, field: EngineField, docId: DocId): Uint8Array | null {
  const column = segment.reader.column(field.name);
  if (column !== null) {
    const ordinal = column.ordinals![docId]! - 1;
    return ordinal < 0 ? null : column.valueBytes(ordinal);
  }
  if (field.kind !== "text" || field.keyed === true) return null;
  const value = keptValue(segment, field, docId);
  return value === undefined ? null : sortBytes({ ...field, keyed: true }, value);
}

function keptValue({ reader }: WriterSegment, field: EngineField, docId: DocId): CanonicalValue | undefined {
  const json = field.stored ? reader.storedBytes(docId) : null;
  const text = json === null ? reader.unstoredJson(docId) : decodeUtf8(json);
  const members = readJson(text) as Readonly<Record<string, CanonicalValue>>;
  return Object.hasOwn(members, field.name) ? members[field.name] : undefined;
}

/** Two hashes after FNV-1a with different primes, mixed, 53 bits of both. */
function hashOf(bytes: Uint8Array): number {
  let low = 0x811c_9dc5;
  let high = 0x9e37_79b9;
  for (let i = 0; i < bytes.length; i++) {
    low = Math.imul(low ^ bytes[i]!, 0x0100_0193);
    high = Math.imul(high ^ bytes[i]!, 0x85eb_ca6b);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b);
  high = Math.imul(high ^ (high >>> 15), 0xc2b2_ae35);
  high ^= high >>> 16;
  return (low >>> 0) + (high >>> 11) * 0x1_0000_0000;
}
