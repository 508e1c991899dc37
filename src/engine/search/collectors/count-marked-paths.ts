import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits, OrdinalColumn, SegmentReader } from "../../segment/segment-reader.js";
import type { PathCounts } from "./path-counts.js";

/** From so many paths on for each path that listed matches have, going through all takes longer than going up from each. */
const SUMMED_SHARE = 2;

/**
 * Counts a segment's distinct matching documents at or under each path of a facet field with kernels. Few
 * matches take time for these alone, however many paths there are.
 *
 * @param segment whose column it is
 * @param matches live documents, in kernel memory
 * @param matchCount documents in them
 * @returns valid until the kernels are used again
 */
export function countMarkedPaths(
  segment: SegmentReader,
  column: OrdinalColumn,
  kernels: SegmentKernels,
  matches: DocBits,
  matchCount: number,
): PathCounts {
  const isWhole = matchCount === segment.docCount;
  const known = isWhole ? wholeCountsOf(segment).get(column) : undefined;
  if (known !== undefined) return known;
  const { ordinals, multiStarts, multiOrdinals, facetParents, facetSubtreeEnds, valueCount } = column;
  const { functions } = kernels;
  const room = kernels.counts(valueCount);
  const { address: counts, listAddress: counted } = room;
  const bits = matches.byteOffset;
  const words = matches.length;
  const parents = facetParents!.byteOffset;
  const isFew = matchCount * entriesPerDocument(column) < valueCount;
  let length = 0;
  if (ordinals !== null) {
    const { byteOffset: numbers, BYTES_PER_ELEMENT: width } = ordinals;
    if (isFew) length = functions.countFewNumbers(bits, words, numbers, width, parents, counts, counted);
    else functions.countNumbers(bits, words, numbers, width, counts);
  } else {
    const starts = multiStarts!.byteOffset;
    const entries = multiOrdinals!.byteOffset;
    const ends = facetSubtreeEnds!.byteOffset;
    if (isFew) length = functions.countFewPaths(bits, words, starts, entries, parents, ends, counts, counted);
    else if (hasOneEach(column)) functions.countOrdinals(bits, words, entries, counts);
    else functions.countPaths(bits, words, starts, entries, parents, ends, counts);
  }
  if (!isFew) length = functions.sumPaths(counts, parents, valueCount, counted);
  if (isFew) room.list(length);
  const found = { ordinals: room.words, ordinalsStart: room.capacity, length, counts: room.words, room };
  if (isWhole) {
    const ordinals = room.words.slice(room.capacity, room.capacity + length);
    const own = { ordinals, ordinalsStart: 0, length, counts: room.words.slice(0, valueCount), room: null };
    wholeCountsOf(segment).set(column, own);
  }
  return found;
}

/**
 * The same of few matches that are listed in kernel memory.
 *
 * @param listed address of the documents, u32
 */
export function countListedPaths(
  column: OrdinalColumn,
  kernels: SegmentKernels,
  listed: number,
  matchCount: number,
): PathCounts {
  const { ordinals, multiStarts, multiOrdinals, facetParents, facetSubtreeEnds, valueCount } = column;
  const { functions } = kernels;
  const room = kernels.counts(valueCount);
  const { address: counts, listAddress: counted } = room;
  const parents = facetParents!.byteOffset;
  let length: number;
  if (ordinals !== null) {
    const { byteOffset: numbers, BYTES_PER_ELEMENT: width } = ordinals;
    length = functions.countListedNumbers(listed, matchCount, numbers, width, parents, counts, counted);
  } else {
    const starts = multiStarts!.byteOffset;
    const entries = multiOrdinals!.byteOffset;
    const ends = facetSubtreeEnds!.byteOffset;
    if (matchCount * entriesPerDocument(column) * SUMMED_SHARE < valueCount) {
      length = functions.countListedPaths(
        listed,
        matchCount,
        starts,
        entries,
        parents,
        ends,
        counts,
        counted,
      );
    } else {
      functions.countPathsOfListed(listed, matchCount, starts, entries, parents, ends, counts);
      length = functions.sumPaths(counts, parents, valueCount, counted);
    }
  }
  room.list(length);
  return { ordinals: room.words, ordinalsStart: room.capacity, length, counts: room.words, room };
}

/** What counting all live documents of a segment gives, by what doesn't change while these don't. */
const wholeCounts = new WeakMap<object, WeakMap<OrdinalColumn, PathCounts>>();

function wholeCountsOf(segment: SegmentReader): WeakMap<OrdinalColumn, PathCounts> {
  const view = segment.liveDocs ?? segment;
  let counts = wholeCounts.get(view);
  if (counts === undefined) {
    counts = new WeakMap();
    wholeCounts.set(view, counts);
  }
  return counts;
}

/** Paths of a document that has as many as most, at least 1. */
function entriesPerDocument(column: OrdinalColumn): number {
  return column.multiOrdinals === null
    ? 1
    : Math.max(1, column.multiOrdinals.length / Math.max(1, column.docsWithValue));
}

/** Whether every document has exactly one path, though it might have several. */
function hasOneEach(column: OrdinalColumn): boolean {
  let known = oneEach.get(column);
  if (known === undefined) {
    known = column.multiStarts!.every((start, docId) => start === docId);
    oneEach.set(column, known);
  }
  return known;
}

const oneEach = new WeakMap<OrdinalColumn, boolean>();
