// AssemblyScript. A threshold to begin with. Every block has a document that reaches the block's bound,
// so the k-th greatest bound of a list's blocks is a score that k documents reach: what scores less is
// not among the best k (threshold estimation; Mallia, Siedlaczek, Suel and Torres 2020). A list of fewer
// blocks, and every list where not all documents count, has its best block scored, of which the k-th greatest
// score that counts does the same.

import { docAt, scoreBlock } from "./posting-block";
import { boundOf, isBits, PostingList } from "./posting-list";
import { accepts, acceptsAll, listAt, listCount } from "./ranking";
import { behind } from "./room";

/** Finding the k-th greatest costs more than it spares for more hits than these. */
const HITS_MAX: i32 = 64;

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

/** A score that at least k documents that count exceed or reach; -1 if none is known. */
export function primedThreshold(k: i32): f32 {
  if (k > HITS_MAX) return -1;
  let best: f32 = -1;
  const postings = postingsOfAll();
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (isBits(list)) continue;
    const hasBounds = list.endBlock - list.firstBlock >= k;
    const isRarer = <i64>list.docFreq * RARER < postings && list.docFreq >= k;
    if (hasBounds && acceptsAll()) best = max(best, list.floorBase + list.floorUnit * <f32>(kthGreatestBound(list, k) - 1));
    else if (hasBounds || isRarer) best = max(best, exceededByBestBlock(list, k));
  }
  return best;
}

/** A score that k documents that count of a list's best block exceed; -1 if it has fewer. */
function exceededByBestBlock(list: PostingList, k: i32): f32 {
  scoreBlock(list, bestBlock(list));
  let length = 0;
  for (let entry = 0; entry < list.count; entry++) {
    const score = scoreAt(list, entry);
    if (length == k && score <= load<f32>(greatest)) continue;
    if (!accepts(docAt(list, entry))) continue;
    if (length < k) insertScore(length++, score);
    else replaceLeastScore(k, score);
  }
  // The next number below, as other documents may score the same; scores are above 0.
  return length < k ? <f32>-1 : reinterpret<f32>(reinterpret<u32>(load<f32>(greatest)) - 1);
}

/** The block of the greatest bound; of several the first. */
export function bestBlock(list: PostingList): i32 {
  let best = list.firstBlock;
  for (let block = best + 1; block < list.endBlock; block++) {
    if (boundOf(list, block) > boundOf(list, best)) best = block;
  }
  return best;
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
