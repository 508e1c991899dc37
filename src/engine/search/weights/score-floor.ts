import { shareBelow, slopeBelow } from "../../kernels/bounds-at-length.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { FoundTerm } from "../statistics/found-term.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** Looking for the k-th greatest bound costs more than it spares for more hits than these. */
const FLOOR_HITS_MAX = 64;
const BLOCK_SIZE = 128;
/** Stands for 1 in a block's bound. */
const BOUND_SCALE = 65_535;
/** Makes what was rounded to f32 hold. */
const ROUNDING_MARGIN = 1 + 1e-6;

interface Term {
  readonly similarity: Bm25Similarity;
  /** Where a segment has it; null if it hasn't. */
  in(segment: SegmentStatistics): FoundTerm | null;
}

/**
 * What k documents of several segments score more than by one term, in parts of the term's weight; 0 where nothing
 * is known. Each block of a list has a document that reaches its bound (`assembly/priming.ts`), so the k-th greatest
 * bound of all lists is reached by k; segments with deleted documents are left out.
 */
export function scoreFloor(term: Term, k: number, segments: readonly SegmentStatistics[]): number {
  if (k > FLOOR_HITS_MAX) return 0;
  const greatest: number[] = [];
  for (const statistics of segments) {
    const found = term.in(statistics);
    const { image, liveDocs } = statistics.segment;
    const postings = found?.terms.image ?? null;
    if (found === null || postings === null || image === null || liveDocs !== null) continue;
    const { docFreq, reference } = found.place;
    if (docFreq < BLOCK_SIZE) continue;
    const ratio = postings.averageLength / term.similarity.averageFieldLength;
    const slope = slopeBelow(ratio) / ROUNDING_MARGIN / BOUND_SCALE;
    const share = shareBelow(ratio) * ROUNDING_MARGIN;
    const address = postings.bounds + 2 * reference;
    const bounds = new Uint16Array(image.memory.buffer, address, Math.ceil(docFreq / BLOCK_SIZE));
    for (let block = 0; block < bounds.length; block++) {
      keepGreatest(greatest, k, (bounds[block]! - 1) * slope + share);
    }
  }
  return greatest.length < k ? 0 : greatest[0]!;
}

/** @param greatest ascending, at most k */
function keepGreatest(greatest: number[], k: number, value: number): void {
  if (greatest.length === k) {
    if (value <= greatest[0]!) return;
    greatest.shift();
  }
  let hole = greatest.length;
  greatest.push(value);
  for (; hole > 0 && greatest[hole - 1]! > value; hole--) greatest[hole] = greatest[hole - 1]!;
  greatest[hole] = value;
}
