// AssemblyScript. The best documents of one list: blocks that cannot hold any are skipped by their bounds.

import {
  cannotExceed,
  docAt,
  PostingList,
  scoreBlock,
} from "./posting-list";
import { accepts } from "./ranking";
import { addHit, threshold } from "./top-hits";

export function topOfList(list: PostingList): void {
  const end = list.endBlock;
  let block = list.firstBlock;
  while (block < end) {
    block = nextCompetitive(list, block, threshold);
    if (block >= end) return;
    if (!cannotExceed(list, block, threshold)) {
      scoreBlock(list, block);
      collect(list);
    }
    block++;
  }
}

/** First block from `block` on whose bound is above a score; eight bounds are compared at a time. */
export function nextCompetitive(list: PostingList, block: i32, score: f32): i32 {
  if (score < 0) return block;
  const steps = (score - list.boundBase) / list.boundUnit;
  if (steps < 0) return block;
  if (!(steps < 65535)) return list.endBlock;
  // Rounded down and less one, so that rounding never skips a block that could compete.
  const least = <i32>floor(steps) - 1;
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
  let limits = f32x4.splat(threshold);
  for (let first = 0; first < count; first += 4) {
    let above = i32x4.bitmask(f32x4.gt(v128.load(scores + (<usize>first << 2)), limits));
    while (above != 0) {
      const entry = first + ctz(above);
      above &= above - 1;
      const score = load<f32>(scores + (<usize>entry << 2));
      if (score > threshold) {
        const doc = docAt(list, entry);
        if (accepts(doc)) {
          addHit(doc, score);
          limits = f32x4.splat(threshold);
        }
      }
    }
  }
}
