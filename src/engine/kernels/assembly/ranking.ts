// AssemblyScript. What a search asks of a segment: groups of lists, and the documents that count.

import {
  blockAtOrAfter,
  boundOf,
  freqOfDoc,
  fuzzyIdf,
  fuzzyScore,
  PostingList,
  scoreOfDoc,
  termScoreFor,
} from "./posting-list";

/** Bytes of a `PostingList` in its table. */
const LIST_BYTES: usize = 256;

let lists: usize = 0;
/** Number of lists. */
export let listCount: i32 = 0;
/** By list: i32, the group whose sum it belongs to; groups ascend. */
let groups: usize = 0;
/** Doc ids issued in the segment. */
export let maxDoc: i32 = 0;
/** Bits of the documents that count; 0: all do. */
let accepted: usize = 0;

export function describe(listTable: usize, count: i32, groupTable: usize, docs: i32): void {
  lists = listTable;
  listCount = count;
  groups = groupTable;
  maxDoc = docs;
  accepted = 0;
}

/** From now on only documents among the bits count; 0: all do. */
export function accept(bits: usize): void {
  accepted = bits;
}

export function listAt(index: i32): PostingList {
  return changetype<PostingList>(lists + <usize>index * LIST_BYTES);
}

export function acceptsAll(): bool {
  return accepted == 0;
}

export function accepts(doc: i32): bool {
  return accepted == 0 || ((load<i32>(accepted + (<usize>(doc >>> 5) << 2)) >>> (doc & 31)) & 1) != 0;
}

/**
 * A document's score, bit for bit as the evaluators have it: the lists of a group are summed in their
 * order, then the groups in theirs. Documents ascend from call to call.
 */
export function exactScore(doc: i32): f32 {
  return fuzzyIdf > 0 ? exactFuzzyScore(doc) : exactSum(doc);
}

/** Whether adding up what the lists give in any order may differ from `exactScore`. */
export function needsExactScore(): bool {
  return listCount > 2 || (listCount > 1 && fuzzyIdf > 0);
}

/** Frequencies of a group's lists, the variants in one field, count together. */
function exactFuzzyScore(doc: i32): f32 {
  let total: f32 = 0;
  for (let index = 0; index < listCount; ) {
    const list = listAt(index);
    const group = load<i32>(groups + (<usize>index << 2));
    let freq = 0;
    for (; index < listCount && load<i32>(groups + (<usize>index << 2)) == group; index++) {
      freq += freqOfDoc(listAt(index), doc);
    }
    if (freq != 0) total += termScoreFor(list, <f32>freq, <u32>load<u8>(list.norms + <usize>doc));
  }
  return fuzzyScore(total);
}

function exactSum(doc: i32): f32 {
  let total: f32 = 0;
  let sum: f32 = 0;
  let group = 0;
  for (let index = 0; index < listCount; index++) {
    const own = load<i32>(groups + (<usize>index << 2));
    if (own != group) {
      total += sum;
      sum = 0;
      group = own;
    }
    const list = listAt(index);
    const freq = freqOfDoc(list, doc);
    if (freq != 0) sum += scoreOfDoc(list, doc, freq);
  }
  return total + sum;
}

/** Says that a document isn't in a list, or can't pass the threshold whatever the list adds. */
export const ABSENT: f32 = -1;

/** What a list adds to a document's score; ABSENT if `others` plus its block's bound is at most `threshold`, too. */
export function probe(list: PostingList, doc: i32, others: f32, threshold: f32): f32 {
  if (list.denseBits == 0) {
    const block = blockAtOrAfter(list, list.probeBlock, doc);
    list.probeBlock = block;
    if (block >= list.endBlock || others + boundOf(list, block) <= threshold) return ABSENT;
  }
  const freq = freqOfDoc(list, doc);
  return freq == 0 ? ABSENT : scoreOfDoc(list, doc, freq);
}

/**
 * A little less than a threshold: bounds are f32 sums in another order than the scores that they bound,
 * so only what stays below this can be left out.
 */
export function prunable(threshold: f32): f32 {
  return threshold * <f32>0.999999;
}
