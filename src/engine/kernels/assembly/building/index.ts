// AssemblyScript. What TypeScript calls while it builds segments: `text-field-builder.ts`, `sort-strings.ts` and
// `block-compressor.ts` know the order of the calls.

import { allocate } from "./heap";
import { Member } from "./member-beginnings";
import { OrderInput } from "./merge-orders";
import { MergeInput } from "./merge-postings";
import { Output } from "./posting-output";
import { Sorted } from "./sorted-tokens";

export { allocate, heapTop, releaseTo } from "./heap";
export { invertOrdinals, markAlike, packStream, placeOrdinals, rankValues } from "./column-ordinals";
export { beginTrie, growTrie } from "./build-trie";
export { frontCode, frontDecode, selectReferences } from "./front-coding";
export { compressLz4, compressShortLz4 } from "./lz4-compress";
export { beginSort, sortOn } from "./sort-strings";
export { decodeBlock, readBeginnings, useMembers, writeHash } from "./member-beginnings";
export { beginOrders, lastOrderRank, mergeOrders, resumeOrders } from "./merge-orders";
export { beginMerge, mergePostings } from "./merge-postings";
export { beginPostings } from "./posting-lists";
export { emptied } from "./posting-output";
export {
  beginNumbers, joinLongs, measureNumbers, narrowNumbers, nextNumbers, packNumbers, splitLongs, unpackNumbers,
  widenNumbers,
} from "./packed-numbers";
export { writePostings } from "./posting-writer";
export { beginStream, nextRange, placeTerms, scatterPiece } from "./sorted-tokens";
export {
  codePointsBound, countNodes, markCodePoints, numberLetters, numberTerms, reverseTerms, spellTerms,
} from "./spell-terms";
export { quoteText } from "./quote-text";
export { layWords, nextNewWord } from "./read-words";
export { reserveText, useLetters, usePossessives } from "./text";
export { addField, addText, addWord, beginValue, clear, numberOf } from "./words";

/** Zeros as well. */
export function newSorted(): usize {
  return zeros(offsetof<Sorted>());
}

export function newOutput(): usize {
  return zeros(offsetof<Output>());
}

/** A row of them. */
export function newMergeInputs(count: i32): usize {
  return zeros(offsetof<MergeInput>() * count);
}

export function mergeInputBytes(): usize {
  return offsetof<MergeInput>();
}

export function newOrderInputs(count: i32): usize {
  return zeros(offsetof<OrderInput>() * count);
}

export function orderInputBytes(): usize {
  return offsetof<OrderInput>();
}

export function newMembers(count: i32): usize {
  return zeros(offsetof<Member>() * count);
}

export function zeros(bytes: usize): usize {
  const address = allocate(bytes);
  memory.fill(address, 0, bytes);
  return address;
}
