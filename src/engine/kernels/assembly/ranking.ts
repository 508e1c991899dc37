// AssemblyScript. What a search asks of a segment: groups of lists, and the documents that count.

import { freqAt, freqOfDoc } from "./posting-block";
import { blockAtOrAfter, boundOf, denseHolds, denseRank, isBits, PostingList } from "./posting-list";
import { scoreOfDoc } from "./term-score";

/** Bytes of a `PostingList` in its table. */
export const LIST_BYTES: usize = 256;

/** Covers the rounding of single bounds and products. */
const BOUND_SHARE: f32 = 1e-6;
/** Two sums of n scores differ by 2 (n - 1) / 2^24 of them at most (Higham 1993); this is each list's part. */
const SUM_SHARE: f32 = 1.25e-7;

let lists: usize = 0;
/** Number of lists. */
export let listCount: i32 = 0;
/** By list: i32, the group whose sum it belongs to; groups ascend. */
let groups: usize = 0;
/** Doc ids issued in the segment. */
export let maxDoc: i32 = 0;
/** What part of a sum of all lists' scores, or bounds, adding them up in another order may change at most. */
let roundingShare: f32 = 0;
/** Bits of the documents that count; 0: all do. */
let accepted: usize = 0;
/** Numbers by doc id, `numberWidth` bytes each: only documents with one of these count; 0: all do. */
let numbers: usize = 0;
let numberWidth: i32 = 0;
let firstNumber: u32 = 0;
/** How many numbers there are from the first on. */
let numberRange: u32 = 0;

export function describe(listTable: usize, count: i32, groupTable: usize, docs: i32): void {
  lists = listTable;
  listCount = count;
  groups = groupTable;
  maxDoc = docs;
  accepted = 0;
  numbers = 0;
  roundingShare = BOUND_SHARE + <f32>count * SUM_SHARE;
}

/** From now on only documents among the bits count; 0: all do. */
export function accept(bits: usize): void {
  accepted = bits;
}

/** From now on also only documents count whose number, `width` bytes each, is from `first` up to, not including, `end`. */
export function acceptNumbers(address: usize, width: i32, first: u32, end: u32): void {
  numbers = address;
  numberWidth = width;
  firstNumber = first;
  numberRange = end - first;
}

export function listAt(index: i32): PostingList {
  return changetype<PostingList>(lists + <usize>index * LIST_BYTES);
}

/** The group whose sum a list belongs to. */
export function groupOf(index: i32): i32 {
  return load<i32>(groups + (<usize>index << 2));
}

/** Address of the bits of the documents that count; 0: bits don't tell. */
export function acceptedBits(): usize {
  return accepted;
}

export function acceptsAll(): bool {
  return accepted == 0 && numbers == 0;
}

export function accepts(doc: i32): bool {
  if (accepted != 0 && ((load<i32>(accepted + (<usize>(doc >>> 5) << 2)) >>> (doc & 31)) & 1) == 0) return false;
  return numbers == 0 || numberOf(numbers, numberWidth, doc) - firstNumber < numberRange;
}

/** A document's number, where each has one of `width` bytes. */
@inline
export function numberOf(address: usize, width: i32, doc: i32): u32 {
  if (width == 1) return <u32>load<u8>(address + <usize>doc);
  if (width == 2) return <u32>load<u16>(address + (<usize>doc << 1));
  return load<u32>(address + (<usize>doc << 2));
}

/** How many documents of a window's bits count; not to be asked while all do, or numbers decide. The window starts at a multiple of 64. */
export function countAcceptedIn(bits: usize, start: i32, end: i32): i32 {
  const words = (end - start + 63) >>> 6;
  const from = accepted + (<usize>start >>> 3);
  let count: i64 = 0;
  for (let word = 0; word < words; word++) {
    const own = load<i64>(bits + (<usize>word << 3));
    // The accepted bits may end before the window does, which holds no document there.
    if (own != 0) count += popcnt<i64>(own & load<i64>(from + (<usize>word << 3)));
  }
  return <i32>count;
}

/** A document's score, bit for bit as the evaluators have it. Documents ascend from call to call. */
export function exactScore(doc: i32): f32 {
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (isBits(list)) {
      list.docScore = denseHolds(list, doc) != 0 ? list.boundBase : 0;
      continue;
    }
    const freq = freqOfDoc(list, doc);
    list.docScore = freq != 0 ? scoreOfDoc(list, doc, freq) : 0;
  }
  return sumOfLists();
}

/** Whether adding up what the lists give in any order may differ from `exactScore`. */
export function needsExactScore(): bool {
  return listCount > 2;
}

/**
 * A document's score by what each list is known to give it: the lists of a group are summed in their order, then the
 * groups in theirs.
 */
export function sumOfLists(): f32 {
  let total: f32 = 0;
  let sum: f32 = 0;
  let group = 0;
  for (let index = 0; index < listCount; index++) {
    const own = groupOf(index);
    if (own != group) {
      total += sum;
      sum = 0;
      group = own;
    }
    sum += listAt(index).docScore;
  }
  return total + sum;
}

/** Says that a document isn't in a list, or can't pass the threshold whatever the list adds. */
export const ABSENT: f32 = -1;

/** What a list adds to a document's score; ABSENT if `others` plus its block's bound is at most `threshold`, too. */
export function probe(list: PostingList, doc: i32, others: f32, threshold: f32): f32 {
  if (isBits(list)) return denseHolds(list, doc) != 0 ? list.boundBase : ABSENT;
  if (list.denseBits != 0) {
    if (denseHolds(list, doc) == 0) return ABSENT;
    const rank = denseRank(list, doc);
    const block = list.firstBlock + (rank >>> 7);
    if (others + boundOf(list, block) <= threshold) return ABSENT;
    return scoreOfDoc(list, doc, freqAt(list, block, rank & 127));
  }
  const block = blockAtOrAfter(list, list.probeBlock, doc);
  list.probeBlock = block;
  if (block >= list.endBlock || others + boundOf(list, block) <= threshold) return ABSENT;
  const freq = freqOfDoc(list, doc);
  return freq == 0 ? ABSENT : scoreOfDoc(list, doc, freq);
}

/** What is left of bounds that were added up without one of them; never too little, however much less than that one. */
export function boundWithout(sum: f32, part: f32): f32 {
  return sum - part + sum * roundingShare;
}

/**
 * A little less than a threshold: bounds are f32 sums in another order than the scores that they bound,
 * so only what stays below this can be left out.
 */
export function prunable(threshold: f32): f32 {
  return threshold * (1 - roundingShare);
}
