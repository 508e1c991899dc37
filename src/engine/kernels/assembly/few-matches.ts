// AssemblyScript. All matches of a search that has few, as a list by doc id, and the best of them: each is scored,
// list after list, so that nothing takes time for the documents of the whole segment.
//
// One group's documents are the candidates, which `FEW_MAX` of `scratch-layout.ts` bounds. They are numbered through
// a bitset that is all 0 but for theirs: a document's number is the number of the first candidate in its 64 bits and
// the bits before its own. So another list is matched with them without a branch for each posting.

import { entryAt, takeDense } from "./candidates";
import { nextMarked } from "./matches";
import { pace } from "./pace";
import { docAt, freqAt, freqOfDoc, loadDocs, scoreBlock } from "./posting-block";
import { BLOCK_SIZE, denseRank, isBits, isNumbers, PostingList } from "./posting-list";
import { accepts, acceptsAll, groupOf, listAt, listCount, maxDoc, numberOf } from "./ranking";
import { behind } from "./room";
import { scoreOfDoc } from "./term-score";
import { addHit, threshold, wantsHits } from "./top-hits";

/** A list with more postings than so many for each candidate is asked for these one by one. */
const POSTINGS_PER_LOOKUP: i32 = 16;
/** Postings that are passed in the time of looking up a document. */
const LOOKUP_POSTINGS: i32 = 8;
/** A block of which one entry in so many is a candidate's is scored whole, at once. */
const SCORED_SHARE: i32 = 4;
/** A candidate that lacks what it has to have: no score lifts it. */
const OUT: f32 = -Infinity;

/** By doc id: whether it is a candidate. */
let bits: usize = 0;
/** A bit for each 64 documents: whether one of them is a candidate. All 0 but while they are marked. */
let marked: usize = 0;
/** u16 for each 64 documents that have a candidate: the number of the first. */
let firsts: usize = 0;
/** u32 by number: the candidates, ascending, whose bits are set. */
let candidates: usize = 0;
/** f32 by number: what the group at hand gives, and the groups before it; whole vectors. */
let sums: usize = 0;
let totals: usize = 0;
/** i32: numbers of those that a list holds. */
let taken: usize = 0;
let candidateCount: i32 = 0;
/** Candidates that aren't out. */
let left: i32 = 0;
/** Whether marking was begun and not ended, so that nobody knows which bits are set. */
let isMarking: bool = false;

/** @param few candidates at most */
export function layOutFew(at: usize, bitsetBytes: usize, few: usize): usize {
  bits = at;
  marked = behind(bits, bitsetBytes);
  firsts = behind(marked, (bitsetBytes >>> 6) + 8);
  candidates = behind(firsts, bitsetBytes >>> 2);
  sums = behind(candidates, few << 2);
  totals = behind(sums, few << 2);
  taken = behind(totals, few << 2);
  return behind(taken, few << 2);
}

/**
 * Takes all matches as hits; returns how many there are.
 *
 * @param leading the group whose documents are the candidates, none of whose lists is mere bits or numbers; -1: all
 *   groups', of which none is required
 * @param required by group a bit: whether a document must match it
 * @param found room for the matches, u32 by doc id
 */
export function topOfFew(leading: i32, required: u32, found: usize): i32 {
  if (listCount == 1) return topOfOnly(listAt(0), found);
  forgetCandidates();
  isMarking = true;
  for (let index = 0; index < listCount; index++) {
    if (leading < 0 || groupOf(index) == leading) markDocsOf(listAt(index));
  }
  numberCandidates();
  return scoreCandidates(required, found);
}

/** The best of matches that are known, as bits that end with a group of 512; they are as many as there is room for. */
export function topOfFewBits(matches: usize, words: i32, found: usize): i32 {
  forgetCandidates();
  isMarking = true;
  const end = matches + (<usize>words << 2);
  for (let at = nextMarked(matches, end); at < end; at = nextMarked(at + 8, end)) {
    numberWord(<i32>((at - matches) >>> 3), load<u64>(at));
  }
  endNumbering();
  return scoreCandidates(0, found);
}

function scoreCandidates(required: u32, found: usize): i32 {
  left = candidateCount;
  for (let index = 0; index < listCount && left > 0; ) {
    const group = groupOf(index);
    for (; index < listCount && groupOf(index) == group; index++) addList(listAt(index));
    endGroup(((required >>> group) & 1) != 0);
  }
  return left == 0 ? 0 : takeMatches(found);
}

