// AssemblyScript. The best documents that hold any list: windowed block-max MaxScore (Turtle and Flood
// 1995; Dimopoulos, Nepomnyachiy and Suel 2013; Grand, Muir, Ferenczi and Lin 2020). In each window of
// doc ids the lists that cannot lift a document above the threshold even together are non-essential:
// only documents of the others are candidates.

import { entries, entryAt, keepAccepted, keepHeld } from "./candidates";
import { docAt, entryAtOrAfter, scoreBlock } from "./posting-block";
import {
  PostingList,
  blockAtOrAfter,
  boundOf,
  boundOfBlocks,
  firstDocBound,
  isBits,
  isShort,
  lastDocOf,
  NO_DOC,
  seekBlock,
} from "./posting-list";
import { finish, placed } from "./finish";
import { pace } from "./pace";
import { acceptsAll, boundWithout, listAt, listCount, maxDoc, prunable } from "./ranking";
import { beginCounting, countOfUnion, layOutSparseWindows, topOfSparseWindow } from "./sparse-window";
import { behind } from "./room";
import { isDecaying, threshold } from "./top-hits";
import { areEither, layOutEither, topOfEither } from "./top-of-either";
import { addToSums, collectSums, layOutSums, nextBit } from "./window-sums";

const WINDOW_DOCS: i32 = 4096;
const WINDOW_DOCS_MAX: i32 = 65536;
/** Essential lists with fewer documents than this share of all are sparse (`sparse-window.ts`). */
const SPARSE_SHARE: i32 = 16;
/** Documents that a sparse window shall hold on average. */
const SPARSE_WINDOW_POSTINGS: i64 = 512;
/** How many lists at most: of more, too many are looked up for each document of a sparse window: adding all of them up takes half the time. */
const SPARSE_LISTS_MAX: i32 = 4;
/** Postings that are walked in the time of looking up one document in a list without bits, and in one with bits. */
const WALKED_PER_LOOKUP: i64 = 8;
const WALKED_PER_BIT: i64 = 2;

/** i32 by place: lists by greatest score, and by greatest score in the window. */
let byMax: usize = 0;
let byWindow: usize = 0;

/** @param lists at most */
export function layOutWindows(at: usize, lists: usize): usize {
  byMax = at;
  byWindow = behind(byMax, lists << 2);
  layOutEither(byWindow);
  const sums = behind(byWindow, lists << 2);
  layOutSums(sums);
  return layOutSparseWindows(behind(sums, (WINDOW_DOCS_MAX << 2) + 16));
}

/**
 * Finds the best `k` documents; returns how many any list holds if they are counted on the way, which is
 * cheap for two lists while all documents count, or where the lists together are sparse; else -1.
 */
export function topOfAny(k: i32, isCounting: bool): i32 {
  if (areEither() && (!isCounting || acceptsAll())) return topOfEither(k, isCounting);
  const isCounted = isCounting && canCount();
  beginCounting(isCounted);
  walkWindows(isCounted);
  return isCounted ? countOfUnion() : -1;
}

/** Whether every window will be sparse, and nothing but the documents' lists decides what they score. */
function canCount(): bool {
  if (isDecaying()) return false;
  let postings: i64 = 0;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (isBits(list)) return false;
    postings += <i64>list.docFreq;
  }
  return listCount > 1 && listCount <= SPARSE_LISTS_MAX && postings < <i64>(maxDoc / SPARSE_SHARE);
}

