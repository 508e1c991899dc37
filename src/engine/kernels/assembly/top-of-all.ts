// AssemblyScript. The best documents that hold every list: a block-max conjunction led by the rarest.

import { entryAt, keepAccepted, keepHeld, takeAbove, takeAll } from "./candidates";
import {
  BLOCK_SIZE,
  boundOf,
  docAt,
  firstDocBound,
  freqAt,
  isBits,
  lastDocOf,
  loadDocs,
  PostingList,
  scoreBlock,
  scoreOfDoc,
  seekBlock,
} from "./posting-list";
import { pace } from "./pace";
import { ABSENT, exactScore, listAt, listCount, needsExactScore, probe, prunable } from "./ranking";
import { addHit, threshold } from "./top-hits";
import { nextCompetitive } from "./top-term";

/** Blocks of another list that are looked at for their bound over one block of the leader. */
const BOUND_BLOCKS_MAX: i32 = 24;

/**
 * Finds the best documents, and how many hold every list if all are counted.
 *
 * @param order i32 by place: the lists, rarest first; at least two
 * @param isCounting whether no match may be left out
 */
export function topOfAll(order: usize, isCounting: bool): i32 {
  if (isCounting) return countAndRank(order);
  rank(order);
  return 0;
}

/** Every document that all lists hold is found, and scored where its blocks' bounds let it be among the best. */
function countAndRank(order: usize): i32 {
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
    loadDocs(leader, block);
    let count = keepAccepted(leader, takeAll(leader.count));
    for (let place = 1; place < listCount && count > 0; place++) {
      count = keepHeld(leader, count, ordered(order, place), 0, -1);
    }
    if (count == 0) continue;
    total += count;
    if (boundOf(leader, block) + others <= prunable(threshold)) continue;
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

function rank(order: usize): void {
  const leader = listAt(load<i32>(order));
  let othersMax: f32 = 0;
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

function topOfBlock(order: usize, leader: PostingList, block: i32, others: f32): void {
  let count: i32;
  const isScored = prunable(threshold) > others;
  if (isScored) {
    scoreBlock(leader, block);
    count = takeAbove(leader, prunable(threshold) - others);
  } else {
    loadDocs(leader, block);
    count = takeAll(leader.count);
  }
  count = keepAccepted(leader, count);
  const bound = boundOf(leader, block) + others;
  for (let place = 1; place < listCount && count > 0; place++) {
    const list = ordered(order, place);
    count = keepHeld(leader, count, list, bound - list.windowMax, prunable(threshold));
  }
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

/** A document's score; ABSENT if a list doesn't hold it or it can't pass the threshold. */
function sumOthers(order: usize, doc: i32, own: f32, others: f32): f32 {
  let sum = own;
  let rest = others;
  for (let place = 1; place < listCount; place++) {
    const list = ordered(order, place);
    if (sum + rest <= prunable(threshold)) return ABSENT;
    rest -= list.windowMax;
    const score = probe(list, doc, sum + rest, prunable(threshold));
    if (score < 0) return ABSENT;
    sum += score;
  }
  return needsExactScore() ? exactScore(doc) : sum;
}
