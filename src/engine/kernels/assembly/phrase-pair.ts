// AssemblyScript. Candidates of a phrase by two of its lists, the leading one and another: whether that one
// has their documents, and how often its token stands there where the leading one's wants it. One block of
// the other list after the other, so that each is decoded once.

import {
  clearMarks,
  entryAt,
  isWalked,
  keepHeld,
  markCandidates,
  markOf,
  narrowAt,
  rankCandidates,
  takeNarrowed,
} from "./candidates";
import { docAt, entryAtOrAfter, freqAt, loadDocs } from "./posting-block";
import { BLOCK_VALUES, blockAtOrAfter, boundOf, denseHolds, lastDocOf, PostingList } from "./posting-list";
import { scoreOfDoc } from "./term-score";
import {
  COMPARED_BITS_MAX,
  COMPARED_DISTANCE_MAX,
  COMPARED_MAX,
  countAny,
  countCompared,
} from "./compare-positions";
import { bitsBefore, openBlock, positionBytes, positionStarts } from "./positions";
import { placed } from "./finish";
import { listCount, prunable } from "./ranking";
import { behind } from "./room";
import { threshold } from "./top-hits";

/** Candidates in a block from which on the positions of all its entries are found at once. */
const CROWD: i32 = 6;

/** i32 pairs by candidate in the other list's block at hand: entry there and in the leading block. */
let places: usize = 0;
/** i32 by kept candidate: how often the two tokens stand right. */
let freqs: usize = 0;

/** The leading list's block at hand, and how many of its candidates have been compared. */
let leader: PostingList = changetype<PostingList>(<usize>0);
let leaderBlock: i32 = 0;
let compared: i32 = 0;
/** How many will be, at least; where its positions are, and where each entry's start or 0 (see `positionStarts`). */
let expected: i32 = 0;
let leaderBase: usize = 0;
let leaderStarts: usize = 0;
let other: PostingList = changetype<PostingList>(<usize>0);
let order: usize = 0;
let distance: i32 = 0;
let isCounting: bool = false;
let kept: i32 = 0;

/** i32 by candidate: its rank among the other list's documents, where that has bits. */
let ranks: usize = 0;

export function layOutPair(at: usize): usize {
  places = at;
  freqs = behind(places, BLOCK_VALUES << 3);
  ranks = behind(freqs, BLOCK_VALUES << 2);
  return behind(ranks, BLOCK_VALUES << 2);
}

/**
 * To be called before the first block.
 *
 * @param listOrder i32 by place: the phrase's lists, the leading one and the other first
 * @param offset positions that the other's token stands behind the leading one's
 * @param counts whether matches that score too little are wanted, too
 */
export function beginPairs(listOrder: usize, offset: i32, counts: bool): void {
  order = listOrder;
  leader = placed(order, 0);
  other = placed(order, 1);
  distance = offset;
  isCounting = counts;
}

/**
 * Keeps the candidates of a block of the leading list, which is loaded, that the other list holds with a
 * position `distance` behind one of the leading list's (below 0: before it), unless they score too little
 * for that, or a third list with bits doesn't hold them. `pairFreq` gives how often. Blocks ascend from call to call.
 *
 * @returns how many are kept
 */
export function keepPairs(block: i32, count: i32): i32 {
  leaderBlock = block;
  compared = 0;
  expected = 0;
  leaderStarts = 0;
  kept = 0;
  if (count > 0) {
    if (other.denseBits != 0) matchDense(count);
    else if (isWalked(leader, count, other)) matchWalked(count);
    else matchSought(count);
    takeNarrowed(kept);
  }
  return kept;
}

/** How often the tokens stand right in a kept candidate's document. */
export function pairFreq(index: i32): i32 {
  return load<i32>(freqs + (<usize>index << 2));
}

/** Adds a candidate to those of the other list's block at hand; the next one takes its place unless it counts. */
function place(index: i32, entry: i32, otherEntry: i32): void {
  const at = places + (<usize>index << 3);
  store<i32>(at, otherEntry);
  store<i32>(at, entry, 4);
}

/** By the ranks among the other list's bits. */
function matchDense(count: i32): void {
  const held = keepHeld(leader, count, other, 0, 0);
  if (isCounting) expected = held;
  rankCandidates(ranks, leader, held, other);
  for (let index = 0; index < held; ) {
    const block = load<i32>(ranks + (<usize>index << 2)) >>> 7;
    let waiting = 0;
    for (; index < held; index++) {
      const rank = load<i32>(ranks + (<usize>index << 2));
      if (rank >>> 7 != block) break;
      place(waiting++, entryAt(index), rank & 127);
    }
    compare(waiting, other.firstBlock + block);
  }
}

/** Streams the other list past the marked candidates. */
function matchWalked(count: i32): void {
  markCandidates(leader, count);
  const first = docAt(leader, entryAt(0));
  const last = docAt(leader, entryAt(count - 1));
  let block = other.block;
  for (; block < other.endBlock; block++) {
    if (isCounting || boundOf(other, block) > prunable(threshold)) {
      loadDocs(other, block);
      // Marks are told apart by the low half of the doc id only, so documents out of range are left out.
      const from = docAt(other, 0) < first ? entryAtOrAfter(other, first) : 0;
      const to = lastDocOf(other, block) > last ? entryAtOrAfter(other, last + 1) : other.count;
      compare(placeMarked(from, to), block);
    }
    if (lastDocOf(other, block) >= last) break;
  }
  other.block = block;
  clearMarks(leader, count);
}

