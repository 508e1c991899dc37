import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { SegmentContext } from "../weights/matcher.js";
import { WEIGHT_MIN } from "./plan-lists.js";
import type { KernelRanking } from "./plan-run.js";
import type { RankingToken } from "./ranking-plan.js";
import type { RankingRequest } from "./ranking-request.js";

/** A phrase in one segment. */
export interface RankedPhrase {
  /** Its different terms. */
  readonly terms: readonly KnownTerm[];
  /** By ascending offset, at most `PHRASE_TOKENS_MAX`; a token's list is the place of its term. */
  readonly tokens: readonly RankingToken[];
  /** f32, at least 0. */
  readonly weight: number;
  readonly similarity: Bm25Similarity;
}

/**
 * `rankInKernels` for a plan that is nothing but a phrase, with as little around it as possible: a plan would
 * take as long as many such searches. Null where that function has to do it.
 */
export function rankPhrase(
  { terms, tokens, weight, similarity }: RankedPhrase,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  const { image, liveDocs } = context.segment;
  if (image === null || limit > HITS_MAX || withMatches || decay !== null || !(weight > WEIGHT_MIN))
    return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  const { lists, functions } = kernels;
  kernels.interruptBy(context.pool.interrupt);
  lists.begin();
  for (let i = 0; i < terms.length; i++) {
    const { terms: field, place } = terms[i]!;
    if (!lists.add(field.image!, place, weight, similarity)) return null;
  }
  kernels.prepare();
  functions.accept(liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs));
  const found = kernels.topPhrase(tokens, limit, leastScore, withCount, 0);
  return {
    count: withCount ? found.count : 0,
    matches: null,
    listed: 0,
    kernels,
    hitCount: found.hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}