function walkWindows(isCounted: bool): void {
  hasBits = false;
  for (let index = 0; index < listCount; index++) {
    hasBits = hasBits || isBits(listAt(index));
    store<i32>(byMax + (<usize>index << 2), index);
    store<i32>(byWindow + (<usize>index << 2), index);
  }
  sortLists(byMax, false);
  let start = 0;
  while (start < maxDoc) {
    // Where documents are counted, no list is left out.
    const essential = isCounted ? 0 : firstEssentialByMax();
    if (essential == listCount) return;
    start = nextDoc(essential, start);
    if (start == NO_DOC) return;
    if (isCounted) start &= ~63;
    const end = windowEnd(essential, start);
    boundWindow(start, end);
    topOfWindow(start, end, isCounted);
    pace((min(end - start, WINDOW_DOCS) * (listCount - essential)) / WINDOW_DOCS_PER_POSTING);
    start = end;
  }
}

/** The place of the first list that is essential if all are taken at their greatest. */
function firstEssentialByMax(): i32 {
  let sum: f32 = 0;
  for (let place = 0; place < listCount; place++) {
    sum += placed(byMax, place).maxScore;
    if (sum > prunable(threshold)) return place;
  }
  return listCount;
}

/** A lower bound on the next document of the essential lists. */
function nextDoc(essential: i32, start: i32): i32 {
  let next = NO_DOC;
  for (let place = essential; place < listCount; place++) {
    const list = placed(byMax, place);
    if (isBits(list)) {
      next = min(next, nextBit(list, start));
      continue;
    }
    const block = seekBlock(list, start);
    if (block >= list.endBlock) continue;
    let first = max(start, firstDocBound(list, block));
    if (list.loaded == block) first = docAt(list, entryAtOrAfter(list, start));
    next = min(next, first);
  }
  return next;
}

/** Documents of a window that are passed in the time of a posting, about. */
const WINDOW_DOCS_PER_POSTING = 4;
let isSparse: bool = false;
/** Whether a list is nothing but documents. */
let hasBits: bool = false;

function windowEnd(essential: i32, start: i32): i32 {
  isSparse = false;
  if (listCount - essential == 1 && !isBits(placed(byMax, essential))) {
    const list = placed(byMax, essential);
    // The sums have room for no wider window, should rounding make a second list essential in it.
    return min(start + WINDOW_DOCS_MAX, max(start + WINDOW_DOCS, lastDocOf(list, list.block) + 1));
  }
  let postings: i64 = 0;
  for (let place = essential; place < listCount; place++) postings += <i64>placed(byMax, place).docFreq;
  if (hasBits || isDecaying() || listCount > SPARSE_LISTS_MAX || postings >= <i64>(maxDoc / SPARSE_SHARE)) {
    return start + WINDOW_DOCS;
  }
  isSparse = true;
  const docs = ((<i64>maxDoc * SPARSE_WINDOW_POSTINGS) / postings) & ~63;
  return start + <i32>min(<i64>WINDOW_DOCS_MAX, max(<i64>WINDOW_DOCS, docs));
}

/** Bounds every list over the window and puts them in order. */
function boundWindow(start: i32, end: i32): void {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (isBits(list)) {
      list.windowMax = list.boundBase;
      continue;
    }
    let bound: f32 = 0;
    if (isShort(list)) {
      seekBlock(list, start);
      for (let entry = entryAtOrAfter(list, start); entry < list.count && docAt(list, entry) < end; entry++) {
        bound = max(bound, load<f32>(list.scores + (<usize>entry << 2)));
      }
      list.windowMax = bound;
      continue;
    }
    const block = seekBlock(list, start);
    if (block < list.endBlock && firstDocBound(list, block) < end) {
      const last = blockAtOrAfter(list, block, end - 1);
      bound = boundOfBlocks(list, block, min(last + 1, list.endBlock));
    }
    list.windowMax = bound;
  }
  sortLists(byWindow, true);
}

