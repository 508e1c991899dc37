import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { kernelPace, SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import type { SegmentContext } from "../weights/matcher.js";
import { areAllDense, countAllDense, countAny } from "./count-lists.js";
import { WEIGHT_MIN } from "./plan-lists.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import { rankTerm } from "./rank-term.js";
import type { RankingRequest } from "./ranking-request.js";

/** What `topTerms` is told of counting: see `topOfAny` in `assembly/top-of-any.ts`. */
const UNCOUNTED = 0;
const COUNTED = 1;
const COUNTED_SHARED = 2;

/** A term that scores, wherever it occurs. */
export interface ScoringTerm {
  /** Where a segment has it; null if it hasn't. */
  in(statistics: SegmentStatistics): KnownTerm | null;
  /** f32, at least 0. */
  readonly weight: number;
  readonly similarity: Bm25Similarity;
}

/**
 * `rankInKernels` for a plan that is nothing but several terms of which a document needs one, or all, with as little
 * around it as possible. Null where that function has to do it.
 */
export function rankTerms(
  terms: readonly ScoringTerm[],
  isConjunction: boolean,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  const { image, liveDocs } = context.segment;
  if (image === null || limit > HITS_MAX || limit === 0 || withMatches || decay !== null) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  const { statistics } = context;
  const { lists, layout, functions } = kernels;
  let only: ScoringTerm | null = null;
  let least = leastScore;
  lists.begin();
  for (let i = 0; i < terms.length; i++) {
    const term = terms[i]!;
    const known = term.in(statistics);
    if (known === null) {
      if (isConjunction) return NO_HITS;
      continue;
    }
    const { weight, similarity } = term;
    if (!(weight > WEIGHT_MIN)) return null;
    const group = isConjunction ? i : 0;
    const isAdded = lists.add(known.terms.image!, known.place, weight, similarity, group);
    if (!isAdded) return null;
    only = term;
    // Alternatives only add to what one of them alone gives.
    if (!isConjunction) least = Math.max(least, known.exceeded(limit, weight, similarity));
  }
  if (only === null) return NO_HITS;
  if (lists.count === 1) {
    const known = only.in(statistics)!;
    const docFreq = withCount ? statistics.liveDocFreq(known) : 0;
    return rankTerm(known, only.weight, only.similarity, docFreq, context, request);
  }
  kernels.interruptedBy(context.pool.interrupt);
  const accepted = liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs);
  const isCountedByBits = isConjunction && withCount && areAllDense(kernels);
  if (isConjunction && (!withCount || isCountedByBits)) lists.knowLeastNorms();
  let count = functions.topTerms(
    kernelPace.postings,
    layout.lists,
    lists.count,
    layout.groups,
    context.segment.maxDoc,
    accepted,
    layout.hitScores,
    layout.hitDocs,
    limit,
    least,
    isConjunction ? lists.orderByDocFreq() : 0,
    !withCount || isCountedByBits ? UNCOUNTED : liveDocs === null ? COUNTED : COUNTED_SHARED,
  );
  const hitCount = functions.endTop();
  if (isCountedByBits) count = countAllDense(kernels, false, accepted);
  else if (count < -1) count = sumOfDocFreqs(terms, statistics) - (-2 - count);
  else if (count < 0 && withCount) count = countAny(kernels, accepted);
  return {
    count: withCount ? count : 0,
    matches: null,
    listed: 0,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}

/** Live documents of each term, added up. */
function sumOfDocFreqs(terms: readonly ScoringTerm[], statistics: SegmentStatistics): number {
  let sum = 0;
  for (let i = 0; i < terms.length; i++) {
    const known = terms[i]!.in(statistics);
    if (known !== null) sum += statistics.liveDocFreq(known);
  }
  return sum;
}
