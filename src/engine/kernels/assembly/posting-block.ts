// AssemblyScript. One block of a list at a time: decoded into the list's buffers, scored, and looked up in.

import {
  BLOCK_SIZE,
  blockAtOrAfter,
  denseHolds,
  denseRank,
  isScored,
  lastDocOf,
  NO_DOC,
  NO_SCORE,
  PostingList,
} from "./posting-list";
import { scoreOfDoc } from "./term-score";
import { unpackDocs, unpackFreqs } from "./unpack.generated";

/** Bits per value of a list's last block, which is written as varints. */
const VARINT_BLOCK: u32 = 255;

/** Decodes a block's doc ids; those of a last block with their frequencies. */
export function loadDocs(list: PostingList, block: i32): void {
  if (list.loaded == block) return;
  if (isScored(list)) {
    openScored(list, block);
    return;
  }
  const previous = block == list.firstBlock ? -1 : lastDocOf(list, block - 1);
  const source = list.data + <usize>load<u32>(list.dataOffsets + (<usize>block << 2));
  const bits = <u32>load<u8>(list.docBits + <usize>block);
  if (bits == VARINT_BLOCK) {
    loadLastBlock(list, source, previous);
    list.loadedFreqs = block;
  } else {
    unpackDocs(bits, source, list.docs, previous);
    list.count = BLOCK_SIZE;
  }
  list.loaded = block;
}

function openScored(list: PostingList, block: i32): void {
  list.docs = list.data + (<usize>block << 9);
  list.scores = list.allScores + (<usize>block << 9);
  list.count = min(BLOCK_SIZE, list.docFreq - (block << 7));
  list.loaded = block;
  list.scored = block;
}

/** Varints: gap << 1 | (frequency is 1), then the frequency if it isn't 1. */
export function loadLastBlock(list: PostingList, source: usize, previous: i32): void {
  // A short list's last block is its only one; a long list's that is full is not written like this.
  const count = list.docFreq & (BLOCK_SIZE - 1);
  let at = source;
  let doc = previous;
  let docs = list.docs;
  let freqs = list.freqs;
  for (let entry = 0; entry < count; entry++) {
    let byte = <u32>load<u8>(at++);
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      byte = <u32>load<u8>(at++);
      value |= (byte & 127) << shift;
    }
    doc += <i32>(value >>> 1);
    store<i32>(docs, doc);
    let freq: u32 = 1;
    if ((value & 1) == 0) {
      byte = <u32>load<u8>(at++);
      freq = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = <u32>load<u8>(at++);
        freq |= (byte & 127) << shift;
      }
    }
    store<u32>(freqs, freq);
    docs += 4;
    freqs += 4;
  }
  padBlock(list, count);
}

export function padBlock(list: PostingList, count: i32): void {
  for (let entry = count; entry < count + 4; entry++) {
    store<i32>(list.docs + (<usize>entry << 2), NO_DOC);
    store<i32>(list.freqs + (<usize>entry << 2), 0);
  }
  list.count = count;
}

export function loadFreqs(list: PostingList, block: i32): void {
  if (list.loadedFreqs == block) return;
  const docBits = <u32>load<u8>(list.docBits + <usize>block);
  if (docBits == VARINT_BLOCK) {
    list.loaded = -1;
    loadDocs(list, block);
    return;
  }
  const source = list.data + <usize>load<u32>(list.dataOffsets + (<usize>block << 2));
  unpackFreqs(<u32>load<u8>(list.freqBits + <usize>block), source + (<usize>docBits << 4), list.freqs);
  list.loadedFreqs = block;
}

/** Frequency of a block's entry, without decoding the others where the block is packed. */
export function freqAt(list: PostingList, block: i32, entry: i32): i32 {
  if (list.loadedFreqs == block) return load<i32>(list.freqs + (<usize>entry << 2));
  if (isScored(list)) return (block << 7) + entry + 1;
  const docBits = <u32>load<u8>(list.docBits + <usize>block);
  if (docBits == VARINT_BLOCK) {
    loadFreqs(list, block);
    return load<i32>(list.freqs + (<usize>entry << 2));
  }
  const bits = <u32>load<u8>(list.freqBits + <usize>block);
  if (bits == 0) return 1;
  const source = list.data + <usize>load<u32>(list.dataOffsets + (<usize>block << 2)) + (<usize>docBits << 4);
  const bit = (<u32>entry >>> 2) * bits;
  const shift = bit & 31;
  const word = source + (<usize>(bit >>> 5) << 4) + (<usize>(entry & 3) << 2);
  let value = load<u32>(word) >>> shift;
  if (shift + bits > 32) value |= load<u32>(word, 16) << (32 - shift);
  return <i32>(value & (0xffff_ffff >>> (32 - bits))) + 1;
}

