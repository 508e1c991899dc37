// AssemblyScript. Posting lists, as `segment/FORMAT.md` draws them, and the dictionary (`segment/terms/field-terms-writer.ts`). What is written goes to buffers that TypeScript empties between two calls (`posting-output.ts`).

import { empty, Output, putVarint } from "./posting-output";

const BLOCK_SIZE: u32 = 128;
const VARINT_BLOCK: u8 = 0xff;
const POSITION_GROUP: u32 = 32;
const BOUND_SCALE: f64 = 65535;
const IMPACT_FREQ_MAX: u32 = 255;

/** What writing lists returns. */
export const DONE: i32 = 0;
/** The buffers want to be emptied. */
export const PAUSED: i32 = 1;
/** As `PAUSED`, and the last term is in so many documents that they are wanted as bits, which must be cleared then. */
export const DENSE: i32 = 2;
/** A block's positions take 2^32 bits or more. */
export const TOO_MANY: i32 = 3;
/** No entry, which `addTokens` returns where a block's positions take 2^32 bits or more. */
export const NO_ROOM: u32 = 0xffff_ffff;

let out: Output = changetype<Output>(0);

/** The block being filled. */
const docs = memory.data(512, 16);
const freqs = memory.data(512, 16);
const packing = memory.data(512, 16);
let buffered: u32 = 0;
let groupA: u32 = 0;
let groupB: u32 = 0;
let groupC: u32 = 0;
/** Bits of positions that aren't a whole word yet. */
let pendingBits: u64 = 0;
let pendingCount: u32 = 0;
/** The block's, or list's, positions: where they start, and their bits so far. */
let positionsStart: u32 = 0;
let positionsBits: u32 = 0;

/** The list being written. */
export let isListOpen: bool = false;
export let isSingle: bool = false;
let isMarking: bool = false;
let listBlocks: u32 = 0;
let firstBlockPositions: u32 = 0;
let docFreq: u32 = 0;
/** Last document of the list's previous block, -1 before the first. */
let previousDoc: i32 = -1;

export function beginPostings(output: Output): void {
  out = output;
  output.dataBefore = 0;
  output.positionsBefore = 0;
  output.termBytesBefore = 0;
  output.blocksBefore = 0;
  empty(output);
  buffered = 0;
  pendingBits = 0;
  pendingCount = 0;
  positionsStart = 0;
  positionsBits = 0;
  isListOpen = false;
}

@inline
export function isFull(): bool {
  return (
    out.dataCount > out.dataMax || out.positionCount > out.positionsMax ||
    out.termByteCount > out.termBytesMax || out.termCount >= out.termsMax
  );
}

/** Begins a list of up to `documents`, which is right if it is 1. */
export function beginList(documents: u32): void {
  isListOpen = true;
  isSingle = documents == 1;
  isMarking = documents > out.sparseMax;
  listBlocks = 0;
  docFreq = 0;
  buffered = 0;
  previousDoc = -1;
}

/** Whether the positions of one more document find room. */
@inline
export function fits(doc: u32, freq: u32): bool {
  return <u64>positionsBits + <u64>freq * widthOf(doc) <= 0xffff_ffff;
}

/** Bits of a position of the document. */
@inline
export function widthOf(doc: u32): u32 {
  return <u32>load<u8>(out.widths + doc);
}

/** Adds a document; its positions are put by one of the functions below before the next. */
export function addPosting(doc: u32, freq: u32): void {
  if (isSingle) putPositionsVarint(freq);
  const place = <usize>buffered << 2;
  store<u32>(docs + place, doc);
  store<u32>(freqs + place, freq);
  if ((buffered & (POSITION_GROUP - 1)) == 0) beginGroup(place, positionsBits);
  positionsBits += freq * widthOf(doc);
  docFreq++;
  buffered++;
  if (isMarking) {
    const word = out.bits + (<usize>(doc >>> 5) << 2);
    store<u32>(word, load<u32>(word) | (1 << (doc & 31)));
  }
}

