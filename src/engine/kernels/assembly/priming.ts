// AssemblyScript. A threshold to begin with. Every block has a document that reaches the block's bound,
// so the k-th greatest bound of a list's blocks is a score that k documents reach: what scores less is
// not among the best k (threshold estimation; Mallia, Siedlaczek, Suel and Torres 2020). A list of fewer
// blocks has its best block scored, of which the k-th greatest score does the same.

import { docAt, scoreBlock } from "./posting-block";
import { BLOCK_SIZE, boundOf, isBits, PostingList } from "./posting-list";
import { accepts, listAt, listCount } from "./ranking";
import { behind } from "./room";

/** Finding the k-th greatest costs more than it spares for more hits than these. */
const HITS_MAX: i32 = 64;

/** Scores of a full block fall into so many groups, the greatest of which are compared. */
const SCORE_GROUPS: i32 = 16;

/** A list is worth scoring a block for the threshold if all have so many times its documents. */
const RARER: i64 = 5;

/** f32 × 64: the greatest bounds or scores so far, ascending. */
let greatest: usize = 0;

export function layOutPriming(at: usize): usize {
  greatest = at;
  return behind(at, HITS_MAX << 2);
}

/** Whether a list has so many blocks, and finding the k-th greatest bound is worth it. */
export function canPick(list: PostingList, k: i32): bool {
  return k <= HITS_MAX && list.endBlock - list.firstBlock > k;
}

function postingsOfAll(): i64 {
  let postings: i64 = 0;
  for (let index = 0; index < listCount; index++) postings += <i64>listAt(index).docFreq;
  return postings;
}

/** A score that at least k documents exceed or reach; -1 if none is known. Right while every document counts. */
export function primedThreshold(k: i32): f32 {
  if (k > HITS_MAX) return -1;
  let best: f32 = -1;
  const postings = postingsOfAll();
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.endBlock - list.firstBlock < k) {
      if (<i64>list.docFreq * RARER < postings && list.docFreq >= k && !isBits(list)) best = max(best, primedByBlock(list, k));
    } else {
      best = max(best, list.floorBase + list.floorUnit * <f32>(kthGreatestBound(list, k) - 1));
    }
  }
  return best;
}

/** A score that the `k` best reach where not all documents count: lists' best blocks are scored for it. */
export function primedByAccepted(k: i32): f32 {
  if (k > HITS_MAX) return -1;
  let best: f32 = -1;
  const postings = postingsOfAll();
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    const isRarer = <i64>list.docFreq * RARER < postings && list.docFreq >= k;
    if (isBits(list) || (!isRarer && list.endBlock - list.firstBlock < k)) continue;
    best = max(best, exceededByAccepted(list, k));
  }
  return best;
}

/** A score that k documents that count of a list's best block exceed; -1 if it has fewer. */
function exceededByAccepted(list: PostingList, k: i32): f32 {
  scoreBlock(list, bestBlock(list));
  let length = 0;
  for (let entry = 0; entry < list.count; entry++) {
    const score = scoreAt(list, entry);
    if (length == k && score <= load<f32>(greatest)) continue;
    if (!accepts(docAt(list, entry))) continue;
    if (length < k) insertScore(length++, score);
    else replaceLeastScore(k, score);
  }
  return length < k ? <f32>-1 : below(load<f32>(greatest));
}

/** A score that k documents of a list's best block exceed; -1 if it has fewer. */
function primedByBlock(list: PostingList, k: i32): f32 {
  scoreBlock(list, bestBlock(list));
  if (list.count < k) return -1;
  if (canGroup(list, k)) return exceededByFullBlock(list, k);
  for (let place = 0; place < k; place++) insertScore(place, scoreAt(list, place));
  for (let entry = k; entry < list.count; entry++) replaceLeastScore(k, scoreAt(list, entry));
  return below(load<f32>(greatest));
}

/** The block of the greatest bound; of several the first. */
export function bestBlock(list: PostingList): i32 {
  let best = list.firstBlock;
  for (let block = best + 1; block < list.endBlock; block++) {
    if (boundOf(list, block) > boundOf(list, best)) best = block;
  }
  return best;
}

/** Whether `exceededByFullBlock` may be asked of a list's scored block. */
export function canGroup(list: PostingList, k: i32): bool {
  return list.count == BLOCK_SIZE && k <= SCORE_GROUPS;
}

/** A score that k documents of a list's scored block exceed, hardly less than the greatest such. */
export function exceededByFullBlock(list: PostingList, k: i32): f32 {
  return below(reachedByGroups(list, k));
}

