// AssemblyScript. Entries of a block, narrowed down to those whose documents other lists hold too.

import { docAt, entryAtOrAfter, loadDocs } from "./posting-block";
import {
  BLOCK_VALUES,
  boundOf,
  denseHolds,
  lastDocOf,
  PostingList,
  seekBlock,
} from "./posting-list";
import { accepts, acceptsAll } from "./ranking";
import { behind } from "./room";

/** i32 × 132: entries of the leading list's loaded block, ascending. */
export let entries: usize = 0;
let narrowed: usize = 0;
/** u8 × 65536, all 0 between calls: by the low half of a doc id, candidate + 1. */
let marks: usize = 0;

/** A block of the other list must have at most one candidate in four for being walked as a whole. */
const WALKED_SHARE: i32 = 4;

export function layOutCandidates(at: usize): usize {
  entries = at;
  narrowed = behind(entries, BLOCK_VALUES << 2);
  marks = behind(narrowed, BLOCK_VALUES << 2);
  return behind(marks, 65536);
}

/** All entries of a block. */
export function takeAll(count: i32): i32 {
  let lanes = i32x4(0, 1, 2, 3);
  const step = i32x4.splat(4);
  for (let entry = 0; entry < count; entry += 4) {
    v128.store(entries + (<usize>entry << 2), lanes);
    lanes = i32x4.add(lanes, step);
  }
  return count;
}

/** The entries of the loaded block whose documents are among bits. */
export function takeDense(list: PostingList, bits: usize): i32 {
  const count = list.count;
  let doc = list.docs;
  let taken = entries;
  for (let entry = 0; entry < count; entry++) {
    const own = load<u32>(doc);
    doc += 4;
    store<i32>(taken, entry);
    taken += <usize>(((<u32>load<u8>(bits + <usize>(own >>> 3)) >>> (own & 7)) & 1) << 2);
  }
  return <i32>((taken - entries) >>> 2);
}

/** The entries that score above a limit. */
export function takeAbove(list: PostingList, limit: f32): i32 {
  const count = list.count;
  const limits = f32x4.splat(limit);
  let taken = 0;
  for (let first = 0; first < count; first += 4) {
    let above = i32x4.bitmask(f32x4.gt(v128.load(list.scores + (<usize>first << 2)), limits));
    for (; above != 0; above &= above - 1) {
      store<i32>(entries + (<usize>taken << 2), first + ctz(above));
      taken++;
    }
  }
  return taken;
}

export function entryAt(index: i32): i32 {
  return load<i32>(entries + (<usize>index << 2));
}

/** Puts an entry among those that `takeNarrowed` makes the candidates. */
export function narrowAt(place: i32, entry: i32): void {
  store<i32>(narrowed + (<usize>place << 2), entry);
}

export function takeNarrowed(count: i32): void {
  // Vectors of four, as the instruction that copies memory calls into the host.
  for (let at: usize = 0; at < <usize>count << 2; at += 16) v128.store(entries + at, v128.load(narrowed + at));
}

/** Marks the candidates by doc id, for `markOf`; `clearMarks` has to follow. */
export function markCandidates(leader: PostingList, count: i32): void {
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    store<u8>(marks + <usize>(docAt(leader, entry) & 0xffff), <u8>(entry + 1));
  }
}

export function clearMarks(leader: PostingList, count: i32): void {
  for (let index = 0; index < count; index++) {
    store<u8>(marks + <usize>(docAt(leader, entryAt(index)) & 0xffff), 0);
  }
}

/** Keeps the candidates whose documents count. */
export function keepAccepted(leader: PostingList, count: i32): i32 {
  if (acceptsAll()) return count;
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    store<i32>(entries + (<usize>kept << 2), entry);
    kept += <i32>accepts(docAt(leader, entry));
  }
  return kept;
}

/**
 * Keeps the candidates whose documents another list holds, unless `others` plus the bound of its block
 * is at most `threshold`.
 */
export function keepHeld(leader: PostingList, count: i32, other: PostingList, others: f32, threshold: f32): i32 {
  if (count == 0) return 0;
  if (other.denseBits != 0) return keepDense(leader, count, other);
  return isWalked(leader, count, other)
    ? keepWalked(leader, count, other, others, threshold)
    : keepSought(leader, count, other, others, threshold);
}

