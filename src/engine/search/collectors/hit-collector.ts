import type { DocId } from "../../schema/document.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import type { RankedHits } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** Keeps the hits that a page needs. Segments and windows come in insertion order. */
export interface HitCollector {
  startSegment(segmentIndex: number, statistics: SegmentStatistics): void;
  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void;
  /**
   * Everything kept, in order. Ends the collecting.
   *
   * @param beginning the first hits of the same search on the same snapshot, if they have been ranked
   */
  ranked(beginning: RankedHits | null): RankedHits;
}