/** The next number below a score, as other documents may score the same; scores are above 0. */
function below(score: f32): f32 {
  return reinterpret<f32>(reinterpret<u32>(score) - 1);
}

/**
 * The k-th greatest of the greatest scores of 16 groups of a full block, which k documents reach: the least of
 * them are taken away until k are left.
 */
function reachedByGroups(list: PostingList, k: i32): f32 {
  let group0 = greatestOfGroup(list.scores);
  let group1 = greatestOfGroup(list.scores + 128);
  let group2 = greatestOfGroup(list.scores + 256);
  let group3 = greatestOfGroup(list.scores + 384);
  const none = f32x4.splat(Infinity);
  let least = none;
  for (let left = SCORE_GROUPS; left >= k; ) {
    least = f32x4.pmin(f32x4.pmin(group0, group1), f32x4.pmin(group2, group3));
    least = f32x4.pmin(least, v128.shuffle<i64>(least, least, 1, 0));
    least = f32x4.pmin(least, v128.shuffle<i32>(least, least, 1, 0, 3, 2));
    const isLeast0 = f32x4.eq(group0, least);
    const isLeast1 = f32x4.eq(group1, least);
    const isLeast2 = f32x4.eq(group2, least);
    const isLeast3 = f32x4.eq(group3, least);
    const low = i32x4.bitmask(isLeast0) | (i32x4.bitmask(isLeast1) << 4);
    const high = i32x4.bitmask(isLeast2) | (i32x4.bitmask(isLeast3) << 4);
    left -= popcnt(low | (high << 8));
    group0 = v128.bitselect(none, group0, isLeast0);
    group1 = v128.bitselect(none, group1, isLeast1);
    group2 = v128.bitselect(none, group2, isLeast2);
    group3 = v128.bitselect(none, group3, isLeast3);
  }
  return f32x4.extract_lane(least, 0);
}

/** Lane by lane the greatest of eight vectors. */
function greatestOfGroup(scores: usize): v128 {
  let greatest = v128.load(scores);
  for (let at: usize = 16; at < 128; at += 16) greatest = f32x4.pmax(greatest, v128.load(scores + at));
  return greatest;
}

function scoreAt(list: PostingList, entry: i32): f32 {
  return load<f32>(list.scores + (<usize>entry << 2));
}

/** Adds one of the first k. */
function insertScore(length: i32, score: f32): void {
  let hole = length;
  for (; hole > 0 && load<f32>(greatest + (<usize>(hole - 1) << 2)) > score; hole--) {
    store<f32>(greatest + (<usize>hole << 2), load<f32>(greatest + (<usize>(hole - 1) << 2)));
  }
  store<f32>(greatest + (<usize>hole << 2), score);
}

/** Takes a score in place of the least, unless it is no greater. */
function replaceLeastScore(k: i32, score: f32): void {
  if (score <= load<f32>(greatest)) return;
  let hole = 0;
  for (; hole + 1 < k && load<f32>(greatest + (<usize>(hole + 1) << 2)) < score; hole++) {
    store<f32>(greatest + (<usize>hole << 2), load<f32>(greatest + (<usize>(hole + 1) << 2)));
  }
  store<f32>(greatest + (<usize>hole << 2), score);
}

/** The k-th greatest 16-bit bound of a list's blocks; see `canPick`. */
export function kthGreatestBound(list: PostingList, k: i32): i32 {
  const bounds = list.bounds;
  for (let place = 0; place < k; place++) insertScore(place, boundAt(bounds, list.firstBlock + place));
  let block = list.firstBlock + k;
  let limits = i16x8.splat(<i16><i32>load<f32>(greatest));
  for (; block + 8 <= list.endBlock; block += 8) {
    let above = i16x8.bitmask(i16x8.gt_u(v128.load(bounds + (<usize>block << 1)), limits));
    if (above == 0) continue;
    for (; above != 0; above &= above - 1) replaceLeastScore(k, boundAt(bounds, block + ctz(above)));
    limits = i16x8.splat(<i16><i32>load<f32>(greatest));
  }
  for (; block < list.endBlock; block++) replaceLeastScore(k, boundAt(bounds, block));
  return <i32>load<f32>(greatest);
}

/** A number of 16 bits, which a float holds. */
function boundAt(bounds: usize, block: i32): f32 {
  return <f32>(<i32>load<u16>(bounds + (<usize>block << 1)));
}
