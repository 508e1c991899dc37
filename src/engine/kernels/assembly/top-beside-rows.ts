// AssemblyScript. The best documents that any list holds, where some lists have rows of score bytes: the documents of
// the others are walked, list by list, which lifts the threshold most; then come those that only rows tell of.

import { entryAt, setEntry, setSum, sumAt, takeAbove } from "./candidates";
import { pace } from "./pace";
import { docAt, freqOfDoc, loadDocs } from "./posting-block";
import {
  BLOCK_SIZE,
  boundOf,
  denseHolds,
  isScored,
  lastDocOf,
  PostingList,
  rewindList,
} from "./posting-list";
import { scoreOfDoc } from "./term-score";
import { acceptsAll, listAt, listCount, maxDoc, prunable, sumOfLists } from "./ranking";
import { aboveOfMany, codeOf, GROUP_DOCS, rowScore, scoreHeld, VECTOR_DOCS, weighRows } from "./score-rows";
import { addHitAnytime, isDecaying, threshold } from "./top-hits";
import { nextCompetitive } from "./top-term";

/** Lists of a search, at most: each candidate is looked for in all of them. */
const LISTS_MAX: i32 = 8;
/** Lists without rows are walked if they have no more documents than this part of all. */
const WALKED_SHARE: i32 = 8;

/** Whether `topBesideRows` may be asked: some lists have rows, the others are scored and have few documents. */
export function isBesideRows(): bool {
  if (!acceptsAll() || isDecaying() || listCount > LISTS_MAX) return false;
  let rows = 0;
  let walked: i64 = 0;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (!isScored(list)) return false;
    if (list.row != 0) rows++;
    else walked += <i64>list.docFreq;
  }
  return listCount > 2 && rows > 0 && rows < listCount && walked <= <i64>(maxDoc / WALKED_SHARE) && weighRows();
}

export function topBesideRows(): void {
  for (let index = 0; index < listCount; index++) listAt(index).isWalked = 0;
  for (;;) {
    const list = nextList();
    if (list === null) break;
    walk(list);
    list.isWalked = 1;
  }
  takeRows();
}

/** Of the lists that are to be walked the one with the greatest scores; null once there is none. */
function nextList(): PostingList | null {
  let best: PostingList | null = null;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.row != 0 || list.isWalked != 0) continue;
    if (best === null || list.maxScore > best.maxScore) best = list;
  }
  return best;
}

/**
 * What other lists from a place on give a document at most, but for lists that have been walked, which don't hold it.
 * Added up anew each time, as what is left of a great bound by subtractions may be too little.
 */
function boundOfOthers(list: PostingList, from: i32): f32 {
  let sum: f32 = 0;
  for (let index = from; index < listCount; index++) {
    const other = listAt(index);
    if (other.isWalked == 0 && changetype<usize>(other) != changetype<usize>(list)) sum += other.maxScore;
  }
  return sum;
}

function walk(list: PostingList): void {
  const others = boundOfOthers(list, 0);
  rewindAll();
  for (let block = list.firstBlock; ; block++) {
    block = nextCompetitive(list, block, prunable(threshold) - others);
    if (block >= list.endBlock) return;
    pace(BLOCK_SIZE);
    if (boundOf(list, block) + others <= prunable(threshold)) continue;
    loadDocs(list, block);
    const count = keepPromising(list, takeAbove(list, prunable(threshold) - others));
    for (let index = 0; index < count; index++) take(list, entryAt(index));
  }
}

/**
 * Keeps the candidates that may be good enough by what the other lists give them, list by list; lists that have been
 * walked are taken not to hold them.
 */
function keepPromising(list: PostingList, taken: i32): i32 {
  for (let index = 0; index < taken; index++) setSum(index, load<f32>(list.scores + (<usize>entryAt(index) << 2)));
  let count = taken;
  for (let index = 0; index < listCount && count > 0; index++) {
    const other = listAt(index);
    if (other.isWalked != 0 || changetype<usize>(other) == changetype<usize>(list)) continue;
    const limit = prunable(threshold) - boundOfOthers(list, index + 1);
    if (other.row != 0) count = addRow(list, other, count, limit);
    else if (other.denseBits != 0) count = addBits(list, other, count, limit);
    else count = addAhead(list, other, count, limit);
  }
  return count;
}

