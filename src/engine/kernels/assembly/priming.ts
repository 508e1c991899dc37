// AssemblyScript. A threshold to begin with. Every block has a document that reaches the block's bound,
// so the k-th greatest bound of a list's blocks is a score that k documents reach: what scores less is
// not among the best k (threshold estimation; Mallia, Siedlaczek, Suel and Torres 2020). A list of fewer
// blocks has its best block scored, of which the k-th greatest score does the same.

import { boundOf, isBits, PostingList, scoreBlock } from "./posting-list";
import { listAt, listCount } from "./ranking";

/** Finding the k-th greatest costs more than it spares for more hits than these. */
const HITS_MAX: i32 = 64;

/** A list is worth scoring a block for the threshold if all have so many times its documents. */
const RARER: i64 = 5;

/** u16 or f32 × 64: the greatest bounds or scores so far, ascending. */
let greatest: usize = 0;

export function attachPriming(bounds: usize): void {
  greatest = bounds;
}

/** Whether a list has so many blocks, and finding the k-th greatest bound is worth it. */
export function canPick(list: PostingList, k: i32): bool {
  return k <= HITS_MAX && list.endBlock - list.firstBlock > k;
}

/** A score that at least k documents exceed or reach; -1 if none is known. Right while every document counts. */
export function primedThreshold(k: i32): f32 {
  if (k > HITS_MAX) return -1;
  let best: f32 = -1;
  let postings: i64 = 0;
  for (let index = 0; index < listCount; index++) postings += <i64>listAt(index).docFreq;
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

/** A score that k documents of a list's best block exceed; -1 if it has fewer. */
function primedByBlock(list: PostingList, k: i32): f32 {
  let best = list.firstBlock;
  for (let block = best + 1; block < list.endBlock; block++) {
    if (boundOf(list, block) > boundOf(list, best)) best = block;
  }
  scoreBlock(list, best);
  if (list.count < k) return -1;
  for (let place = 0; place < k; place++) insertScore(place, scoreAt(list, place));
  for (let entry = k; entry < list.count; entry++) {
    const score = scoreAt(list, entry);
    if (score > load<f32>(greatest)) replaceLeastScore(k, score);
  }
  // The next number below, as other documents may score the same; scores are above 0.
  return reinterpret<f32>(reinterpret<u32>(load<f32>(greatest)) - 1);
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

function replaceLeastScore(k: i32, score: f32): void {
  let hole = 0;
  for (; hole + 1 < k && load<f32>(greatest + (<usize>(hole + 1) << 2)) < score; hole++) {
    store<f32>(greatest + (<usize>hole << 2), load<f32>(greatest + (<usize>(hole + 1) << 2)));
  }
  store<f32>(greatest + (<usize>hole << 2), score);
}

/** The k-th greatest 16-bit bound of a list's blocks; see `canPick`. */
export function kthGreatestBound(list: PostingList, k: i32): i32 {
  const bounds = list.bounds;
  for (let place = 0; place < k; place++) {
    insert(place, <i32>load<u16>(bounds + (<usize>(list.firstBlock + place) << 1)));
  }
  let block = list.firstBlock + k;
  let limits = i16x8.splat(<i16>load<u16>(greatest));
  for (; block + 8 <= list.endBlock; block += 8) {
    let above = i16x8.bitmask(i16x8.gt_u(v128.load(bounds + (<usize>block << 1)), limits));
    if (above == 0) continue;
    for (; above != 0; above &= above - 1) replaceLeast(k, <i32>load<u16>(bounds + (<usize>(block + ctz(above)) << 1)));
    limits = i16x8.splat(<i16>load<u16>(greatest));
  }
  for (; block < list.endBlock; block++) replaceLeast(k, <i32>load<u16>(bounds + (<usize>block << 1)));
  return <i32>load<u16>(greatest);
}

/** Adds one of the first k. */
function insert(length: i32, bound: i32): void {
  let hole = length;
  for (; hole > 0 && <i32>load<u16>(greatest + (<usize>(hole - 1) << 1)) > bound; hole--) {
    store<u16>(greatest + (<usize>hole << 1), load<u16>(greatest + (<usize>(hole - 1) << 1)));
  }
  store<u16>(greatest + (<usize>hole << 1), <u16>bound);
}

function replaceLeast(k: i32, bound: i32): void {
  if (bound <= <i32>load<u16>(greatest)) return;
  let hole = 0;
  for (; hole + 1 < k && <i32>load<u16>(greatest + (<usize>(hole + 1) << 1)) < bound; hole++) {
    store<u16>(greatest + (<usize>hole << 1), load<u16>(greatest + (<usize>(hole + 1) << 1)));
  }
  store<u16>(greatest + (<usize>hole << 1), <u16>bound);
}
