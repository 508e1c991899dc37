import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { SegmentContext } from "../weights/matcher.js";
import { WEIGHT_MIN } from "./plan-lists.js";
import type { KernelRanking } from "./plan-run.js";
import type { RankingRequest } from "./ranking-request.js";

/**
 * `rankInKernels` for a plan that is nothing but one term, with as little around it as possible: many such
 * searches take a microsecond. Null where that function has to do it.
 *
 * @param liveDocFreq documents of the segment that match; counts only if they are asked for
 */
export function rankTerm(
  known: KnownTerm,
  weight: number,
  similarity: Bm25Similarity,
  liveDocFreq: number,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  const { image, liveDocs } = context.segment;
  if (image === null || limit > HITS_MAX || withMatches || decay !== null) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null || !(weight > WEIGHT_MIN)) return null;
  let hitCount = 0;
  if (limit > 0) {
    const { lists } = kernels;
    lists.begin();
    lists.add(known.terms.image!, known.place, weight, similarity, 0, null, true);
    const accepted = liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs);
    const exceeded = known.exceeded(limit, weight, similarity);
    const least = exceeded > leastScore ? exceeded : leastScore;
    hitCount = kernels.topLoneTerm(limit, least, accepted, context.pool.interrupt);
    if (hitCount === limit && exceeded < 0) {
      known.note(limit, kernels.hitScores[limit - 1]!, weight, similarity);
    }
  }
  return {
    count: withCount ? liveDocFreq : 0,
    matches: null,
    listed: 0,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}
