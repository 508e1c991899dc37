import { ScratchExhaustedError } from "../../kernels/image-memory.js";
import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../plan/matcher.js";
import { isEmptyPlan, isOnlyEvaluated, type QueryPlan } from "../plan/query-plan.js";
import { firstTier } from "./first-tier.js";
import { addLists } from "./plan-lists.js";
import { type KernelRanking, NO_HITS, PlanRun } from "./plan-run.js";
import type { RankingRequest } from "./ranking-request.js";
import { scoreLeaves } from "./score-leaves.js";

export type { KernelRanking } from "./plan-run.js";

/**
 * Carries out a plan with kernels; null if they can't: no kernel memory, too many lists, too many hits. Gives the very
 * documents, scores and counts that the evaluators would. This is where it is decided how:
 *
 * 1. Where enough documents hold all words of a short query without a slip, only these are ranked (`first-tier.ts`).
 * 2. Words and nested leaves are scored first; from then on they are lists of documents with their scores.
 * 3. Kernels walk the lists (`plan-run.ts`).
 */
export function rankInKernels(
  plan: QueryPlan,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { image } = context.segment;
  if (isEmptyPlan(plan)) return NO_HITS;
  if (image === null || request.limit > HITS_MAX || isOnlyEvaluated(plan)) return null;
  if (plan.constantScore !== null && request.decay !== null && request.limit > 0) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  kernels.interruptBy(context.pool.interrupt);
  try {
    kernels.scored.begin();
    const tier = firstTier(kernels, plan, context, request);
    if (tier === null) return rank(kernels, plan, context, request, 0);
    const ranking = rank(kernels, tier.plan, context, tier.request, tier.bits);
    return ranking === null ? null : tier.withAll(ranking);
  } catch (error) {
    if (error instanceof ScratchExhaustedError) return null;
    throw error;
  }
}

function rank(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  request: RankingRequest,
  accepted: number,
): KernelRanking | null {
  const scored = scoreLeaves(kernels, plan, context, accepted);
  if (scored === null) return null;
  switch (addLists(kernels, plan, context, scored)) {
    case "impossible":
      return null;
    case "nothing":
      return NO_HITS;
    case "ready":
      return new PlanRun(kernels, plan, context, request).run();
  }
}