/** A list by itself has its documents in order. */
function topOfOnly(list: PostingList, found: usize): i32 {
  const areAll = acceptsAll();
  const withHits = wantsHits();
  let count = 0;
  for (let block = list.firstBlock; block < list.endBlock; block++) {
    pace(BLOCK_SIZE);
    if (withHits) scoreBlock(list, block);
    else loadDocs(list, block);
    for (let entry = 0; entry < list.count; entry++) {
      const doc = docAt(list, entry);
      if (!areAll && !accepts(doc)) continue;
      store<i32>(found + (<usize>count << 2), doc);
      count++;
      if (!withHits) continue;
      const score = load<f32>(list.scores + (<usize>entry << 2));
      if (score > threshold) addHit(doc, score);
    }
  }
  return count;
}

/** Clears the bits of the search before, wherever it was left. */
function forgetCandidates(): void {
  if (isMarking) {
    const words = <usize>((maxDoc + 63) >>> 6);
    memory.fill(bits, 0, words << 3);
    memory.fill(marked, 0, ((words + 63) >>> 6) << 3);
  } else {
    for (let number = 0; number < candidateCount; number++) {
      store<u64>(bits + (<usize>(candidateAt(number) >>> 6) << 3), 0);
    }
  }
  candidateCount = 0;
}

function markDocsOf(list: PostingList): void {
  for (let block = list.firstBlock; block < list.endBlock; block++) {
    loadDocs(list, block);
    for (let entry = 0; entry < list.count; entry++) {
      const doc = docAt(list, entry);
      const word = bits + (<usize>(doc >>> 6) << 3);
      store<u64>(word, load<u64>(word) | ((<u64>1) << (doc & 63)));
      const mark = marked + (<usize>(doc >>> 12) << 3);
      store<u64>(mark, load<u64>(mark) | ((<u64>1) << ((doc >>> 6) & 63)));
    }
  }
}

/** Numbers the marked documents that count, and unmarks the others. */
function numberCandidates(): void {
  const marks = (maxDoc + 4095) >>> 12;
  for (let mark = 0; mark < marks; mark++) {
    const at = marked + (<usize>mark << 3);
    let words = load<u64>(at);
    if (words == 0) continue;
    store<u64>(at, 0);
    for (; words != 0; words &= words - 1) {
      const word = (mark << 6) + <i32>ctz(words);
      numberWord(word, acceptedAmong(word, load<u64>(bits + (<usize>word << 3))));
    }
  }
  endNumbering();
}

/** Those of 64 documents that count. */
function acceptedAmong(word: i32, own: u64): u64 {
  if (acceptsAll()) return own;
  let kept: u64 = 0;
  for (let rest = own; rest != 0; rest &= rest - 1) {
    if (accepts((word << 6) + <i32>ctz(rest))) kept |= rest & (0 - rest);
  }
  return kept;
}

/** Makes candidates of some of 64 documents; words ascend. */
function numberWord(word: i32, own: u64): void {
  store<u64>(bits + (<usize>word << 3), own);
  store<u16>(firsts + (<usize>word << 1), <u16>candidateCount);
  for (let rest = own; rest != 0; rest &= rest - 1) {
    store<i32>(candidates + (<usize>candidateCount << 2), (word << 6) + <i32>ctz(rest));
    candidateCount++;
  }
}

function endNumbering(): void {
  isMarking = false;
  const bytes = vectorBytes();
  for (let at: usize = 0; at < bytes; at += 16) {
    v128.store(sums + at, f32x4.splat(0));
    v128.store(totals + at, f32x4.splat(0));
  }
  // What fills the last vector up is no candidate.
  for (let at = <usize>candidateCount << 2; at < bytes; at += 4) store<f32>(totals + at, OUT);
}

/** What a value for each candidate takes, whole vectors. */
function vectorBytes(): usize {
  return <usize>((candidateCount + 3) & ~3) << 2;
}

/** Adds what a list gives to the candidates. */
function addList(list: PostingList): void {
  if (isBits(list) || isNumbers(list)) addConstant(list);
  else if (list.denseBits != 0 || list.docFreq > left * POSTINGS_PER_LOOKUP) addLookedUp(list);
  else addWalked(list);
}

