// AssemblyScript. The best documents that hold every list: a block-max conjunction led by the rarest.

import { entryAt, keepAccepted, keepHeld, takeAbove, takeAll, takeDense } from "./candidates";
import { setBit } from "./matches";
import { docAt, freqAt, loadDocs, scoreBlock } from "./posting-block";
import {
  BLOCK_SIZE,
  boundOf,
  firstDocBound,
  isBits,
  lastDocOf,
  NO_SCORE,
  PostingList,
  seekBlock,
} from "./posting-list";
import { scoreOfDoc } from "./term-score";
import { pace } from "./pace";
import { ABSENT, boundWithout, listAt, listCount, probe, prunable, sumOfLists } from "./ranking";
import { addHit, threshold, wantsHits } from "./top-hits";
import { nextCompetitive } from "./top-term";

/** Blocks of another list that are looked at for their bound over one block of the leader. */
const BOUND_BLOCKS_MAX: i32 = 24;
/** A block's documents are scored all at once if more than these are to be scored. */
const SCORED_SINGLY_MAX: i32 = 16;
/** Fewer than these of a block's documents are scored in less time than all of them. */
const HELD_SHARE_FEW: f32 = 0.1;
/** See `isSought`. */
const SOUGHT_RATIO: i64 = 8;

/**
 * Finds the best documents, and how many hold every list if all are counted.
 *
 * @param order i32 by place: the lists, rarest first; at least two
 * @param isCounting whether no match may be left out
 * @param target cleared bits for the matches, if all are counted; 0: not wanted
 */
export function topOfAll(order: usize, isCounting: bool, target: usize = 0): i32 {
  if (isCounting) return countAndRank(order, target);
  rank(order);
  return 0;
}

/** Every document that all lists hold is found, and scored where its blocks' bounds let it be among the best. */
function countAndRank(order: usize, target: usize): i32 {
  const leader = listAt(load<i32>(order));
  let total = 0;
  let others: f32 = 0;
  for (let place = 1; place < listCount; place++) {
    const list = ordered(order, place);
    list.windowMax = list.maxScore;
    others += list.maxScore;
  }
  for (let block = leader.firstBlock; block < leader.endBlock; block++) {
    pace(BLOCK_SIZE * listCount);
    const count = takeHeld(order, leader, block, 0, NO_SCORE);
    if (count == 0) continue;
    total += count;
    if (target != 0) markEntries(leader, count, target);
    if (!wantsHits() || boundOf(leader, block) + others <= prunable(threshold)) continue;
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const doc = docAt(leader, entry);
      const own = scoreOfDoc(leader, doc, freqAt(leader, block, entry));
      const score = sumOthers(order, doc, own, others);
      if (score > threshold) addHit(doc, score);
    }
  }
  return total;
}

function markEntries(leader: PostingList, count: i32, target: usize): void {
  for (let index = 0; index < count; index++) setBit(target, docAt(leader, entryAt(index)));
}

function rank(order: usize): void {
  const leader = listAt(load<i32>(order));
  let othersMax: f32 = 0;
  heldShare = 0;
  for (let place = 1; place < listCount; place++) othersMax += ordered(order, place).maxScore;
  let block = leader.firstBlock;
  for (;;) {
    block = nextCompetitive(leader, block, prunable(threshold) - othersMax);
    if (block >= leader.endBlock) return;
    pace(BLOCK_SIZE * listCount);
    const others = boundOthers(order, firstDocBound(leader, block), lastDocOf(leader, block));
    if (others < 0) return;
    if (boundOf(leader, block) + others > prunable(threshold)) topOfBlock(order, leader, block, others);
    block++;
  }
}

function ordered(order: usize, place: i32): PostingList {
  return listAt(load<i32>(order + (<usize>place << 2)));
}

