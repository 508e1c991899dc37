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

/** @param target address of the bits */
export type MarkDocuments = (context: SegmentContext, kernels: SegmentKernels, target: number) => void;

/** Finds a query node's documents, segment by segment. */
export interface Matcher {
  /** A new evaluator before the first window; null if nothing in the segment can match. */
  evaluator(context: SegmentContext): Evaluator | null;
  /** Adds the node's documents, deleted ones included, to a bitset in kernel memory; absent: it can't. */
  readonly mark?: MarkDocuments | undefined;
  /** The same documents by their numbers; null or absent: they aren't told by these. */
  readonly numbers?: ((context: SegmentContext) => NumberRange | null) | undefined;
  /** The same documents by doc id where the segment's image lists them so; null or absent: it doesn't. */
  readonly docs?: ((context: SegmentContext) => Uint32Array | null) | undefined;
}
