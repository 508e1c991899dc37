import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits, OrdinalColumn } from "../../segment/segment-reader.js";
import type { PathCounts } from "./path-counts.js";

/** From so many paths on for each path that listed matches have, going through all takes longer than going up from each. */
const SUMMED_SHARE = 2;

/**
 * Counts a segment's distinct matching documents at or under each path of a facet field with kernels.
 *
 * @param matches live documents, in kernel memory
 * @returns valid until the kernels are used again
 */
export function countMarkedPaths(
  column: OrdinalColumn,
  kernels: SegmentKernels,
  matches: DocBits,
): PathCounts {
  const { ordinals, multiStarts, multiOrdinals, facetParents, facetSubtreeEnds, valueCount } = column;
  const { functions } = kernels;
  const room = kernels.counts(valueCount);
  const { address: counts, listAddress: counted } = room;
  const bits = matches.byteOffset;
  const words = matches.length;
  const parents = facetParents!.byteOffset;
  if (ordinals !== null) {
    functions.countNumbers(bits, words, ordinals.byteOffset, ordinals.BYTES_PER_ELEMENT, counts);
  } else {
    const starts = multiStarts!.byteOffset;
    const entries = multiOrdinals!.byteOffset;
    const ends = facetSubtreeEnds!.byteOffset;
    const { spareAddress } = room;
    functions.countPaths(bits, words, starts, entries, parents, ends, counts, valueCount, spareAddress);
  }
  const length = functions.sumPaths(counts, parents, valueCount, counted);
  return { ordinals: room.words, ordinalsStart: room.capacity, length, counts: room.words, room };
}

/**
 * Counts the paths of few matches that are listed in kernel memory.
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
      functions.countPathsOfListed(
        listed,
        matchCount,
        starts,
        entries,
        parents,
        ends,
        counts,
        valueCount,
        room.spareAddress,
      );
      length = functions.sumPaths(counts, parents, valueCount, counted);
    }
  }
  room.list(length);
  return { ordinals: room.words, ordinalsStart: room.capacity, length, counts: room.words, room };
}

/** Paths of a document that has as many as most, at least 1. */
function entriesPerDocument(column: OrdinalColumn): number {
  return column.multiOrdinals === null
    ? 1
    : Math.max(1, column.multiOrdinals.length / Math.max(1, column.docsWithValue));
}