/** Bounds each other list over a range of documents and returns their sum; -1 if one has ended. */
function boundOthers(order: usize, first: i32, last: i32): f32 {
  let sum: f32 = 0;
  for (let place = 1; place < listCount; place++) {
    const list = ordered(order, place);
    if (isBits(list)) {
      list.windowMax = list.boundBase;
      sum += list.boundBase;
      continue;
    }
    let block = seekBlock(list, first);
    const end = list.endBlock;
    if (block >= end) return -1;
    let bound = boundOf(list, block);
    for (let seen = 1; block < end - 1 && lastDocOf(list, block) < last; seen++) {
      if (seen == BOUND_BLOCKS_MAX) {
        bound = list.maxScore;
        break;
      }
      bound = max(bound, boundOf(list, ++block));
    }
    list.windowMax = bound;
    sum += bound;
  }
  return sum;
}

/** The entries of a leader's block whose documents count and all lists hold, but for what `keepHeld` leaves out. */
function takeHeld(order: usize, leader: PostingList, block: i32, bound: f32, limit: f32): i32 {
  loadDocs(leader, block);
  const first = ordered(order, 1);
  const isDense = first.denseBits != 0;
  const count = keepAccepted(leader, isDense ? takeDense(leader, first.denseBits) : takeAll(leader.count));
  return keepHeldByAll(order, leader, count, isDense ? 2 : 1, bound, limit);
}

function keepHeldByAll(order: usize, leader: PostingList, taken: i32, from: i32, bound: f32, limit: f32): i32 {
  let count = taken;
  for (let place = from; place < listCount && count > 0; place++) {
    const list = ordered(order, place);
    count = keepHeld(leader, count, list, boundWithout(bound, list.windowMax), limit);
  }
  return count;
}

/**
 * Documents that the other lists hold are found first and scored by themselves if they are likely to be few;
 * else, or where they would have to be sought one by one, only those that score enough are looked for.
 */
function topOfBlock(order: usize, leader: PostingList, block: i32, others: f32): void {
  const limit = prunable(threshold);
  const bound = boundOf(leader, block) + others;
  let count: i32;
  if (limit > others && isScoredFirst(order, leader)) {
    scoreBlock(leader, block);
    const taken = keepAccepted(leader, takeAbove(leader, limit - others));
    count = keepHeldByAll(order, leader, taken, 1, bound, limit);
    if (taken > 0) noteHeld(taken, count);
  } else {
    count = takeHeld(order, leader, block, bound, limit);
    noteHeld(leader.count, count);
  }
  if (count > SCORED_SINGLY_MAX) scoreBlock(leader, block);
  const isScored = leader.scored == block && leader.loaded == block;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const doc = docAt(leader, entry);
    const own = isScored
      ? load<f32>(leader.scores + (<usize>entry << 2))
      : scoreOfDoc(leader, doc, freqAt(leader, block, entry));
    const score = sumOthers(order, doc, own, others);
    if (score > threshold) addHit(doc, score);
  }
}

/** Whether documents that score enough by the leader are likely to be fewer than those that the other lists hold. */
function isScoredFirst(order: usize, leader: PostingList): bool {
  return heldShare > HELD_SHARE_FEW || isSought(leader, ordered(order, 1));
}

/** What share of the leader's documents the other lists hold, as the last blocks had it. */
let heldShare: f32 = 0;

function noteHeld(taken: i32, held: i32): void {
  heldShare = <f32>0.75 * heldShare + (<f32>0.25 * <f32>held) / <f32>taken;
}

/** Whether a list is so much longer than the leader that its blocks aren't walked for one of the leader's. */
function isSought(leader: PostingList, other: PostingList): bool {
  return other.denseBits == 0 && <i64>other.docFreq > <i64>leader.docFreq * SOUGHT_RATIO;
}

/** A document's score; ABSENT if a list doesn't hold it or it can't pass the threshold. */
function sumOthers(order: usize, doc: i32, own: f32, others: f32): f32 {
  let sum = own;
  let rest = others;
  for (let place = 1; place < listCount; place++) {
    const list = ordered(order, place);
    if (sum + rest <= prunable(threshold)) return ABSENT;
    rest = boundWithout(rest, list.windowMax);
    const score = probe(list, doc, sum + rest, prunable(threshold));
    if (score < 0) return ABSENT;
    list.docScore = score;
    sum += score;
  }
  if (listCount == 2) return sum;
  ordered(order, 0).docScore = own;
  return sumOfLists();
}
