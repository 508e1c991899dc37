import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../weights/matcher.js";
import { addLists } from "./plan-lists.js";
import { type KernelRanking, NO_HITS, PlanRun } from "./plan-run.js";
import { rankFew } from "./rank-few.js";
import { rankWord } from "./rank-word.js";
import type { RankingPlan, RankingWord } from "./ranking-plan.js";
import { RankingRequest } from "./ranking-request.js";
import { NO_NODES, scoreNodes } from "./score-nodes.js";

export type { KernelRanking } from "./plan-run.js";

/**
 * Ranks and counts a plan's matches with kernels; null if they can't: no kernel memory, too many
 * lists, too many hits. Gives the very documents, scores and counts that the evaluators would.
 */
export function rankInKernels(
  plan: RankingPlan,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { image } = context.segment;
  if (plan.groups.length === 0 && plan.constantScore === null) return NO_HITS;
  if (request.limit > HITS_MAX || image === null) return null;
  if (plan.constantScore !== null && request.decay !== null && request.limit > 0) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  kernels.interruptBy(context.pool.interrupt);
  if (hasOnlyTerms(plan)) {
    // The most frequent kind of plan.
    const few = request.mayList ? rankFew(kernels, plan, context, request, NO_NODES) : null;
    if (few !== null) return few;
    const added = addLists(kernels, plan, context, NO_NODES, "all");
    return added === "ready" ? new PlanRun(kernels, plan, context, request).run() : null;
  }
  if (isOnlyEvaluators(plan)) return null;
  kernels.scored.begin();
  const nodes = scoreNodes(kernels, plan, context);
  if (nodes === null) return null;
  const few = request.mayList ? rankFew(kernels, plan, context, request, nodes) : null;
  if (few !== null) return few;
  const word = loneWord(plan);
  const ranked = word === null ? null : rankWord(kernels, plan, word, context, request);
  if (ranked !== null) return ranked;
  if (word !== null && request.limit > 0 && request.decay === null && hasFarther(word)) {
    const nearest = rankNearest(kernels, plan, word, context, request);
    if (nearest !== null) return nearest;
  }
  switch (addLists(kernels, plan, context, nodes, "all")) {
    case "impossible":
      return null;
    case "nothing":
      return NO_HITS;
    case "ready":
      return new PlanRun(kernels, plan, context, request).run();
  }
}

/**
 * A word alone by its nearest variants: documents of farther ones come after all others, so they are often needed
 * for the count only. Null if there are too few hits without them, or no room.
 */
function rankNearest(
  kernels: SegmentKernels,
  plan: RankingPlan,
  word: RankingWord,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches } = request;
  if (addLists(kernels, plan, context, NO_NODES, "nearest") !== "ready") return null;
  const onlyHits = new RankingRequest(request.limit, false, false, request.leastScore, request.decay);
  const ranking = new PlanRun(kernels, plan, context, onlyHits).run();
  if (ranking.hitCount < limit && leastScore < word.fartherScoreMax) return null;
  if (!withCount && !withMatches) return ranking;
  if (addLists(kernels, plan, context, NO_NODES, "all") !== "ready") return null;
  const { count, matches } = new PlanRun(kernels, plan, context, { ...request, limit: 0 }).run();
  return { ...ranking, count, matches };
}

function hasOnlyTerms({ groups }: RankingPlan): boolean {
  if (groups.length === 0) return false;
  for (let group = 0; group < groups.length; group++) {
    const { leaves } = groups[group]!;
    for (let i = 0; i < leaves.length; i++) if (leaves[i]!.kind !== "term") return false;
  }
  return true;
}

/** Whether kernels would only put together what evaluators find. */
function isOnlyEvaluators({ groups, constantScore }: RankingPlan): boolean {
  return (
    constantScore === null &&
    groups.every(({ leaves }) => leaves.every((leaf) => leaf.kind === "node" && leaf.plan === null))
  );
}

function hasFarther({ fields }: RankingWord): boolean {
  return fields.some(({ farther }) => farther.length > 0);
}

/** A plan's only leaf, if that is a word. */
function loneWord({ groups }: RankingPlan): RankingWord | null {
  const leaf = groups.length === 1 && groups[0]!.leaves.length === 1 ? groups[0]!.leaves[0]! : null;
  return leaf !== null && leaf.kind === "word" ? leaf : null;
}