/** Moves a list to where the candidates begin; whether it is better walked past all of them than looked up in. */
export function isWalked(leader: PostingList, count: i32, other: PostingList): bool {
  const first = docAt(leader, entryAt(0));
  const last = docAt(leader, entryAt(count - 1));
  let blocks = WALKED_SHARE;
  for (let block = seekBlock(other, first); block < other.endBlock - 1 && lastDocOf(other, block) < last; block++) {
    blocks += WALKED_SHARE;
    if (blocks > count) return false;
  }
  return blocks <= count && last - first < 65536;
}

function keepDense(leader: PostingList, count: i32, other: PostingList): i32 {
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    store<i32>(entries + (<usize>kept << 2), entry);
    kept += denseHolds(other, docAt(leader, entry));
  }
  return kept;
}

/** Marks the candidates by doc id and streams the other list past them. */
function keepWalked(leader: PostingList, count: i32, other: PostingList, others: f32, threshold: f32): i32 {
  markCandidates(leader, count);
  const first = docAt(leader, entryAt(0));
  const last = docAt(leader, entryAt(count - 1));
  let kept = 0;
  let block = other.block;
  for (; block < other.endBlock; block++) {
    if (others + boundOf(other, block) > threshold) kept = keepOfBlock(other, block, first, last, kept);
    if (lastDocOf(other, block) >= last) break;
  }
  other.block = block;
  clearMarks(leader, count);
  takeNarrowed(kept);
  return kept;
}

/** Takes the marked documents of a block as well. */
function keepOfBlock(other: PostingList, block: i32, first: i32, last: i32, before: i32): i32 {
  loadDocs(other, block);
  let kept = before;
  // Marks are told apart by the low half of the doc id only, so documents out of range are left out.
  let at = 0;
  let end = other.count;
  if (docAt(other, 0) < first) at = entryAtOrAfter(other, first);
  if (lastDocOf(other, block) > last) end = entryAtOrAfter(other, last + 1);
  let doc = other.docs + (<usize>at << 2);
  // Most documents are no candidates, so four are looked at together.
  for (; at + 4 <= end; at += 4) {
    const mark0 = markOf(load<u16>(doc));
    const mark1 = markOf(load<u16>(doc, 4));
    const mark2 = markOf(load<u16>(doc, 8));
    const mark3 = markOf(load<u16>(doc, 12));
    doc += 16;
    if ((mark0 | mark1 | mark2 | mark3) == 0) continue;
    kept = keepMarked(kept, mark0);
    kept = keepMarked(kept, mark1);
    kept = keepMarked(kept, mark2);
    kept = keepMarked(kept, mark3);
  }
  for (; at < end; at++) {
    kept = keepMarked(kept, markOf(load<u16>(doc)));
    doc += 4;
  }
  return kept;
}

/** What is marked at the low half of a doc id: the candidate's entry + 1, or 0. */
export function markOf(half: u16): i32 {
  return <i32>load<u8>(marks + <usize>half);
}

/** Takes the entry of a mark, if there is one. */
function keepMarked(kept: i32, mark: i32): i32 {
  store<i32>(narrowed + (<usize>kept << 2), mark - 1);
  return kept + <i32>(mark != 0);
}

function keepSought(leader: PostingList, count: i32, other: PostingList, others: f32, threshold: f32): i32 {
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const doc = docAt(leader, entry);
    const block = seekBlock(other, doc);
    if (block >= other.endBlock) break;
    if (others + boundOf(other, block) <= threshold) continue;
    loadDocs(other, block);
    store<i32>(entries + (<usize>kept << 2), entry);
    kept += <i32>(docAt(other, entryAtOrAfter(other, doc)) == doc);
  }
  return kept;
}

/**
 * Writes each candidate's rank among the documents of a list with bits, all of which are in it.
 *
 * @param ranks i32 by candidate
 */
export function rankCandidates(ranks: usize, list: PostingList, count: i32, other: PostingList): void {
  const bits = other.denseBits;
  let at: usize = 0;
  let before = 0;
  for (let index = 0; index < count; index++) {
    const doc = docAt(list, entryAt(index));
    const word = bits + (<usize>(doc >>> 6) << 3);
    // The first word of the document's group of 512, before which documents are counted already.
    const group = word - (<usize>((doc >>> 6) & 7) << 3);
    if (at < group) {
      at = group;
      before = load<i32>(other.denseRanks + (<usize>(doc >>> 9) << 2));
    }
    for (; at < word; at += 8) before += <i32>popcnt<i64>(load<i64>(at));
    const rank = before + <i32>popcnt<i64>(load<i64>(word) & (((<i64>1) << (doc & 63)) - 1));
    store<i32>(ranks + (<usize>index << 2), rank);
  }
}