/** The first word of each entry is a position, under the mask, to be written with so many bits. */
export function putPositions<Entry>(entry: usize, freq: u32, width: u32, mask: u32): void {
  let at = out.positions + out.positionCount;
  let bits = pendingBits;
  let count = pendingCount;
  for (; freq > 0; freq--, entry += sizeof<Entry>()) {
    bits |= <u64>(load<u32>(entry) & mask) << <u64>count;
    count += width;
    if (count < 32) continue;
    store<u32>(at, <u32>bits);
    at += 4;
    bits >>>= 32;
    count -= 32;
  }
  pendingBits = bits;
  pendingCount = count;
  out.positionCount = <u32>(at - out.positions);
  endPosting();
}

/**
 * Adds postings of tokens that are sorted by document, from entry `at` up to `end`, to a list of more than one, as the
 * functions above do, with all that changes at hand in place of in memory. Returns the entry that it stopped at:
 * `end`, or because of the buffers, or `stop`; or `NO_ROOM`.
 */
export function addTokens<Entry>(entries: usize, at: u32, end: u32, stop: u32, positionBits: u32): u32 {
  const mask: u32 = sizeof<Entry>() == 8 ? -1 : (1 << positionBits) - 1;
  const widths = out.widths;
  const limit = out.positions + out.positionsMax;
  const isDense = isMarking;
  let entry = entries + <usize>at * sizeof<Entry>();
  const entriesEnd = entries + <usize>end * sizeof<Entry>();
  const entriesStop = min(entriesEnd, entries + <usize>stop * sizeof<Entry>());
  while (entry < entriesStop && !isFull()) {
    let target = out.positions + out.positionCount;
    let bits = pendingBits;
    let count = pendingCount;
    let size = <u64>positionsBits;
    let place = <usize>buffered << 2;
    let doc = docOf<Entry>(entry, positionBits);
    do {
      const width = <u32>load<u8>(widths + doc);
      const begin = size;
      const first = entry;
      let next = doc;
      // Bits that are added to `bits` here without being written aren't kept if there is no room for all.
      do {
        bits |= <u64>(load<u32>(entry, sizeof<Entry>() == 8 ? 4 : 0) & mask) << <u64>count;
        count += width;
        size += width;
        entry += sizeof<Entry>();
        if (count >= 32) {
          store<u32>(target, <u32>bits);
          target += 4;
          bits >>>= 32;
          count -= 32;
        }
        if (entry == entriesEnd) break;
        next = docOf<Entry>(entry, positionBits);
      } while (next == doc);
      if (size > 0xffff_ffff) return NO_ROOM;
      if ((place & ((POSITION_GROUP << 2) - 1)) == 0) beginGroup(place, <u32>begin);
      store<u32>(docs + place, doc);
      store<u32>(freqs + place, <u32>((entry - first) / sizeof<Entry>()));
      if (isDense) {
        const word = out.bits + (<usize>(doc >>> 5) << 2);
        store<u32>(word, load<u32>(word) | (1 << (doc & 31)));
      }
      doc = next;
      place += 4;
    } while (place < BLOCK_SIZE << 2 && entry < entriesStop && target <= limit);
    const postings = <u32>(place >>> 2);
    docFreq += postings - buffered;
    buffered = postings;
    pendingBits = bits;
    pendingCount = count;
    positionsBits = <u32>size;
    out.positionCount = <u32>(target - out.positions);
    endPosting();
  }
  return <u32>((entry - entries) / sizeof<Entry>());
}

/** Notes where positions of the postings from this place on begin. */
@inline
function beginGroup(place: usize, begin: u32): void {
  if (place == POSITION_GROUP << 2) groupA = begin;
  else if (place == POSITION_GROUP << 3) groupB = begin;
  else if (place != 0) groupC = begin;
}

