import type { NumberRange } from "../../kernels/listed-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentReader } from "../../segment/segment-reader.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { WindowPool } from "../evaluators/window-pool.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** One segment as one search sees it. */
export interface SegmentContext {
  readonly segment: SegmentReader;
  readonly statistics: SegmentStatistics;
  readonly pool: WindowPool;
}

/** Finds a query node's documents, segment by segment, in whichever way is asked for. */
export interface Matcher {
  /** A new evaluator before the first window; null if nothing in the segment can match. */
  evaluator(context: SegmentContext): Evaluator | null;
  /**
   * Adds the node's documents, deleted ones included, to bits in kernel memory.
   *
   * @param target address of the bits
   */
  mark(context: SegmentContext, kernels: SegmentKernels, target: number): void;
  /** The documents by their numbers in a column; null: numbers don't tell them. */
  numbers(context: SegmentContext): NumberRange | null;
}
