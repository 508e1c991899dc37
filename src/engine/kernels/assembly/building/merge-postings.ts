// AssemblyScript. Merges the posting lists of a field of several segments: walks their dictionaries side by
// side, decodes documents and frequencies, and copies positions as bits (`segment/terms/field-terms-merger.ts`).

import { allocate } from "./heap";
import {
  addPosting,
  beginList,
  copyPositions,
  DENSE,
  DONE,
  endList,
  fits,
  isFull,
  isListOpen,
  PAUSED,
  TOO_MANY,
} from "./posting-lists";

const BLOCK_SIZE: u32 = 128;
/** The window of an input has been gone through, and there is more of it. */
const WANTS_MORE: i32 = 4;

/**
 * One segment, of which a window is in this memory: terms, their lists and blocks. Pointers are such that
 * what the segment says as an offset or number of a block is added to them; TypeScript fills all of it in.
 */
@unmanaged
export class MergeInput {
  /** The next of the window's terms, and how many it has; 1: the segment has more. */
  term: u32;
  termCount: u32;
  hasMore: u32;
  /** By the window's terms. */
  termOffsets: usize;
  docFreqs: usize;
  references: usize;
  positionReferences: usize;
  /** By offset in the segment's section. */
  termBytes: usize;
  data: usize;
  positions: usize;
  /** By block of the segment. */
  dataOffsets: usize;
  positionOffsets: usize;
  docBits: usize;
  freqBits: usize;
  /** By document the bits of its positions, and its new number, -1 if it is dropped; 0: all are kept, `base` is added. */
  widths: usize;
  docMap: usize;
  base: u32;
}

let inputs: usize = 0;
let inputCount: i32 = 0;

/** Which inputs have the term at hand, and at which of these the walk is. */
let matching: usize = 0;
let matchCount: i32 = 0;
let match: i32 = 0;

/** The block at hand, decoded: documents and frequencies, the next entry, where its positions are. */
const docs = memory.data(512, 16);
const freqs = memory.data(512, 16);
let entry: u32 = 0;
let entryCount: u32 = 0;
let positions: usize = 0;
let bit: u32 = 0;
/** Documents of the list that haven't been decoded, its next block, and the last document before. */
let left: u32 = 0;
let block: u32 = 0;
let previousDoc: i32 = -1;

/** Allocates. */
export function beginMerge(inputsAt: usize, count: i32): void {
  inputs = inputsAt;
  inputCount = count;
  matchCount = 0;
  match = 0;
  matching = allocate(<usize>count << 2);
}

@inline
function inputAt(index: i32): MergeInput {
  return changetype<MergeInput>(inputs + <usize>index * offsetof<MergeInput>());
}

@inline
function matchAt(index: i32): MergeInput {
  return inputAt(load<i32>(matching + (<usize>index << 2)));
}

/** Goes on, for about so many postings, until all windows have been gone through. */
export function mergePostings(postings: i32): i32 {
  while (true) {
    if (!isListOpen) {
      if (postings <= 0 || isFull()) return PAUSED;
      if (!findLeastTerm()) return WANTS_MORE;
      if (matchCount == 0) return DONE;
      const documents = liveDocuments();
      postings--;
      if (documents == 0) {
        passTerm();
        continue;
      }
      beginList(documents);
      match = 0;
      beginInput(matchAt(0));
    }
    while (match < matchCount) {
      const input = matchAt(match);
      const docMap = input.docMap;
      while (entry < entryCount) {
        if (postings <= 0 || isFull()) return PAUSED;
        postings--;
        const place = <usize>entry << 2;
        const oldDoc = load<u32>(docs + place);
        const freq = load<u32>(freqs + place);
        const bits = freq * <u32>load<u8>(input.widths + oldDoc);
        const doc = docMap == 0 ? oldDoc + input.base : load<u32>(docMap + (<usize>oldDoc << 2));
        if (<i32>doc >= 0) {
          if (!fits(doc, freq)) return TOO_MANY;
          addPosting(doc, freq);
          copyPositions(positions, bit, bits);
        }
        bit += bits;
        entry++;
      }
      if (left > 0) loadBlock(input);
      else if (++match < matchCount) beginInput(matchAt(match));
    }
    const first = matchAt(0);
    const start = termStart(first);
    const isDense = endList(first.termBytes + start, termEnd(first) - start);
    passTerm();
    if (isDense) return DENSE;
  }
}

@inline
function termStart(input: MergeInput): u32 {
  return load<u32>(input.termOffsets + (<usize>input.term << 2));
}

@inline
function termEnd(input: MergeInput): u32 {
  return load<u32>(input.termOffsets + (<usize>input.term << 2), 4);
}

/** False if a window is exhausted of which there is more. None matches once all are. */
function findLeastTerm(): bool {
  let count = 0;
  let least: usize = 0;
  let leastLength: u32 = 0;
  for (let i = 0; i < inputCount; i++) {
    const input = inputAt(i);
    if (input.term == input.termCount) {
      if (input.hasMore != 0) return false;
      continue;
    }
    const start = termStart(input);
    const term = input.termBytes + start;
    const length = termEnd(input) - start;
    const order = count == 0 ? -1 : compare(term, length, least, leastLength);
    if (order > 0) continue;
    if (order < 0) {
      least = term;
      leastLength = length;
      count = 0;
    }
    store<i32>(matching + (<usize>(count++) << 2), i);
  }
  matchCount = count;
  return true;
}