/** Decodes a block and scores its postings; entries up to the next multiple of four score -Infinity. */
export function scoreBlock(list: PostingList, block: i32): void {
  if (list.scored == block && list.loaded == block) return;
  loadDocs(list, block);
  if (isScored(list)) return;
  loadFreqs(list, block);
  const count = list.count;
  const norms = list.norms;
  const table = list.lengthNorms;
  const weights = f32x4.splat(list.weight);
  let doc = list.docs;
  let freq = list.freqs;
  let score = list.scores;
  let entry = 0;
  for (; entry + 4 <= count; entry += 4) {
    let factors = v128.load32_splat(table + (<usize>load<u8>(norms + <usize>load<u32>(doc)) << 2));
    factors = v128.load_lane<u32>(table + (<usize>load<u8>(norms + <usize>load<u32>(doc, 4)) << 2), factors, 1);
    factors = v128.load_lane<u32>(table + (<usize>load<u8>(norms + <usize>load<u32>(doc, 8)) << 2), factors, 2);
    factors = v128.load_lane<u32>(table + (<usize>load<u8>(norms + <usize>load<u32>(doc, 12)) << 2), factors, 3);
    const freqs = f32x4.convert_i32x4_s(v128.load(freq));
    v128.store(score, f32x4.mul(weights, f32x4.div(freqs, f32x4.add(freqs, factors))));
    doc += 16;
    freq += 16;
    score += 16;
  }
  for (; entry < count; entry++) {
    store<f32>(score, scoreOfDoc(list, load<i32>(doc), load<i32>(freq)));
    doc += 4;
    freq += 4;
    score += 4;
  }
  for (; (entry & 3) != 0; entry++) {
    store<f32>(score, NO_SCORE);
    score += 4;
  }
  list.scored = block;
}

export function docAt(list: PostingList, entry: i32): i32 {
  return load<i32>(list.docs + (<usize>entry << 2));
}

/** First entry of the loaded block at or after a document. */
export function entryAtOrAfter(list: PostingList, doc: i32): i32 {
  const docs = list.docs;
  let low = 0;
  if (list.count == BLOCK_SIZE) {
    if (load<i32>(docs, 63 << 2) < doc) low = 64;
    if (load<i32>(docs + (<usize>(low + 31) << 2)) < doc) low += 32;
    if (load<i32>(docs + (<usize>(low + 15) << 2)) < doc) low += 16;
    const at = docs + (<usize>low << 2);
    const wanted = i32x4.splat(doc);
    const before =
      i32x4.bitmask(i32x4.lt_s(v128.load(at), wanted)) |
      (i32x4.bitmask(i32x4.lt_s(v128.load(at, 16), wanted)) << 4) |
      (i32x4.bitmask(i32x4.lt_s(v128.load(at, 32), wanted)) << 8) |
      (i32x4.bitmask(i32x4.lt_s(v128.load(at, 48), wanted)) << 12);
    return low + popcnt(before);
  }
  let high = list.count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (load<i32>(docs + (<usize>middle << 2)) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A document's frequency; 0 if the term isn't in it. Documents ascend from call to call. */
export function freqOfDoc(list: PostingList, doc: i32): i32 {
  if (list.denseBits != 0) {
    if (denseHolds(list, doc) == 0) return 0;
    const rank = denseRank(list, doc);
    return freqAt(list, list.firstBlock + (rank >>> 7), rank & 127);
  }
  const block = blockAtOrAfter(list, list.probeBlock, doc);
  list.probeBlock = block;
  if (block >= list.endBlock) return 0;
  loadDocs(list, block);
  const entry = entryAtOrAfter(list, doc);
  return docAt(list, entry) == doc ? freqAt(list, block, entry) : 0;
}
