// AssemblyScript. What TypeScript calls: `segment-kernels.ts` lays out the scratch memory and knows
// the order of the calls.

import { layOutCandidates } from "./candidates";
import { layOutPositions } from "./compare-positions";
import { describePhrase, topOfPhrase } from "./phrase";
import { layOutPair } from "./phrase-pair";
import { layOutPriming, primedThreshold } from "./priming";
import { nextMarked } from "./matches";
import { prepareList } from "./prepare-list";
import { acceptsAll, describe, exactScore, listAt, listCount } from "./ranking";
import { addHit, beginHits, endHits, isDecaying, setDecay, threshold } from "./top-hits";
import { topOfAll } from "./top-of-all";
import { layOutWindows, topOfAny } from "./top-of-any";
import { topOfList } from "./top-term";
import { topOfWord } from "./word";

export { fillLanes } from "./compare-positions";
export { attachWord } from "./word";
export {
  countListedNumbers,
  countListedPaths,
  countNumbers,
  countPaths,
  markDocs,
  markNumbers,
  sumPaths,
} from "./columns";
export { decodeLz4, findRecord, lz4FilledTo, lz4Position, lz4RecordEnd, lz4RecordIsAscii } from "./lz4";
export { countFollowers, markPositions } from "./mark-positions";
export { orderPaths } from "./order-paths";
export { beginPace } from "./pace";
export { accept, acceptNumbers } from "./ranking";
export { sealScored } from "./scored";
export { endHits, setDecay } from "./top-hits";
export { orTermRange, orTerms } from "./variants";
export {
  andBits,
  andNotBits,
  clearBits,
  copyBits,
  countAccepted,
  countBits,
  countCommon,
  docsOfBits,
  orBits,
  orList,
  rankBits,
} from "./matches";

/**
 * Gives kernels the buffers that nobody else uses, from `start` on, a multiple of 64; returns their end. To be called
 * once, before that with 0 to be told how long they are.
 *
 * @param lists of a search, at most
 */
export function layOut(start: usize, lists: usize): usize {
  let at = layOutCandidates(start);
  at = layOutPriming(at);
  at = layOutPair(at);
  at = layOutPositions(at);
  return layOutWindows(at, lists);
}

/** Takes the lists that have been written to the table; all documents count. */
export function prepare(lists: usize, count: i32, groups: usize, maxDoc: i32): void {
  describe(lists, count, groups, maxDoc);
  setDecay(false);
  for (let index = 0; index < listCount; index++) prepareList(listAt(index));
}

function primed(k: i32, least: f32): f32 {
  // Where not all documents count, what both of two lists hold gives a threshold, and the best blocks of one.
  if (isDecaying() || (listCount <= 2 && !acceptsAll())) return least;
  return max(least, primedThreshold(k));
}

/** The best documents of the one list; returns how many. */
export function topTerm(hitScores: usize, hitDocs: usize, k: i32, least: f32): i32 {
  // A threshold that is given is hardly below what could be found out.
  beginHits(hitScores, hitDocs, k, least > 0 ? least : primed(k, least));
  topOfList(listAt(0), k);
  return endHits();
}

/**
 * The best documents that any list holds; `endHits` then gives the number of hits.
 *
 * @param isCounting not 0: whether matches are counted where that is cheap: see `topOfAny`
 */
export function topAny(hitScores: usize, hitDocs: usize, k: i32, least: f32, isCounting: i32): i32 {
  beginHits(hitScores, hitDocs, k, primed(k, least));
  return topOfAny(k, isCounting != 0);
}

/**
 * The best documents that every list holds; returns how many hold them, which is right only if all are
 * counted. `endHits` then gives the number of hits.
 *
 * @param target cleared bits for the matches, if all are counted; 0: not wanted
 */
export function topAll(
  hitScores: usize,
  hitDocs: usize,
  k: i32,
  least: f32,
  order: usize,
  isCounting: i32,
  target: usize,
): i32 {
  beginHits(hitScores, hitDocs, k, least);
  return topOfAll(order, isCounting != 0, target);
}

/**
 * The best documents in which a phrase of the lists' terms occurs; returns the number of matches, which
 * is right only if all are wanted. `endHits` then gives the number of hits.
 */
export function topPhrase(
  hitScores: usize,
  hitDocs: usize,
  k: i32,
  least: f32,
  order: usize,
  tokens: usize,
  tokenCount: i32,
  places: usize,
  isCounting: i32,
  target: usize,
): i32 {
  beginHits(hitScores, hitDocs, k, least);
  describePhrase(tokens, tokenCount, places);
  return topOfPhrase(order, isCounting != 0, target);
}

/**
 * The best documents that hold variants of a word; returns how many hold one. `endHits` then gives the number
 * of hits. See `word.ts`.
 */
export function topWord(
  hitScores: usize,
  hitDocs: usize,
  k: i32,
  least: f32,
  levels: usize,
  levelCount: i32,
  variants: usize,
  variantCount: i32,
): i32 {
  beginHits(hitScores, hitDocs, k, least);
  return topOfWord(levels, levelCount, variants, variantCount);
}

/** The best documents among the bits, or all by doc id if `k` is negative; returns how many. For few of them: each is scored by itself. */
export function topOfBits(hitScores: usize, hitDocs: usize, k: i32, least: f32, bits: usize, words: i32): i32 {
  beginHits(hitScores, hitDocs, k, least);
  const end = bits + (<usize>words << 2);
  for (let at = nextMarked(bits, end); at < end; at = nextMarked(at + 8, end)) {
    const first = <i32>((at - bits) << 3);
    for (let rest = load<u64>(at); rest != 0; rest &= rest - 1) {
      const doc = first + <i32>ctz(rest);
      const score = exactScore(doc);
      if (score > threshold) addHit(doc, score);
    }
  }
  return endHits();
}