function compare(a: usize, aLength: u32, b: usize, bLength: u32): i32 {
  const end = a + <usize>min(aLength, bLength);
  for (; a < end; a++, b++) {
    const difference = <i32>load<u8>(a) - <i32>load<u8>(b);
    if (difference != 0) return difference;
  }
  return <i32>aLength - <i32>bLength;
}

function passTerm(): void {
  for (let i = 0; i < matchCount; i++) matchAt(i).term++;
}

/** Documents of the term at hand that are kept; a number above 1 may be too great. */
function liveDocuments(): u32 {
  let sum: u32 = 0;
  let hasDropped = false;
  for (let i = 0; i < matchCount; i++) {
    const input = matchAt(i);
    sum += load<u32>(input.docFreqs + (<usize>input.term << 2));
    if (input.docMap != 0) hasDropped = true;
  }
  if (!hasDropped) return sum;
  let live: u32 = 0;
  for (let i = 0; i < matchCount; i++) {
    const input = matchAt(i);
    beginInput(input);
    while (true) {
      for (let at: usize = 0; at < <usize>entryCount << 2; at += 4) {
        const doc = <usize>load<u32>(docs + at);
        if (input.docMap != 0 && load<i32>(input.docMap + (doc << 2)) < 0) continue;
        if (++live > 1) return sum;
      }
      if (left == 0) break;
      loadBlock(input);
    }
  }
  return live;
}

/** Decodes the beginning of an input's list of the term at hand. */
function beginInput(input: MergeInput): void {
  const place = <usize>input.term << 2;
  const docFreq = load<u32>(input.docFreqs + place);
  const reference = load<u32>(input.references + place);
  positions = input.positions + load<u32>(input.positionReferences + place);
  bit = 0;
  entry = 0;
  previousDoc = -1;
  left = 0;
  if (docFreq == 1) {
    entryCount = 1;
    store<u32>(docs, reference);
    positions = readVarint(positions);
    store<u32>(freqs, varint);
  } else if (docFreq < BLOCK_SIZE) {
    readVarints(input.data + reference, docFreq);
  } else {
    left = docFreq;
    block = reference;
    loadBlock(input);
  }
}

function loadBlock(input: MergeInput): void {
  const place = <usize>block << 2;
  const data = input.data + load<u32>(input.dataOffsets + place);
  positions = input.positions + load<u32>(input.positionOffsets + place);
  bit = 0;
  entry = 0;
  if (left < BLOCK_SIZE) {
    readVarints(data, left);
    left = 0;
  } else {
    const docBits = <u32>load<u8>(input.docBits + block);
    unpack(data, docBits, docs);
    let doc = <u32>previousDoc;
    for (let i: usize = 0; i < 512; i += 4) {
      doc += load<u32>(docs + i) + 1;
      store<u32>(docs + i, doc);
    }
    previousDoc = doc;
    unpack(data + 16 * docBits, <u32>load<u8>(input.freqBits + block), freqs);
    for (let i: usize = 0; i < 512; i += 16) {
      v128.store(freqs + i, i32x4.add(v128.load(freqs + i), i32x4.splat(1)));
    }
    entryCount = BLOCK_SIZE;
    left -= BLOCK_SIZE;
  }
  block++;
}

let varint: u32 = 0;

/** Leaves the number in `varint`; returns where it ends. */
@inline
function readVarint(at: usize): usize {
  let byte = <u32>load<u8>(at++);
  let value = byte & 0x7f;
  for (let shift: u32 = 7; byte > 0x7f; shift += 7) {
    byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
  }
  varint = value;
  return at;
}

function readVarints(at: usize, count: u32): void {
  let doc = <u32>previousDoc;
  for (let place: usize = 0; place < <usize>count << 2; place += 4) {
    at = readVarint(at);
    const value = varint;
    doc += value >>> 1;
    store<u32>(docs + place, doc);
    if ((value & 1) != 0) store<u32>(freqs + place, 1);
    else {
      at = readVarint(at);
      store<u32>(freqs + place, varint);
    }
  }
  previousDoc = doc;
  entryCount = count;
}

/** `unpackVertical`: four lanes at once. */
function unpack(source: usize, bits: u32, target: usize): void {
  if (bits == 0) {
    memory.fill(target, 0, 512);
    return;
  }
  const mask = i32x4.splat(<i32>(<u32>0xffff_ffff >>> (32 - bits)));
  let word = v128.load(source);
  let used: u32 = 0;
  for (let row: usize = 0; row < 512; row += 16) {
    let values = i32x4.shr_u(word, used);
    used += bits;
    if (used >= 32) {
      used -= 32;
      if (used > 0 || row < 496) {
        source += 16;
        word = v128.load(source);
        if (used > 0) values = v128.or(values, i32x4.shl(word, bits - used));
      }
    }
    v128.store(target + row, v128.and(values, mask));
  }
}
