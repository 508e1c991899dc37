import type { PostingPlace } from "../../kernels/posting-image.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { WordLevel } from "../../kernels/word-table.js";
import type { SegmentContext } from "../weights/matcher.js";
import { acceptedBits } from "./accepted-documents.js";
import { MATCHES } from "./bitset-uses.js";
import { type KernelRanking, NO_HITS } from "./plan-run.js";
import type { RankingPlan, RankingWord, RankingWordField } from "./ranking-plan.js";
import type { RankingRequest } from "./ranking-request.js";

const STEPS_MAX = 2;
/** Lists that are worth walking one by one if they have fewer documents than this share of all. */
const LISTS_MAX = 16;
const SPARSE_SHARE = 16;

/** A word's variants: their documents are added up window by window rather than list by list. */
interface Variants {
  readonly nearest: readonly WordLevel[];
  readonly farther: readonly WordLevel[];
}

/**
 * Ranks a plan that is one word and nothing else. Null where that is better done with a list for each variant.
 */
export function rankWord(
  kernels: SegmentKernels,
  plan: RankingPlan,
  word: RankingWord,
  context: SegmentContext,
  request: RankingRequest,
): KernelRanking | null {
  const { limit, leastScore, withCount, withMatches, decay } = request;
  if (plan.filters.length > 0 || plan.exclusions.length > 0) return null;
  const variants = variantsOf(word);
  const { nearest, farther } = variants;
  const nearestDocs = postingsOf(nearest);
  // No farther variant's document can be a hit where so many hold a nearest one, here or in other segments.
  const isNear = nearestDocs >= limit || leastScore >= word.fartherScoreMax;
  const hasHits = limit > 0 && (nearest.length > 0 || !isNear);
  if (!hasHits && !withCount && !withMatches) return NO_HITS;
  if (
    isNear &&
    nearest.length > 0 &&
    areBetterAsLists(listCountOf(nearest), nearestDocs, context.segment.maxDoc)
  )
    return null;
  const all = [...nearest, ...farther];
  if (all.length === 0) return NO_HITS;
  if (!kernels.words.takes(all) || all.some(({ weight }) => !(weight > 0))) return null;
  const { functions, lists } = kernels;
  const accepted = acceptedBits(plan, context, kernels);
  const target = kernels.bitsets.addressOf(MATCHES);
  // Documents are counted on the way where all variants are needed.
  const isWhole = hasHits && (!isNear || decay !== null || farther.length === 0);
  let count = 0;
  if (withMatches || (withCount && !isWhole)) count = markVariants(kernels, word, accepted, target);
  let hitCount = 0;
  if (hasHits) {
    lists.begin();
    kernels.prepare();
    functions.accept(accepted);
    if (decay !== null) kernels.decayBy(decay);
    let found = isWhole ? null : kernels.topWord(nearest, limit, leastScore);
    if (found === null || (found.hitCount < limit && leastScore < word.fartherScoreMax)) {
      found = kernels.topWord(all, limit, leastScore);
      count = found.count;
    }
    hitCount = found.hitCount;
  }
  return {
    count: withCount || withMatches ? count : 0,
    matches: withMatches ? kernels.bitsets.at(target) : null,
    listed: 0,
    kernels,
    hitCount,
    hitScores: kernels.hitScores,
    hitDocs: kernels.hitDocs,
  };
}

/** Blocks of single lists can be skipped, and documents that hold several are rare where the lists are few and short. */
export function areBetterAsLists(lists: number, postings: number, maxDoc: number): boolean {
  return lists <= 2 || (lists <= LISTS_MAX && postings * SPARSE_SHARE < maxDoc);
}

function listCountOf(levels: readonly WordLevel[]): number {
  return levels.reduce((sum, { places }) => sum + places.length, 0);
}

/** Overwrites bits with the accepted documents that hold any variant; returns how many there are. */
function markVariants(kernels: SegmentKernels, word: RankingWord, accepted: number, target: number): number {
  const { functions } = kernels;
  const { bitsetBytes } = kernels.layout;
  functions.clearBits(target, bitsetBytes);
  for (const { terms, nearest, farther } of word.fields) {
    kernels.termBits.or(target, terms.image!, nearest);
    for (const { places } of farther) kernels.termBits.or(target, terms.image!, places);
  }
  if (accepted !== 0) functions.andBits(target, accepted, bitsetBytes);
  return functions.countBits(target, bitsetBytes);
}

function variantsOf(word: RankingWord): Variants {
  const { fields } = word;
  const nearest: WordLevel[] = [];
  const farther: WordLevel[] = [];
  for (let field = 0; field < fields.length; field++) {
    addLevel(nearest, word, fields[field]!, 0, fields[field]!.nearest);
  }
  for (let steps = 1; steps <= STEPS_MAX; steps++) {
    for (let field = 0; field < fields.length; field++) {
      for (const level of fields[field]!.farther) {
        if (level.steps === steps) addLevel(farther, word, fields[field]!, steps, level.places);
      }
    }
  }
  return { nearest, farther };
}

function addLevel(
  levels: WordLevel[],
  { inverseDocFreq }: RankingWord,
  { terms, weight, similarity }: RankingWordField,
  steps: number,
  places: readonly PostingPlace[],
): void {
  if (places.length === 0) return;
  const { lengthNorms } = similarity;
  levels.push({ image: terms.image!, weight, lengthNorms, inverseDocFreq, steps, places });
}

function postingsOf(levels: readonly WordLevel[]): number {
  let postings = 0;
  for (const { places } of levels) for (const { docFreq } of places) postings += docFreq;
  return postings;
}
