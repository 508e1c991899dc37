import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../weights/matcher.js";
import { WEIGHT_MIN } from "./plan-lists.js";
import { type KernelRanking, NO_HITS, type RankingRequest } from "./plan-run.js";
import type { RankingTerm } from "./ranking-plan.js";

/**
 * `rankInKernels` for a plan that is nothing but one term, with as little around it as possible: many such
 * searches take a microsecond. Null where that function has to do it.
 *
 * @param leaf null: the term isn't in the segment
 * @param liveDocFreq documents of the segment that match
 */
export function rankTerm(
  leaf: RankingTerm | null,
  context: SegmentContext,
  request: RankingRequest,
  liveDocFreq: number,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  const { image, liveDocs } = context.segment;
  if (leaf === null) return NO_HITS;
  if (image === null || limit > HITS_MAX || withMatches || decay !== null) return null;
  const { terms, place, weight, similarity } = leaf;
  const kernels = SegmentKernels.over(image);
  if (kernels === null || !(weight > WEIGHT_MIN)) return null;
  let hitCount = 0;
  if (limit > 0) {
    const { lists } = kernels;
    lists.begin();
    const { lengthNorms, averageFieldLength } = similarity;
    lists.add(
      {
        image: terms.image!,
        place,
        weight,
        lengthNorms,
        averageLength: averageFieldLength,
        group: 0,
        word: null,
      },
      true,
    );
    hitCount = kernels.topLoneTerm(limit, leastScore, liveDocs === null ? 0 : kernels.liveBits(liveDocs));
  }
  return {
    count: withCount ? liveDocFreq : 0,
    matches: null,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}
