import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import type { ScoredDocs } from "../../kernels/scored-docs.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import { WindowPool } from "../evaluators/window-pool.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { SegmentContext } from "../weights/matcher.js";
import { appendMatches, type JoinedDocs } from "./joined-lists.js";
import type { PlannedMatcher, RankingPlan } from "./ranking-plan.js";
import { scoreNode } from "./score-nodes.js";

/**
 * `Joinable.appendTo` of what kernels score as they score a node, where they can, and its evaluator elsewhere.
 *
 * @throws FindlingError `search_timeout`
 */
export function appendScored(
  joined: JoinedDocs,
  matcher: PlannedMatcher,
  statistics: SegmentStatistics,
  interrupt: SearchInterrupt,
): void {
  const { segment } = statistics;
  const context = { segment, statistics, pool: new WindowPool(interrupt) };
  const plan = matcher.ranking(context);
  if (plan !== null && plan.groups.length === 0 && plan.constantScore === null) return;
  const kernels = segment.image === null ? null : SegmentKernels.over(segment.image);
  const scored = plan === null || kernels === null ? "impossible" : score(kernels, plan, matcher, context);
  if (scored === null) return;
  if (scored === "impossible") {
    const evaluator = matcher.evaluator(context);
    if (evaluator !== null) appendMatches(joined, evaluator, segment, interrupt);
    return;
  }
  const { docs, scores } = kernels!.scored.views(scored, scored.count);
  for (let i = 0; i < docs.length; i++) joined.docs[joined.count + i] = joined.start + docs[i]!;
  joined.scores.set(scores, joined.count);
  joined.count += docs.length;
}

function score(
  kernels: SegmentKernels,
  plan: RankingPlan,
  matcher: PlannedMatcher,
  context: SegmentContext,
): ScoredDocs | null | "impossible" {
  kernels.interruptBy(context.pool.interrupt);
  kernels.scored.begin();
  try {
    return scoreNode(kernels, { kind: "node", plan, factor: 1, matcher }, context);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return "impossible";
    throw error;
  }
}
