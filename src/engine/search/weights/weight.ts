import type { KernelRanking } from "../ranking/plan-run.js";
import type { RankingPlan } from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Explanation } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { Matcher, SegmentContext } from "./matcher.js";

export type { SegmentContext } from "./matcher.js";

/** A query node bound to a collection's statistics; makes an evaluator per segment. */
export interface Weight extends Matcher {
  /** The same in the shape that kernels know; null if it hasn't one. Absent: it never has. */
  ranking?(context: SegmentContext): RankingPlan | null;
  /** What kernels give without a plan, where that takes less; null where they don't. */
  ranked?(context: SegmentContext, request: RankingRequest): KernelRanking | null;
  /**
   * A score that at least k live documents of the segments exceed; 0 or absent: none is known.
   *
   * @param segments all that the weight's statistics are of
   * @throws FindlingError `search_timeout`
   */
  scoreFloor?(k: number, segments: readonly SegmentStatistics[], interrupt: SearchInterrupt): number;
  /**
   * Why documents score what they score, by one evaluation of all of them: most of what one document takes is to find
   * the lists of all words.
   *
   * @param docIds ascending, without the deleted
   * @returns one for each of them; null: it doesn't match
   * @throws FindlingError `search_timeout`
   */
  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[];
}
