// AssemblyScript. A window of doc ids in which the essential lists have few documents, and hardly any
// together: those of several lists are scored one by one, the others by their one list.

import { finish, placed } from "./finish";
import { docAt, entryAtOrAfter, loadDocs, scoreBlock } from "./posting-block";
import { boundOf, firstDocBound, lastDocOf, PostingList } from "./posting-list";
import { accepts, acceptsAll, boundWithout, countAcceptedIn, exactScore, listAt, listCount, prunable } from "./ranking";
import { behind } from "./room";
import { addHitAnytime, threshold } from "./top-hits";

/** Bits × 65536, all 0 between windows: documents of a list, and of several. */
let touched: usize = 0;
let shared: usize = 0;

let isCounted: bool = false;
let counted: i32 = 0;

export function layOutSparseWindows(at: usize): usize {
  touched = at;
  shared = behind(touched, 65536 >>> 3);
  return behind(shared, 65536 >>> 3);
}

/** @param isCounting whether the windows to come have all documents, so that they are counted; they start at multiples of 64 */
export function beginCounting(isCounting: bool): void {
  isCounted = isCounting;
  counted = 0;
}

/** Documents in the windows since `beginCounting`. */
export function countOfUnion(): i32 {
  return counted;
}

/**
 * @param order lists by greatest score in the window; those from place `essential` on bring documents
 * @param total what all lists give at most, and `rest` those that aren't essential
 */
export function topOfSparseWindow(
  order: usize,
  essential: i32,
  total: f32,
  rest: f32,
  start: i32,
  end: i32,
): void {
  let isShared = false;
  // Whether the last list's documents are marked, too, matters only where accepted ones are counted among the marks.
  const needsAll = isCounted && !acceptsAll();
  for (let place = essential; place < listCount; place++) {
    const list = placed(order, place);
    const isFirst = place == essential;
    const isMarked = needsAll || place < listCount - 1;
    if (walkDocuments(list, boundWithout(total, list.windowMax), start, end, !isFirst, isMarked)) isShared = true;
  }
  if (isCounted && !acceptsAll()) counted += countAcceptedIn(touched, start, end);
  if (isShared) takeShared(start, end);
  // The list of the greatest scores first, as it lifts the threshold.
  for (let place = listCount - 1; place >= essential; place--) {
    takeOwn(order, placed(order, place), essential, rest, start, end);
  }
  const bytes = <usize>(((end - start + 63) >>> 6) << 3);
  memory.fill(touched, 0, bytes);
  if (isShared) memory.fill(shared, 0, bytes);
}

/**
 * Compares a list's documents, but those of blocks that can't lead anywhere, with those that are marked, and
 * marks them; whether another list has some of them.
 */
function walkDocuments(
  list: PostingList,
  others: f32,
  start: i32,
  end: i32,
  isCompared: bool,
  isMarked: bool,
): bool {
  let walked = 0;
  let again = 0;
  for (let block = list.block; block < list.endBlock; block++) {
    if (firstDocBound(list, block) >= end) break;
    const last = lastDocOf(list, block);
    if (isCounted || boundOf(list, block) + others > prunable(threshold)) {
      loadDocs(list, block);
      const first = docAt(list, 0) < start ? entryAtOrAfter(list, start) : 0;
      const entryEnd = last >= end ? entryAtOrAfter(list, end) : list.count;
      const docs = list.docs + (<usize>first << 2);
      const docsEnd = list.docs + (<usize>entryEnd << 2);
      if (isCompared) again += compareMarks(docs, docsEnd, start);
      if (isMarked) mark(docs, docsEnd, start);
      walked += entryEnd - first;
    }
    if (last >= end - 1) break;
  }
  if (acceptsAll()) counted += walked - again;
  return again > 0;
}

/** Notes the documents that are marked as shared; returns how many there are. */
function compareMarks(docs: usize, docsEnd: usize, start: i32): i32 {
  const marks = touched;
  let again = 0;
  for (let at = docs; at < docsEnd; at += 4) {
    const offset = load<i32>(at) - start;
    const word = <usize>(offset >>> 5) << 2;
    if (((load<u32>(marks + word) >>> (offset & 31)) & 1) == 0) continue;
    store<u32>(shared + word, load<u32>(shared + word) | (1 << (offset & 31)));
    again++;
  }
  return again;
}

function mark(docs: usize, docsEnd: usize, start: i32): void {
  const marks = touched;
  for (let at = docs; at < docsEnd; at += 4) {
    const offset = load<i32>(at) - start;
    const word = marks + (<usize>(offset >>> 5) << 2);
    store<u32>(word, load<u32>(word) | (1 << (offset & 31)));
  }
}

/** Lookups of single documents start at the window's beginning again. */
function resetProbes(): void {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    list.probeBlock = list.block;
  }
}

/** Scores the documents of several lists. */
function takeShared(start: i32, end: i32): void {
  resetProbes();
  const words = (end - start + 63) >>> 6;
  for (let word = 0; word < words; word++) {
    for (let bits = load<u64>(shared + (<usize>word << 3)); bits != 0; bits &= bits - 1) {
      const doc = start + (word << 6) + <i32>ctz(bits);
      if (!accepts(doc)) continue;
      const score = exactScore(doc);
      if (score >= threshold) addHitAnytime(doc, score);
    }
  }
}

/** Takes the documents that no other essential list has. */
function takeOwn(order: usize, list: PostingList, essential: i32, rest: f32, start: i32, end: i32): void {
  resetProbes();
  const starts = i32x4.splat(start);
  const ends = i32x4.splat(end);
  for (let block = list.block; block < list.endBlock; block++) {
    if (firstDocBound(list, block) >= end) return;
    if (boundOf(list, block) + rest > prunable(threshold)) {
      scoreBlock(list, block);
      let limits = f32x4.splat(prunable(threshold) - rest);
      for (let first = 0; first < list.count; first += 4) {
        const above = f32x4.gt(v128.load(list.scores + (<usize>first << 2)), limits);
        if (!v128.any_true(above)) continue;
        const docs = v128.load(list.docs + (<usize>first << 2));
        const inWindow = v128.and(i32x4.ge_s(docs, starts), i32x4.lt_s(docs, ends));
        for (let lanes = i32x4.bitmask(v128.and(above, inWindow)); lanes != 0; lanes &= lanes - 1) {
          const entry = first + ctz(lanes);
          const doc = docAt(list, entry);
          const offset = doc - start;
          if (((load<u32>(shared + (<usize>(offset >>> 5) << 2)) >>> (offset & 31)) & 1) != 0) continue;
          if (!accepts(doc)) continue;
          const score = load<f32>(list.scores + (<usize>entry << 2));
          if (essential > 0) finish(order, doc, score, essential, rest);
          else if (score >= threshold) addHitAnytime(doc, score);
        }
        limits = f32x4.splat(prunable(threshold) - rest);
      }
    }
    if (lastDocOf(list, block) >= end - 1) return;
  }
}