/** What an entry has, as in `sorted-tokens.ts`. */
@inline
export function docOf<Entry>(entry: usize, positionBits: u32): u32 {
  return sizeof<Entry>() == 8 ? load<u32>(entry) : load<u32>(entry) >>> positionBits;
}

/** Copies positions that are written already, `size` bits of them from bit `bit` behind `source` on; 8 bytes more may be read. */
export function copyPositions(source: usize, bit: u32, size: u32): void {
  let at = out.positions + out.positionCount;
  let bits = pendingBits;
  let count = pendingCount;
  while (size > 0) {
    const taken = min(size, <u32>32);
    const value = (load<u64>(source + <usize>(bit >>> 3)) >>> <u64>(bit & 7)) & (<u64>-1 >>> <u64>(64 - taken));
    bits |= value << <u64>count;
    count += taken;
    bit += taken;
    size -= taken;
    if (count < 32) continue;
    store<u32>(at, <u32>bits);
    at += 4;
    bits >>>= 32;
    count -= 32;
  }
  pendingBits = bits;
  pendingCount = count;
  out.positionCount = <u32>(at - out.positions);
  endPosting();
}

@inline
function endPosting(): void {
  if (buffered == BLOCK_SIZE) writeFullBlock();
}

/** Ends the list of the given term. True if it is dense. */
export function endList(term: usize, termLength: u32): bool {
  let reference: u32;
  let positionReference: u32;
  const rest = buffered;
  if (listBlocks > 0) {
    if (rest > 0) {
      startBlock();
      writeVarints();
      endBlock(VARINT_BLOCK, VARINT_BLOCK);
    }
    reference = out.blocksBefore + out.blockCount - listBlocks;
    positionReference = firstBlockPositions;
  } else {
    positionReference = positionsStart;
    if (rest == 1) reference = load<u32>(docs);
    else {
      reference = out.dataBefore + out.dataCount;
      writeVarints();
    }
    endPositions();
  }
  const index = <usize>(out.termCount++) << 2;
  store<u32>(out.docFreqs + index, docFreq);
  store<u32>(out.references + index, reference);
  store<u32>(out.positionReferences + index, positionReference);
  memory.copy(out.termBytes + out.termByteCount, term, termLength);
  out.termByteCount += termLength;
  store<u32>(out.termEnds + index, out.termBytesBefore + out.termByteCount);
  isListOpen = false;
  const isDense = docFreq > out.sparseMax;
  if (isMarking && !isDense) memory.fill(out.bits, 0, out.bitsBytes);
  return isDense;
}

function writeFullBlock(): void {
  if (listBlocks == 0) {
    const gap = (16 - ((out.dataBefore + out.dataCount) & 15)) & 15;
    memory.fill(out.data + out.dataCount, 0, gap);
    out.dataCount += gap;
  }
  startBlock();
  let previous = <u32>previousDoc;
  let union: u32 = 0;
  for (let i: usize = 0; i < 512; i += 4) {
    const doc = load<u32>(docs + i);
    const gap = doc - previous - 1;
    store<u32>(packing + i, gap);
    union |= gap;
    previous = doc;
  }
  const docBits = 32 - clz(union);
  pack(docBits);
  let any = i32x4.splat(0);
  for (let i: usize = 0; i < 512; i += 16) {
    const less = i32x4.sub(v128.load(freqs + i), i32x4.splat(1));
    v128.store(packing + i, less);
    any = v128.or(any, less);
  }
  union =
    i32x4.extract_lane(any, 0) | i32x4.extract_lane(any, 1) | i32x4.extract_lane(any, 2) | i32x4.extract_lane(any, 3);
  const freqBits = 32 - clz(union);
  pack(freqBits);
  endBlock(<u8>docBits, <u8>freqBits);
}