/** Takes the marked documents among the entries of the other list's loaded block. */
function placeMarked(from: i32, to: i32): i32 {
  let waiting = 0;
  let entry = from;
  let doc = other.docs + (<usize>from << 2);
  // Most documents are no candidates, so four are looked at together.
  for (; entry + 4 <= to; entry += 4) {
    const mark0 = markOf(load<u16>(doc));
    const mark1 = markOf(load<u16>(doc, 4));
    const mark2 = markOf(load<u16>(doc, 8));
    const mark3 = markOf(load<u16>(doc, 12));
    doc += 16;
    if ((mark0 | mark1 | mark2 | mark3) == 0) continue;
    place(waiting, mark0 - 1, entry);
    waiting += <i32>(mark0 != 0);
    place(waiting, mark1 - 1, entry + 1);
    waiting += <i32>(mark1 != 0);
    place(waiting, mark2 - 1, entry + 2);
    waiting += <i32>(mark2 != 0);
    place(waiting, mark3 - 1, entry + 3);
    waiting += <i32>(mark3 != 0);
  }
  for (; entry < to; entry++) {
    const mark = markOf(load<u16>(doc));
    place(waiting, mark - 1, entry);
    waiting += <i32>(mark != 0);
    doc += 4;
  }
  return waiting;
}

/** Looks the candidates up one by one. */
function matchSought(count: i32): void {
  let block = other.block;
  let waiting = 0;
  for (let index = 0; index < count; index++) {
    const entry = entryAt(index);
    const doc = docAt(leader, entry);
    const own = blockAtOrAfter(other, block, doc);
    if (own != block) {
      compare(waiting, block);
      waiting = 0;
      block = own;
    }
    // Also where the list had ended before this block's candidates.
    if (own >= other.endBlock) break;
    if (!isCounting && boundOf(other, own) <= prunable(threshold)) continue;
    loadDocs(other, own);
    const otherEntry = entryAtOrAfter(other, doc);
    place(waiting, entry, otherEntry);
    waiting += <i32>(docAt(other, otherEntry) == doc);
  }
  compare(waiting, block);
  other.block = block;
}

/** Decodes what leads to the positions of the leading list's block. */
function openLeader(isCrowded: bool): void {
  openBlock(leader, leaderBlock);
  leaderBase = positionBytes(leader, leaderBlock);
  leaderStarts = positionStarts(leader, leaderBlock, isCrowded);
}

/** Keeps those of the placed candidates in whose documents the two tokens stand right. */
function compare(waiting: i32, block: i32): void {
  let count = waiting;
  for (let index = 2; index < listCount; index++) {
    if (placed(order, index).denseBits != 0) count = keepHeldToo(count, placed(order, index));
  }
  if (count > 0 && !isCounting && threshold > 0) count = keepFrequent(count, block);
  if (count == 0) return;
  compared += count;
  if (leaderStarts == 0) openLeader(max(compared, expected) >= CROWD);
  openBlock(other, block);
  const widths = leader.positionWidths;
  const docs = leader.docs;
  const leaderFreqs = leader.freqs;
  const otherFreqs = other.freqs;
  const base = leaderBase;
  const starts = leaderStarts;
  const otherBase = positionBytes(other, block);
  const otherStarts = positionStarts(other, block, count >= CROWD);
  const isNear = distance < COMPARED_DISTANCE_MAX && distance > -COMPARED_DISTANCE_MAX;
  const aheads = i16x8.splat(<i16>max(0, distance));
  const behinds = i16x8.splat(<i16>max(0, -distance));
  let next = kept;
  for (let index = 0; index < count; index++) {
    const at = places + (<usize>index << 3);
    const otherEntry = load<i32>(at);
    const entry = load<i32>(at, 4);
    const doc = load<i32>(docs + (<usize>entry << 2));
    // Both are of the same field, where all positions of a document take as many bits.
    const bits = <u32>load<u8>(widths + <usize>doc);
    const freq = load<i32>(leaderFreqs + (<usize>entry << 2));
    const otherFreq = load<i32>(otherFreqs + (<usize>otherEntry << 2));
    const start =
      starts == 0 ? bitsBefore(leader, leaderBlock, entry) : load<u32>(starts + (<usize>entry << 2));
    const otherStart =
      otherStarts == 0 ? bitsBefore(other, block, otherEntry) : load<u32>(otherStarts + (<usize>otherEntry << 2));
    const found =
      isNear && bits <= COMPARED_BITS_MAX && max(freq, otherFreq) <= COMPARED_MAX
        ? countCompared(base, start, freq, otherBase, otherStart, otherFreq, bits, aheads, behinds)
        : countAny(base, start, freq, otherBase, otherStart, otherFreq, bits, distance);
    narrowAt(next, entry);
    store<i32>(freqs + (<usize>next << 2), found);
    next += <i32>(found > 0);
  }
  kept = next;
}

/** Keeps the placed candidates that a third list holds, which has bits: that is looked up sooner than positions. */
function keepHeldToo(count: i32, third: PostingList): i32 {
  let held = 0;
  for (let index = 0; index < count; index++) {
    const at = places + (<usize>index << 3);
    const entry = load<i32>(at, 4);
    place(held, entry, load<i32>(at));
    held += denseHolds(third, docAt(leader, entry));
  }
  return held;
}

/** Keeps the placed candidates that would score enough if both tokens always stood right. */
function keepFrequent(count: i32, block: i32): i32 {
  let enough = 0;
  for (let index = 0; index < count; index++) {
    const at = places + (<usize>index << 3);
    const otherEntry = load<i32>(at);
    const entry = load<i32>(at, 4);
    const freq = min(freqAt(leader, leaderBlock, entry), freqAt(other, block, otherEntry));
    place(enough, entry, otherEntry);
    enough += <i32>(scoreOfDoc(leader, docAt(leader, entry), freq) > threshold);
  }
  return enough;
}