function addConstant(list: PostingList): void {
  const score = list.boundBase;
  if (isBits(list)) {
    const count = takeHeld(list);
    for (let index = 0; index < count; index++) addTo(numberAt(index), score);
    return;
  }
  for (let number = 0; number < candidateCount; number++) {
    const own = numberOf(list.data, list.numberWidth, candidateAt(number));
    addTo(number, own - list.firstNumber < list.numberRange ? score : 0);
  }
}

function addLookedUp(list: PostingList): void {
  pace(left * LOOKUP_POSTINGS);
  if (list.denseBits != 0) {
    const count = takeHeld(list);
    for (let index = 0; index < count; index++) {
      const number = numberAt(index);
      const doc = candidateAt(number);
      const rank = denseRank(list, doc);
      addTo(number, scoreOfDoc(list, doc, freqAt(list, list.firstBlock + (rank >>> 7), rank & 127)));
    }
    return;
  }
  for (let number = 0; number < candidateCount; number++) {
    if (isOut(number)) continue;
    const doc = candidateAt(number);
    const freq = freqOfDoc(list, doc);
    if (freq != 0) addTo(number, scoreOfDoc(list, doc, freq));
  }
}

/** Takes the candidates that a list with bits holds and that aren't out; returns how many there are. */
function takeHeld(list: PostingList): i32 {
  const heldBits = list.denseBits;
  let at = taken;
  for (let number = 0; number < candidateCount; number++) {
    const doc = candidateAt(number);
    store<i32>(at, number);
    const holds = (<u32>load<u8>(heldBits + <usize>(doc >>> 3)) >>> (doc & 7)) & 1;
    at += <usize>(holds & <u32>!isOut(number)) << 2;
  }
  return <i32>((at - taken) >>> 2);
}

function numberAt(index: i32): i32 {
  return load<i32>(taken + (<usize>index << 2));
}

function addWalked(list: PostingList): void {
  for (let block = list.firstBlock; block < list.endBlock; block++) {
    pace(BLOCK_SIZE);
    loadDocs(list, block);
    const count = takeDense(list, bits);
    if (count * SCORED_SHARE > list.count) scoreBlock(list, block);
    const isKnown = list.scored == block;
    for (let index = 0; index < count; index++) {
      const entry = entryAt(index);
      const doc = docAt(list, entry);
      const score = isKnown
        ? load<f32>(list.scores + (<usize>entry << 2))
        : scoreOfDoc(list, doc, freqAt(list, block, entry));
      addTo(numberOfCandidate(doc), score);
    }
  }
}

/** Adds the group's sums to those of the groups before it, as `exactScore` does. */
function endGroup(isRequired: bool): void {
  const none = f32x4.splat(0);
  const out = f32x4.splat(OUT);
  const bytes = vectorBytes();
  left = <i32>(bytes >>> 2);
  for (let at: usize = 0; at < bytes; at += 16) {
    const sum = v128.load(sums + at);
    let total = f32x4.add(v128.load(totals + at), sum);
    if (isRequired) total = v128.bitselect(out, total, f32x4.eq(sum, none));
    v128.store(totals + at, total);
    v128.store(sums + at, none);
    left -= popcnt(i32x4.bitmask(f32x4.eq(total, out)));
  }
}

function takeMatches(found: usize): i32 {
  let count = 0;
  for (let number = 0; number < candidateCount; number++) {
    if (isOut(number)) continue;
    const doc = candidateAt(number);
    store<i32>(found + (<usize>count << 2), doc);
    count++;
    const score = load<f32>(totals + (<usize>number << 2));
    if (score > threshold) addHit(doc, score);
  }
  return count;
}

function candidateAt(number: i32): i32 {
  return load<i32>(candidates + (<usize>number << 2));
}

function numberOfCandidate(doc: i32): i32 {
  const word = <usize>(doc >>> 6);
  const before = load<u64>(bits + (word << 3)) & (((<u64>1) << (doc & 63)) - 1);
  return <i32>load<u16>(firsts + (word << 1)) + <i32>popcnt(before);
}

function isOut(number: i32): bool {
  return load<f32>(totals + (<usize>number << 2)) == OUT;
}

function addTo(number: i32, score: f32): void {
  const at = sums + (<usize>number << 2);
  store<f32>(at, load<f32>(at) + score);
}