function addRow(list: PostingList, other: PostingList, count: i32, limit: f32): i32 {
  const docs = list.docs;
  const row = other.row;
  const rowScores = other.rowScores;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const code = <usize>load<u8>(row + <usize>load<u32>(docs + (<usize>entry << 2)));
    kept = keepAbove(kept, entry, sumAt(index) + load<f32>(rowScores + (code << 2)), limit);
  }
  return kept;
}

function addBits(list: PostingList, other: PostingList, count: i32, limit: f32): i32 {
  const most = other.maxScore;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const own = <f32>denseHolds(other, docAt(list, entry)) * most;
    kept = keepAbove(kept, entry, sumAt(index) + own, limit);
  }
  return kept;
}

function addAhead(list: PostingList, other: PostingList, count: i32, limit: f32): i32 {
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    kept = keepAbove(kept, entry, sumAt(index) + scoreAhead(other, docAt(list, entry)), limit);
  }
  return kept;
}

@inline
function keepAbove(kept: i32, entry: i32, sum: f32, limit: f32): i32 {
  setEntry(kept, entry);
  setSum(kept, sum);
  return kept + <i32>(sum > limit);
}

/** Takes an entry of the list that is walked. */
function take(list: PostingList, entry: i32): void {
  const doc = docAt(list, entry);
  for (let index = 0; index < listCount; index++) {
    const other = listAt(index);
    if (other.row != 0) {
      other.docScore = scoreHeld(other, codeOf(other, doc), doc);
    } else if (changetype<usize>(other) == changetype<usize>(list)) {
      other.docScore = load<f32>(list.scores + (<usize>entry << 2));
    } else {
      const score = scoreIn(other, doc);
      // It has been looked at with that list's.
      if (score > 0 && other.isWalked != 0) return;
      other.docScore = score;
    }
  }
  const score = sumOfLists();
  if (score >= threshold) addHitAnytime(doc, score);
}

/** What a list without a row gives a document; 0 if it doesn't hold it. Documents ascend since `rewindAll`. */
function scoreIn(list: PostingList, doc: i32): f32 {
  const place = freqOfDoc(list, doc);
  return place == 0 ? 0 : scoreOfDoc(list, doc, place);
}

/** The same for many documents, most of which aren't in a list without bits: it is passed by blocks, by eights and one by one. */
function scoreAhead(list: PostingList, doc: i32): f32 {
  let block = list.block;
  if (block < list.endBlock && lastDocOf(list, block) < doc) {
    do block++;
    while (block < list.endBlock && lastDocOf(list, block) < doc);
    list.block = block;
    list.entry = block << 7;
  }
  if (block == list.endBlock) return 0;
  const docs = list.data;
  const end = list.docFreq;
  let at = list.entry;
  while (at + 8 < end && load<i32>(docs + (<usize>at << 2), 28) < doc) at += 8;
  while (load<i32>(docs + (<usize>at << 2)) < doc) at++;
  list.entry = at;
  return load<i32>(docs + (<usize>at << 2)) == doc ? load<f32>(list.allScores + (<usize>at << 2)) : 0;
}

function rewindAll(): void {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    rewindList(list);
    list.entry = 0;
  }
}

/** Takes the documents that only lists with rows hold. */
function takeRows(): void {
  let sum: f32 = 0;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    list.docScore = 0;
    if (list.row != 0) sum += list.maxScore;
  }
  if (sum <= prunable(threshold)) return;
  rewindAll();
  for (let start = 0; start < maxDoc; start += VECTOR_DOCS) {
    pace(GROUP_DOCS);
    let groups = aboveOfMany(false, start >>> 4, true);
    for (; groups != 0; groups &= groups - 1) {
      const group = start + (ctz(groups) << 4);
      let docs = aboveOfMany(false, group, false);
      for (; docs != 0; docs &= docs - 1) takeOfRows(group + ctz(docs));
    }
  }
}

function takeOfRows(doc: i32): void {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.row != 0) list.docScore = rowScore(list, codeOf(list, doc));
  }
  if (sumOfLists() < threshold) return;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.row != 0) list.docScore = scoreHeld(list, codeOf(list, doc), doc);
    else if (scoreIn(list, doc) > 0) return;
    else list.docScore = 0;
  }
  const score = sumOfLists();
  if (score >= threshold) addHitAnytime(doc, score);
}