/** `packVertical`: four lanes at once. */
function pack(bits: u32): void {
  if (bits == 0) return;
  let target = out.data + out.dataCount;
  let word = i32x4.splat(0);
  let filled: u32 = 0;
  for (let row: usize = 0; row < 512; row += 16) {
    const values = v128.load(packing + row);
    word = v128.or(word, i32x4.shl(values, filled));
    filled += bits;
    if (filled < 32) continue;
    v128.store(target, word);
    target += 16;
    filled -= 32;
    // A shift by 32 would be one by 0.
    word = filled == 0 ? i32x4.splat(0) : i32x4.shr_u(values, bits - filled);
  }
  out.dataCount += 16 * bits;
}

function startBlock(): void {
  const index = <usize>out.blockCount << 2;
  store<u32>(out.dataOffsets + index, out.dataBefore + out.dataCount);
  store<u32>(out.positionOffsets + index, positionsStart);
  if (listBlocks == 0) firstBlockPositions = positionsStart;
  listBlocks++;
}

function endBlock(docBits: u8, freqBits: u8): void {
  const block = <usize>(out.blockCount++);
  const count = buffered;
  store<u8>(out.docBits + block, docBits);
  store<u8>(out.freqBits + block, freqBits);
  const lastDoc = load<u32>(docs + (<usize>(count - 1) << 2));
  store<u32>(out.lastDocs + (block << 2), lastDoc);
  const strongest = <usize>strongestPosting(count) << 2;
  const freq = load<u32>(freqs + strongest);
  const norm = <u32>load<u8>(out.norms + load<u32>(docs + strongest));
  const factor = load<f64>(out.factors + (<usize>norm << 3));
  store<u16>(out.bounds + (block << 1), <u16>ceil((BOUND_SCALE * <f64>freq) / (<f64>freq + factor)));
  store<u16>(out.impacts + (block << 1), <u16>(min(freq, IMPACT_FREQ_MAX) | (norm << 8)));
  previousDoc = lastDoc;
  endPositions();
  buffered = 0;
}

function strongestPosting(count: u32): u32 {
  let strongest: u32 = 0;
  let greatest: f64 = -1;
  for (let i: u32 = 0; i < count; i++) {
    const place = <usize>i << 2;
    const norm = <usize>load<u8>(out.norms + load<u32>(docs + place));
    const ratio = <f64>load<u32>(freqs + place) / load<f64>(out.factors + (norm << 3));
    if (ratio > greatest) {
      greatest = ratio;
      strongest = i;
    }
  }
  return strongest;
}

function writeVarints(): void {
  let at = out.data + out.dataCount;
  let previous = <u32>previousDoc;
  for (let place: usize = 0; place < <usize>buffered << 2; place += 4) {
    const doc = load<u32>(docs + place);
    const freq = load<u32>(freqs + place);
    at = putVarint(at, ((doc - previous) << 1) | (freq == 1 ? 1 : 0));
    if (freq != 1) at = putVarint(at, freq);
    previous = doc;
  }
  out.dataCount = <u32>(at - out.data);
}

/** A single document's frequency stands before its positions, at a whole byte. */
function putPositionsVarint(value: u32): void {
  const at = out.positions + out.positionCount;
  out.positionCount = <u32>(putVarint(at, value) - out.positions);
}

/** Ends the positions of a block or short list; the next begin at a whole byte. */
function endPositions(): void {
  while (pendingCount > 0) {
    store<u8>(out.positions + out.positionCount++, <u8>pendingBits);
    pendingBits >>>= 8;
    pendingCount = pendingCount > 8 ? pendingCount - 8 : 0;
  }
  pendingBits = 0;
  if (listBlocks > 0) {
    const groups = out.positionGroups + <usize>(out.blockCount - 1) * 12;
    store<u32>(groups, buffered > POSITION_GROUP ? groupA : positionsBits);
    store<u32>(groups + 4, buffered > 2 * POSITION_GROUP ? groupB : positionsBits);
    store<u32>(groups + 8, buffered > 3 * POSITION_GROUP ? groupC : positionsBits);
  }
  positionsStart = out.positionsBefore + out.positionCount;
  positionsBits = 0;
}
