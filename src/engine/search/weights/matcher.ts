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

/** Finds a query node's documents, segment by segment. */
export interface Matcher {
  /** A new evaluator before the first window; null if nothing in the segment can match. */
  evaluator(context: SegmentContext): Evaluator | null;
}
