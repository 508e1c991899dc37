// AssemblyScript. The best documents of one list: blocks that cannot hold any are skipped by their bounds.

import { pace } from "./pace";
import { docAt, entryAtOrAfter, loadDocs, scoreBlock } from "./posting-block";
import { BLOCK_SIZE, blockAtOrAfter, denseHolds, PostingList } from "./posting-list";
import { cannotExceed } from "./term-score";
import { bestBlock, canPick, kthGreatestBound } from "./priming";
import { accepts } from "./ranking";
import { addHitAnytime, isDecaying, threshold } from "./top-hits";

/** Above all bounds. */
const NO_PIVOT: i32 = 65536;
const NO_BLOCK: i32 = -1;

/** Whether documents come in any order, so that one as good as the worst hit displaces it if it is before it. */
let takesTies: bool = false;
/** A list whose documents aren't taken, as they have been before; null: all are. Stays if a search is ended. */
let excluded: PostingList | null = null;

/**
 * The best documents of one list that another doesn't hold. Hits may have been found before; not to be asked while
 * scores decay.
 *
 * @param k hits wanted
 */
export function topOfListWithout(list: PostingList, k: i32, other: PostingList): void {
  takesTies = true;
  excluded = other;
  takeBlocks(list, k);
}

/** @param k hits wanted */
export function topOfList(list: PostingList, k: i32): void {
  takesTies = false;
  excluded = null;
  takeBlocks(list, k);
}

/**
 * Blocks with the greatest bounds come first where no threshold is known to begin with: the list has few
 * blocks, or not all documents count. After them the threshold is nearly what it will be.
 */
function takeBlocks(list: PostingList, k: i32): void {
  if (threshold > 0 || k <= 0 || isDecaying()) {
    takeRest(list, NO_PIVOT, NO_BLOCK);
  } else if (canPick(list, k)) {
    const pivot = kthGreatestBound(list, k);
    for (let block = list.firstBlock; block < list.endBlock; block++) {
      block = nextAbove(list, block, pivot - 1);
      if (block < list.endBlock) take(list, block);
    }
    takesTies = true;
    takeRest(list, pivot, NO_BLOCK);
  } else {
    const best = bestBlock(list);
    take(list, best);
    takesTies = true;
    takeRest(list, NO_PIVOT, best);
  }
}

/** Takes the blocks whose bounds are below a pivot, but for one. */
function takeRest(list: PostingList, pivot: i32, taken: i32): void {
  const end = list.endBlock;
  for (let block = list.firstBlock; block < end; block++) {
    const limit = limitOfHits();
    block = nextCompetitive(list, block, limit);
    if (block >= end) return;
    const bound = <i32>load<u16>(list.bounds + (<usize>block << 1));
    if (bound < pivot && block != taken && !cannotExceed(list, block, limit)) take(list, block);
  }
}

function take(list: PostingList, block: i32): void {
  pace(BLOCK_SIZE);
  scoreBlock(list, block);
  collect(list);
}

/** Whether a document has been looked at with another list's. */
function isExcluded(doc: i32): bool {
  return excluded !== null && holds(excluded!, doc);
}

function holds(list: PostingList, doc: i32): bool {
  if (list.denseBits != 0) return denseHolds(list, doc) != 0;
  const block = blockAtOrAfter(list, list.firstBlock, doc);
  if (block >= list.endBlock) return false;
  loadDocs(list, block);
  return docAt(list, entryAtOrAfter(list, doc)) == doc;
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
        if (accepts(doc) && !isExcluded(doc)) {
          addHitAnytime(doc, score);
          limit = limitOfHits();
          limits = f32x4.splat(limit);
        }
      }
    }
  }
}
