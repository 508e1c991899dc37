// AssemblyScript. The best documents of one list: blocks that cannot hold any are skipped by their bounds.

import {
  cannotExceed,
  docAt,
  PostingList,
  scoreBlock,
} from "./posting-list";
import { canPick, kthGreatestBound } from "./priming";
import { accepts, acceptsAll } from "./ranking";
import { addHitAnytime, isDecaying, threshold } from "./top-hits";

/** Above all bounds. */
const NO_PIVOT: i32 = 65536;

/** Whether documents come in any order, so that one as good as the worst hit displaces it if it is before it. */
let takesTies: bool = false;

/**
 * Blocks with the greatest bounds come first where no threshold is known to begin with, since not all
 * documents count: after them the threshold is nearly what it will be.
 *
 * @param k hits wanted
 */
export function topOfList(list: PostingList, k: i32): void {
  if (!acceptsAll() && !isDecaying() && k > 0 && canPick(list, k)) {
    const pivot = kthGreatestBound(list, k);
    takesTies = false;
    for (let block = list.firstBlock; block < list.endBlock; block++) {
      block = nextAbove(list, block, pivot - 1);
      if (block < list.endBlock) take(list, block);
    }
    takeRest(list, pivot);
  } else {
    takeRest(list, NO_PIVOT);
  }
}

/** Takes the blocks whose bounds are below a pivot. */
function takeRest(list: PostingList, pivot: i32): void {
  const end = list.endBlock;
  takesTies = pivot != NO_PIVOT;
  for (let block = list.firstBlock; block < end; block++) {
    const limit = limitOfHits();
    block = nextCompetitive(list, block, limit);
    if (block >= end) return;
    const bound = <i32>load<u16>(list.bounds + (<usize>block << 1));
    if (bound < pivot && !cannotExceed(list, block, limit)) take(list, block);
  }
}

function take(list: PostingList, block: i32): void {
  scoreBlock(list, block);
  collect(list);
}

/** A score that documents to come must exceed. */
function limitOfHits(): f32 {
  return takesTies && threshold > 0 ? reinterpret<f32>(reinterpret<u32>(threshold) - 1) : threshold;
}

/** First block from `block` on whose bound is above a score; eight bounds are compared at a time. */
export function nextCompetitive(list: PostingList, block: i32, score: f32): i32 {
  if (score < 0) return block;
  const steps = (score - list.boundBase) / list.boundUnit;
  if (steps < 0) return block;
  if (!(steps < 65535)) return list.endBlock;
  // Rounded down and less one, so that rounding never skips a block that could compete.
  const least = <i32>floor(steps) - 1;
  return least < 0 ? block : nextAbove(list, block, least);
}

/** First block from `block` on whose 16-bit bound is above `least`; the end or behind it if there is none. */
function nextAbove(list: PostingList, block: i32, least: i32): i32 {
  if (least < 0) return block;
  const limits = i16x8.splat(<i16>least);
  const bounds = list.bounds;
  for (; block < list.endBlock; block += 8) {
    const above = i16x8.bitmask(i16x8.gt_u(v128.load(bounds + (<usize>block << 1)), limits));
    if (above != 0) return block + ctz(above);
  }
  return list.endBlock;
}

function collect(list: PostingList): void {
  const count = list.count;
  const scores = list.scores;
  let limit = limitOfHits();
  let limits = f32x4.splat(limit);
  for (let first = 0; first < count; first += 4) {
    let above = i32x4.bitmask(f32x4.gt(v128.load(scores + (<usize>first << 2)), limits));
    while (above != 0) {
      const entry = first + ctz(above);
      above &= above - 1;
      const score = load<f32>(scores + (<usize>entry << 2));
      if (score > limit) {
        const doc = docAt(list, entry);
        if (accepts(doc)) {
          addHitAnytime(doc, score);
          limit = limitOfHits();
          limits = f32x4.splat(limit);
        }
      }
    }
  }
}
