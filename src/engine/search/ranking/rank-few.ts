import { testBit } from "../../bytes/bitset.js";
import type { NumberRange } from "../../kernels/listed-docs.js";
import type { ScoredDocs } from "../../kernels/scored-docs.js";
import { FEW_MAX } from "../../kernels/scratch-layout.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { SegmentContext } from "../plan/matcher.js";
import type { PlanGroup, QueryPlan } from "../plan/query-plan.js";
import { acceptedBits } from "./accepted-documents.js";
import { addLists, numbersOfConstant } from "./plan-lists.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import type { RankingRequest } from "./ranking-request.js";

/** As many as an integer has bits to name. */
const GROUPS_MAX = 31;
/** One of the words that documents must share is in fewer than this part of all documents, or than so many. */
const SHARED_SHARE = 1 / 512;
const SHARED_MIN = 64;
/** Stands for all groups, of which none is required. */
const ALL_GROUPS = -1;

/**
 * `rankInKernels` for a plan of which few documents can match: these are listed and scored, and nothing takes time for
 * all documents of the segment. Null where too many could match, or it takes another kernel.
 *
 * @param scored what the plan's words and nested leaves match, by order
 */
export function rankFew(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  request: RankingRequest,
  scored: readonly (ScoredDocs | null)[],
): KernelRanking | null {
  const { groups, constantScore, phrase } = plan;
  if (constantScore !== null) return rankAlike(kernels, plan, constantScore, context, request);
  if (phrase !== null || request.decay !== null) return null;
  if (groups.length > GROUPS_MAX) return null;
  let leading = ALL_GROUPS;
  let required = 0;
  /** Documents of the required group that has the fewest, and of all groups; more than there are where they don't tell. */
  let least = Infinity;
  let sum = 0;
  let isShared = false;
  let nextScored = 0;
  for (let group = 0; group < groups.length; group++) {
    const { leaves, required: isRequired } = groups[group]!;
    let postings = 0;
    for (let i = 0; i < leaves.length; i++) {
      const leaf = leaves[i]!;
      if (leaf.kind === "term") postings += leaf.place.docFreq;
      else postings += leaf.kind === "constant" ? Infinity : (scored[nextScored++]?.count ?? 0);
    }
    sum += postings;
    if (!isRequired) continue;
    required |= 1 << group;
    // Constants are asked of single documents.
    if (postings === Infinity) continue;
    isShared = least !== Infinity;
    if (postings >= least) continue;
    least = postings;
    leading = group;
  }
  const candidates = required === 0 ? sum : least;
  // Frequent words' documents are intersected sooner as bits of all.
  const most = isShared ? Math.max(SHARED_MIN, context.segment.maxDoc * SHARED_SHARE) : FEW_MAX;
  if (candidates > Math.min(FEW_MAX, most)) return null;
  if (candidates === 0) return NO_HITS;
  switch (addLists(kernels, plan, context, scored, true)) {
    case "impossible":
      return null;
    case "nothing":
      return NO_HITS;
    case "ready":
      return listed(kernels, plan, context, request, leading, required);
  }
}

/** A filter by itself whose documents the segment lists: they all score the same, so that the first are the best. */
function rankAlike(
  kernels: SegmentKernels,
  { filters, exclusions }: QueryPlan,
  score: number,
  context: SegmentContext,
  { limit, leastScore }: RankingRequest,
): KernelRanking | null {
  if (filters.length !== 1 || exclusions.length > 0) return null;
  const docs = filters[0]!.docs(context);
  if (docs === null || docs.length > FEW_MAX || !areLive(docs, context.segment.liveDocs)) return null;
  if (docs.length === 0) return NO_HITS;
  const { hitDocs, hitScores } = kernels;
  const hitCount = score > leastScore ? Math.min(limit, docs.length) : 0;
  for (let place = 0; place < hitCount; place++) {
    hitDocs[place] = docs[place]!;
    hitScores[place] = score;
  }
  const listedAt = docs.byteOffset;
  return { count: docs.length, matches: null, listed: listedAt, kernels, hitCount, hitScores, hitDocs };
}

/** Whether none of them is deleted. */
function areLive(docs: Uint32Array, live: DocBits | null): boolean {
  if (live === null) return true;
  for (let i = 0; i < docs.length; i++) if (!testBit(live, docs[i]!)) return false;
  return true;
}

function listed(
  kernels: SegmentKernels,
  plan: QueryPlan,
  context: SegmentContext,
  { limit, leastScore }: RankingRequest,
  leading: number,
  required: number,
): KernelRanking {
  accept(kernels, plan, context);
  const { count, hitCount } = kernels.topFew(limit, leastScore, leading, required);
  return {
    count,
    matches: null,
    listed: kernels.layout.fewFound,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}

/** What is told by numbers is asked of the candidates; bits of all documents tell what other filters leave. */
function accept(kernels: SegmentKernels, plan: QueryPlan, context: SegmentContext): void {
  const { filters, exclusions, groups } = plan;
  const { functions } = kernels;
  for (let i = 0; i < filters.length; i++) {
    const numbers = filters[i]!.numbers(context);
    if (numbers === null) continue;
    const others = filters.filter((filter) => filter !== filters[i]);
    functions.accept(acceptedBits({ filters: others, exclusions }, context, kernels));
    functions.acceptNumbers(numbers.address, numbers.width, numbers.first, numbers.end);
    return;
  }
  functions.accept(acceptedBits(plan, context, kernels));
  const numbers = requiredNumbers(groups, context);
  if (numbers !== null) functions.acceptNumbers(numbers.address, numbers.width, numbers.first, numbers.end);
}

/** Numbers of a constant leaf that documents must match anyway, so that others aren't scored first; null if there are none. */
function requiredNumbers(groups: readonly PlanGroup[], context: SegmentContext): NumberRange | null {
  for (let group = 0; group < groups.length; group++) {
    const { leaves, required } = groups[group]!;
    if (!required || leaves.length !== 1) continue;
    const numbers = numbersOfConstant(leaves[0]!, context);
    if (numbers !== null) return numbers;
  }
  return null;
}