function topOfWindow(start: i32, end: i32, isCounted: bool): void {
  let sum: f32 = 0;
  let essential = 0;
  for (; essential < listCount && !isCounted; essential++) {
    const bound = placed(byWindow, essential).windowMax;
    if (sum + bound > prunable(threshold)) break;
    sum += bound;
  }
  if (essential == listCount) return;
  if (listCount - essential == 1 && !isBits(placed(byWindow, essential))) {
    topOfOneEssential(essential, sum, start, end);
    return;
  }
  let total: f32 = sum;
  for (let place = essential; place < listCount; place++) total += placed(byWindow, place).windowMax;
  if (isSparse) {
    const marked = firstMarked(essential);
    let rest: f32 = 0;
    for (let place = 0; place < marked; place++) rest += placed(byWindow, place).windowMax;
    topOfSparseWindow(byWindow, marked, total, rest, start, end);
    return;
  }
  for (let place = essential; place < listCount; place++) {
    addToSums(placed(byWindow, place), total, start, end);
  }
  collectSums(byWindow, essential, sum, start, end);
}

/** The place of the first list to be walked in a sparse window: single documents are looked up in the ones before. */
function firstMarked(essential: i32): i32 {
  let postings: i64 = 0;
  for (let place = essential; place < listCount; place++) postings += <i64>placed(byWindow, place).docFreq;
  let first = essential;
  while (first > 0) {
    const list = placed(byWindow, first - 1);
    const walked = list.denseBits != 0 ? WALKED_PER_BIT : WALKED_PER_LOOKUP;
    if (<i64>list.docFreq > postings * walked) break;
    postings += <i64>list.docFreq;
    first--;
  }
  return first;
}

/** One list brings all candidates: block by block, narrowed down by the lists that they need. */
function topOfOneEssential(essential: i32, others: f32, start: i32, end: i32): void {
  const list = placed(byWindow, essential);
  const starts = i32x4.splat(start);
  const ends = i32x4.splat(end);
  for (let block = list.block; block < list.endBlock; block++) {
    if (firstDocBound(list, block) >= end) return;
    const bound = boundOf(list, block);
    if (bound + others > prunable(threshold)) {
      scoreBlock(list, block);
      const limits = f32x4.splat(prunable(threshold) - others);
      let count = 0;
      for (let first = 0; first < list.count; first += 4) {
        const docs = v128.load(list.docs + (<usize>first << 2));
        const inWindow = v128.and(i32x4.ge_s(docs, starts), i32x4.lt_s(docs, ends));
        const above = f32x4.gt(v128.load(list.scores + (<usize>first << 2)), limits);
        let lanes = i32x4.bitmask(v128.and(above, inWindow));
        for (; lanes != 0; lanes &= lanes - 1) {
          store<i32>(entries + (<usize>count << 2), first + ctz(lanes));
          count++;
        }
      }
      count = keepAccepted(list, count);
      for (let place = essential - 1; place >= 0 && count > 0; place--) {
        const other = placed(byWindow, place);
        const without = boundWithout(bound + others, other.windowMax);
        // Nothing passes without this list, so its documents are the only ones that count.
        if (without <= prunable(threshold)) count = keepHeld(list, count, other, without, prunable(threshold));
      }
      for (let index = 0; index < count; index++) {
        const entry = entryAt(index);
        finish(byWindow, docAt(list, entry), load<f32>(list.scores + (<usize>entry << 2)), essential, others);
      }
    }
    if (lastDocOf(list, block) >= end - 1) return;
  }
}

/** Puts an order of lists right again by their greatest scores, anywhere or in the window. */
function sortLists(order: usize, isByWindow: bool): void {
  for (let place = 1; place < listCount; place++) {
    const index = load<i32>(order + (<usize>place << 2));
    const score = greatestOf(listAt(index), isByWindow);
    let hole = place;
    for (; hole > 0 && greatestOf(placed(order, hole - 1), isByWindow) > score; hole--) {
      store<i32>(order + (<usize>hole << 2), load<i32>(order + (<usize>(hole - 1) << 2)));
    }
    store<i32>(order + (<usize>hole << 2), index);
  }
}

@inline
function greatestOf(list: PostingList, isByWindow: bool): f32 {
  return isByWindow ? list.windowMax : list.maxScore;
}
