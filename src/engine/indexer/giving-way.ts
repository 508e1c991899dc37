import type { DocId, DocumentId } from "../schema/document.js";
import type { OrdinalColumn } from "../segment/segment-reader.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { sortStrings } from "../segment/strings/sort-strings.js";
import { type DocumentKeys, keyOf } from "./document-keys.js";
import type { SegmentBuilder } from "./segment-builder.js";
import type { WriterSegment } from "./writer-segment.js";

/** Keys looked up between two pauses; a power of two. */
const KEYS_PER_STEP = 1024;

/** Documents that give way to those of a write, as they have the same keys. */
export interface GivingWay {
  /** Documents of before the write. */
  readonly count: number;
  /** Those of segments that can be searched. */
  readonly inSegments: readonly { readonly segment: WriterSegment; readonly docIds: readonly DocId[] }[];
  /** Those that wait in the builder. */
  readonly inBuilder: readonly DocId[];
  /** Places of documents of the write that later ones of it overwrite, ascending. */
  readonly overwritten: readonly number[];
}

export const NOTHING_GIVES_WAY: GivingWay = { count: 0, inSegments: [], inBuilder: [], overwritten: [] };

/** What a write that may replace has done besides adding. */
export interface GivenWay {
  /** Documents of before the write that gave way. */
  readonly replaced: number;
  /** Places of its documents that later ones of it have overwritten, ascending. */
  readonly overwritten: readonly number[];
}

export function givenWay({ count, overwritten }: GivingWay): GivenWay {
  return { replaced: count, overwritten };
}

/** Looks for the live documents with these ids. */
export function* findWithIds(
  ids: readonly DocumentId[],
  segments: readonly WriterSegment[],
): SlicedWork<GivingWay> {
  let count = 0;
  const inSegments: { segment: WriterSegment; docIds: DocId[] }[] = [];
  for (const segment of segments) {
    const docIds: DocId[] = [];
    for (let i = 0; i < ids.length; i++) {
      const docId = segment.reader.docIdOf(ids[i]!);
      if (docId >= 0 && segment.isLive(docId)) docIds.push(docId);
      if ((i & (KEYS_PER_STEP - 1)) === KEYS_PER_STEP - 1) yield;
    }
    count += docIds.length;
    if (docIds.length > 0) inSegments.push({ segment, docIds });
  }
  return { count, inSegments, inBuilder: [], overwritten: [] };
}

/**
 * Looks for the documents that give way. Keys are looked up in their order, so that what is read of a column's
 * dictionary lies near what was read before; the largest segment comes first, as it has most of those that are found,
 * and each is found once.
 *
 * @param segments all that can be searched
 * @param builder the documents behind them, if any wait
 */
export function* findGivingWay(
  keys: DocumentKeys,
  segments: readonly WriterSegment[],
  builder: SegmentBuilder | null,
): SlicedWork<GivingWay> {
  const { order, overwritten } = yield* distinctKeys(keys);
  let left = order;
  const inBuilder: DocId[] = [];
  if (builder !== null) {
    left = yield* unfound(left, (place) => {
      const docId = builder.docWithKey(keys.field, keyOf(keys, place));
      if (docId >= 0) inBuilder.push(docId);
      return docId >= 0;
    });
  }
  let count = inBuilder.length;
  const inSegments: { segment: WriterSegment; docIds: DocId[] }[] = [];
  for (const segment of [...segments].sort((a, b) => b.maxDoc - a.maxDoc)) {
    const column = segment.docCount === 0 ? null : segment.reader.column(keys.field);
    if (column === null) continue;
    const docIds: DocId[] = [];
    left = yield* unfound(left, (place) => {
      const docId = liveDocWith(column, keyOf(keys, place), segment);
      if (docId >= 0) docIds.push(docId);
      return docId >= 0;
    });
    count += docIds.length;
    if (docIds.length > 0) inSegments.push({ segment, docIds });
  }
  return { count, inSegments, inBuilder, overwritten };
}

/** The live document that has the key; -1 if none has. */
export function liveDocWith(column: OrdinalColumn, key: Uint8Array, segment: WriterSegment): DocId {
  const ordinal = column.ordinalOf(key);
  if (ordinal < 0) return -1;
  for (let at = column.docStarts[ordinal]!; at < column.docStarts[ordinal + 1]!; at++) {
    if (segment.isLive(column.docs[at]!)) return column.docs[at]!;
  }
  return -1;
}

/** Places by their keys, the last one where several have the same, and those before it. */
function* distinctKeys(
  keys: DocumentKeys,
): SlicedWork<{ readonly order: Uint32Array; readonly overwritten: readonly number[] }> {
  const absent = new Set(keys.absent);
  const places = new Uint32Array(keys.starts.length - 1 - absent.size);
  for (let place = 0, i = 0; place < keys.starts.length - 1; place++)
    if (!absent.has(place)) places[i++] = place;
  yield* sortStrings(places, keys.bytes, keys.starts);
  const overwritten: number[] = [];
  let length = 0;
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    const before = length === 0 ? -1 : places[length - 1]!;
    if (before < 0 || !areEqual(keyOf(keys, before), keyOf(keys, place))) {
      places[length++] = place;
      continue;
    }
    overwritten.push(Math.min(before, place));
    places[length - 1] = Math.max(before, place);
  }
  return { order: places.subarray(0, length), overwritten: overwritten.sort((a, b) => a - b) };
}

function* unfound(places: Uint32Array, isFound: (place: number) => boolean): SlicedWork<Uint32Array> {
  const left = new Uint32Array(places.length);
  let length = 0;
  for (let i = 0; i < places.length; i++) {
    if (!isFound(places[i]!)) left[length++] = places[i]!;
    if ((i & (KEYS_PER_STEP - 1)) === KEYS_PER_STEP - 1) yield;
  }
  return left.subarray(0, length);
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
