import { HITS_MAX } from "../../kernels/scratch-layout.js";
import { kernelPace, SegmentKernels } from "../../kernels/segment-kernels.js";
import type { SegmentContext } from "../weights/matcher.js";
import { MATCHES } from "./bitset-uses.js";
import { WEIGHT_MIN } from "./plan-lists.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import { areBetterAsLists } from "./rank-word.js";
import type { RankingWordField } from "./ranking-plan.js";
import type { RankingRequest } from "./ranking-request.js";

/** A word with variants in the segment. */
export interface RankedWord {
  readonly inverseDocFreq: number;
  readonly fields: readonly RankingWordField[];
  /** What documents that hold none of the nearest variants score at most. */
  readonly fartherScoreMax: number;
}

/**
 * `rankInKernels` for a plan that is nothing but a word of few nearest variants, with as little around it as
 * possible. Null where that function has to do it, as documents of farther variants may be among the best, too.
 */
export function rankVariants(
  { inverseDocFreq, fields, fartherScoreMax }: RankedWord,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  const { image, liveDocs, maxDoc } = context.segment;
  if (image === null || limit > HITS_MAX || limit === 0 || withMatches || decay !== null) return null;
  const kernels = SegmentKernels.over(image);
  if (kernels === null) return null;
  let listCount = 0;
  let postings = 0;
  let hasFarther = false;
  for (let field = 0; field < fields.length; field++) {
    const { nearest, farther } = fields[field]!;
    for (let i = 0; i < nearest.length; i++) postings += nearest[i]!.docFreq;
    listCount += nearest.length;
    hasFarther ||= farther.length > 0;
  }
  if (hasFarther && postings < limit && leastScore < fartherScoreMax) return null;
  if (!areBetterAsLists(listCount, postings, maxDoc)) return null;
  const { lists, layout, functions } = kernels;
  const accepted = liveDocs === null ? 0 : kernels.bitsets.ofLive(liveDocs);
  let hitCount = 0;
  let count = -1;
  if (listCount > 0) {
    lists.begin();
    for (let field = 0; field < fields.length; field++) {
      if (!addNearest(kernels, fields[field]!, { word: 0, field, inverseDocFreq })) return null;
    }
    if (listCount === 1) {
      hitCount = kernels.topLoneTerm(limit, leastScore, accepted, context.pool.interrupt);
      if (accepted === 0) count = postings;
    } else {
      kernels.interruptedBy(context.pool.interrupt);
      count = functions.topTerms(
        kernelPace.postings,
        layout.lists,
        listCount,
        layout.groups,
        maxDoc,
        accepted,
        layout.hitScores,
        layout.hitDocs,
        limit,
        leastScore,
        0,
        withCount && !hasFarther ? 1 : 0,
      );
      hitCount = functions.endTop();
    }
    if (hasFarther && hitCount < limit && leastScore < fartherScoreMax) return null;
  } else if (!withCount) return NO_HITS;
  if (withCount && (hasFarther || count < 0)) count = countVariants(kernels, fields, accepted);
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

function addNearest(
  { lists }: SegmentKernels,
  { terms, weight, similarity, nearest }: RankingWordField,
  word: { readonly word: number; readonly field: number; readonly inverseDocFreq: number },
): boolean {
  if (!(weight > WEIGHT_MIN)) return false;
  for (let variant = 0; variant < nearest.length; variant++) {
    if (!lists.add(terms.image!, nearest[variant]!, weight, similarity, 0, word)) return false;
  }
  return true;
}

/** Accepted documents that hold any variant. */
function countVariants(
  kernels: SegmentKernels,
  fields: readonly RankingWordField[],
  accepted: number,
): number {
  const { functions } = kernels;
  const { bitsetBytes } = kernels.layout;
  const target = kernels.bitsets.addressOf(MATCHES);
  functions.clearBits(target, bitsetBytes);
  for (const { terms, nearest, farther } of fields) {
    if (nearest.length > 0) kernels.termBits.or(target, terms.image!, nearest);
    for (const { places } of farther) kernels.termBits.or(target, terms.image!, places);
  }
  return accepted === 0
    ? functions.countBits(target, bitsetBytes)
    : functions.countCommon(target, accepted, bitsetBytes);
}
