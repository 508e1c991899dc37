import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits, OrdinalColumn } from "../../segment/segment-reader.js";
import type { PathCounts } from "./path-counts.js";

/** From so many paths on for each path that listed matches have, going through all takes longer than going up from each. */
const SUMMED_SHARE = 2;

/** Live documents in kernel memory: as bits; or, where these are null, `count` of them as a list, u32, at an address. */
export interface KernelMatches {
  readonly bits: DocBits | null;
  readonly listed: number;
  readonly count: number;
}

/**
 * Counts a segment's distinct matching documents at or under each path of a facet field with kernels.
 *
 * @returns valid until the kernels are used again
 */
export function countPaths(
  column: OrdinalColumn,
  kernels: SegmentKernels,
  { bits, listed, count }: KernelMatches,
): PathCounts {
  const { ordinals, multiStarts, multiOrdinals, facetParents, facetSubtreeEnds, valueCount } = column;
  const { functions } = kernels;
  const room = kernels.counts(valueCount);
  const { address: counts, listAddress: counted, spareAddress } = room;
  const docs = bits?.byteOffset ?? listed;
  const words = bits?.length ?? 0;
  const docCount = bits === null ? count : 0;
  const parents = facetParents!.byteOffset;
  let length = -1;
  if (ordinals !== null) {
    const { byteOffset: numbers, BYTES_PER_ELEMENT: width } = ordinals;
    if (bits !== null) functions.countNumbers(docs, words, numbers, width, counts);
    else length = functions.countListedNumbers(docs, docCount, numbers, width, parents, counts, counted);
  } else {
    const starts = multiStarts!.byteOffset;
    const paths = multiOrdinals!.byteOffset;
    const ends = facetSubtreeEnds!.byteOffset;
    if (bits === null && count * entriesPerDocument(column) * SUMMED_SHARE < valueCount)
      length = functions.countListedPaths(docs, count, starts, paths, parents, ends, counts, counted);
    else
      functions.countPaths(
        docs,
        words,
        docCount,
        starts,
        paths,
        parents,
        ends,
        counts,
        valueCount,
        spareAddress,
      );
  }
  if (length < 0) length = functions.sumPaths(counts, parents, valueCount, counted);
  room.list(length);
  return { ordinals: room.words, ordinalsStart: room.capacity, length, counts: room.words, room };
}

/** Paths of a document that has as many as most, at least 1. */
function entriesPerDocument(column: OrdinalColumn): number {
  return column.multiOrdinals === null
    ? 1
    : Math.max(1, column.multiOrdinals.length / Math.max(1, column.docsWithValue));
}
