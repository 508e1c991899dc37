// AssemblyScript. A term's postings in one field, as the kernels walk them: FORMAT.md says how they
// lie in the segment's image. Pointers are addresses in the memory that image and scratch share.

import { unpackDocs, unpackFreqs } from "./unpack.generated";

/** Postings in a full block. */
export const BLOCK_SIZE: i32 = 128;
/** Bits per value of a list's last block, which is written as varints. */
export const VARINT_BLOCK: u32 = 255;
/** A frequency in a block's impact that stands for itself and everything above. */
const IMPACT_FREQ_MAX: u32 = 255;
/** Bytes from a kept block's documents to its frequencies (`kept-lists.ts`). */
const KEPT_FREQS: usize = 576;
/** Marks entries behind a block's last. */
const NO_DOC: i32 = 0x7fff_ffff;
/** Stands for a scored list's greatest score in a block's bound. */
export const BOUND_SCALE: f32 = 65535;
export const NO_SCORE: f32 = -Infinity;

/** One list. TypeScript fills in the first part (`posting-list-members.ts` says where), the kernels the rest. */
@unmanaged
export class PostingList {
  docFreq: i32;
  /** Index of the first block in the field's block arrays, and of the one after the last. */
  firstBlock: i32;
  endBlock: i32;
  /** 1: a block's impact is its greatest at the average length that this search scores with. */
  hasExactImpacts: i32;
  /** What scores are multiplied with. */
  weight: f32;
  /** Bound of a block's scores for each unit of its 16-bit bound. */
  boundUnit: f32;
  lastDocs: usize;
  dataOffsets: usize;
  docBits: usize;
  freqBits: usize;
  bounds: usize;
  impacts: usize;
  data: usize;
  norms: usize;
  /** K by norm code, f32. */
  lengthNorms: usize;
  /** Bits of the documents and their rank by 512; 0 if the term isn't dense. */
  denseBits: usize;
  denseRanks: usize;
  /** Buffers for a block: doc ids, frequencies, scores, each with room for 132 values. */
  docs: usize;
  freqs: usize;
  scores: usize;
  positionOffsets: usize;
  /** By doc id the bits that its positions take each, u8. */
  positionWidths: usize;
  positionData: usize;
  /** Three u32 per block: bits of its positions before those of its entries 32, 64 and 96; 0: not there. */
  positionGroups: usize;
  /**
   * 0: in blocks; 1: fewer than 128 documents, varints at `data`; 2: already in the buffers; 3: only
   * bits, at `denseBits`: documents that all score `boundBase`, or of a word's farther variants, whose
   * bound it is; 4: scored already, doc ids at `data` and scores at `allScores`.
   */
  shortness: i32;
  /** What a block's greatest score is at least, for each unit of its bound less one. */
  floorUnit: f32;
  floorBase: f32;
  /** Bound of a block's scores for a bound of 0. */
  boundBase: f32;
  /**
   * Above 0: a list of a typo-tolerant word with this idf, weighted without it. Its nearest variants score
   * idf · (0.1 + BM25 without idf), as docs/adr/0003-fuzzy-scoring.md says.
   */
  idf: f64;
  /** The word's number, and the field's within the word; -1 for a list that is no word's. */
  word: i32;
  wordField: i32;
  allScores: usize;
  /** Buffer: bits of a block's positions before those of each entry. */
  positionSums: usize;
  /** What is known of where positions begin (`known-starts.ts`): a byte for each block, and the starts; 0: nothing. */
  knownBlocks: usize;
  knownStarts: usize;
  /** Header of the buffers that a short list is kept in, decoded already; 0: it isn't kept. */
  kept: usize;
  /** Where a longer list's last block, written as varints, is decoded already: documents, and its frequencies behind these; 0: nowhere. */
  keptLast: usize;
  /** Where a short list is kept: the average length that this search scores with. */
  averageLength: f64;
  /** Of a joined list: score bytes by document, their maxima, and what they stand for (`score-rows.ts`); 0: there are none. */
  row: usize;
  rowMaxima: usize;
  rowScores: usize;
  /** By block of the field: the least norm code of its documents, u8, 0 where it isn't known yet (`least-freq.ts`); 0: nowhere. */
  leastNorms: usize;

  // From here on the kernels' own.
  /** Where the walk stands. */
  block: i32;
  /** Where looking up single documents stands. */
  probeBlock: i32;
  loaded: i32;
  loadedFreqs: i32;
  scored: i32;
  /** The block whose sums are in the buffer. */
  summedBlock: i32;
  /** Postings in the loaded block. */
  count: i32;
  /** Greatest score anywhere, and in the window at hand. */
  maxScore: f32;
  windowMax: f32;
  /** What the list gives the document at hand, while documents are scored list by list. */
  docScore: f32;
  /** While a phrase is counted: the posting at hand in its block. */
  entry: i32;
  /** What a step of the row's bytes counts in a sum of several lists. */
  rowWeight: i32;
  /** 1: all documents that a list without a row holds have been looked at, while others have rows. */
  isWalked: i32;
}

/** Takes a list that has been filled in: decodes and scores a short one, finds the greatest score. */
export function prepareList(list: PostingList): void {
  list.loaded = -1;
  list.loadedFreqs = -1;
  list.scored = -1;
  list.summedBlock = -1;
  if (isShort(list)) prepareShortList(list);
  if (isBits(list)) {
    list.maxScore = list.boundBase;
    list.block = list.endBlock;
    return;
  }
  if (isScored(list)) {
    // The block with the greatest score has the greatest bound that there is.
    list.maxScore = list.boundUnit * BOUND_SCALE;
    rewindList(list);
    return;
  }
  list.maxScore = boundOfBlocks(list, list.firstBlock, list.endBlock);
  rewindList(list);
}

/** Whether a list is nothing but documents. */
export function isBits(list: PostingList): bool {
  return list.shortness == 3;
}

/** Whether a list's scores are known, so that its frequencies are places among them, from 1. */
export function isScored(list: PostingList): bool {
  return list.shortness == 4;
}

/** Whether a list is one block that is always loaded and scored. */
export function isShort(list: PostingList): bool {
  return list.shortness == 1 || list.shortness == 2;
}

/** Back to before the first block. */
export function rewindList(list: PostingList): void {
  list.block = list.firstBlock;
  list.probeBlock = list.firstBlock;
}

/** A list of fewer than 128 documents is one block that stays loaded, with its own metadata in scratch memory. */
function prepareShortList(list: PostingList): void {
  if (list.shortness == 2) padBlock(list, list.docFreq);
  else if (list.kept == 0) loadLastBlock(list, list.data, -1);
  else list.count = list.docFreq;
  list.loaded = 0;
  list.loadedFreqs = 0;
  list.boundBase = 0;
  list.boundUnit = list.shortness == 1 && list.kept != 0 ? keptMaximum(list) : scoredMaximum(list);
  store<u16>(list.bounds, 1);
  store<i32>(list.lastDocs, docAt(list, list.count - 1));
}

/** Scores a short list and returns its greatest score. */
function scoredMaximum(list: PostingList): f32 {
  scoreBlock(list, 0);
  let greatests = f32x4.splat(0);
  for (let entry = 0; entry < list.count; entry += 4) {
    greatests = f32x4.pmax(greatests, v128.load(list.scores + (<usize>entry << 2)));
  }
  greatests = f32x4.pmax(greatests, v128.shuffle<i64>(greatests, greatests, 1, 0));
  greatests = f32x4.pmax(greatests, v128.shuffle<i32>(greatests, greatests, 1, 0, 3, 2));
  return f32x4.extract_lane(greatests, 0);
}

/** What the scores in a kept list's buffer were made with, and the greatest of them. */
@unmanaged
class KeptHeader {
  /** 0: there are none yet. */
  averageLength: f64;
  idf: f64;
  weight: f32;
  maximum: f32;
}

/** The same of a kept list, which is scored only if its scores are others than the last time. */
function keptMaximum(list: PostingList): f32 {
  const header = changetype<KeptHeader>(list.kept);
  if (
    header.averageLength == list.averageLength &&
    header.idf == list.idf &&
    header.weight == list.weight
  ) {
    list.scored = 0;
    return header.maximum;
  }
  const maximum = scoredMaximum(list);
  header.averageLength = list.averageLength;
  header.idf = list.idf;
  header.weight = list.weight;
  header.maximum = maximum;
  return maximum;
}

/** Decodes a short list into the buffers that it is kept in. */
export function keepShortList(list: PostingList): void {
  loadLastBlock(list, list.data, -1);
  changetype<KeptHeader>(list.kept).averageLength = 0;
}

/** The same of a longer list's last block, which is written as varints. */
export function keepLastBlock(list: PostingList): void {
  const block = list.endBlock - 1;
  const source = list.data + <usize>load<u32>(list.dataOffsets + (<usize>block << 2));
  loadLastBlock(list, source, lastDocOf(list, block - 1));
}

/** What is behind the entries comes with them, as vectors reach there. */
function copyLastBlock(list: PostingList): void {
  const count = list.docFreq & (BLOCK_SIZE - 1);
  const docs = list.docs;
  const freqs = list.freqs;
  const kept = list.keptLast;
  const end = (<usize>count << 2) + 16;
  for (let at: usize = 0; at < end; at += 16) {
    v128.store(docs + at, v128.load(kept + at));
    v128.store(freqs + at, v128.load(kept + at, KEPT_FREQS));
  }
  list.count = count;
}

function greatestBound(list: PostingList, from: i32, to: i32): i32 {
  const bounds = list.bounds;
  let lanes = i16x8.splat(0);
  let block = from;
  for (; block + 8 <= to; block += 8) {
    lanes = i16x8.max_u(lanes, v128.load(bounds + (<usize>block << 1)));
  }
  let greatest = 0;
  if (block != from) {
    lanes = i16x8.max_u(lanes, v128.shuffle<i64>(lanes, lanes, 1, 1));
    lanes = i16x8.max_u(lanes, v128.shuffle<i32>(lanes, lanes, 1, 1, 1, 1));
    lanes = i16x8.max_u(lanes, v128.shuffle<i16>(lanes, lanes, 1, 1, 1, 1, 1, 1, 1, 1));
    greatest = <i32>i16x8.extract_lane_u(lanes, 0);
  }
  for (; block < to; block++) {
    greatest = max(greatest, <i32>load<u16>(bounds + (<usize>block << 1)));
  }
  return greatest;
}

/** Upper bound of the scores in blocks from `from` up to, not including, `to`; at least one. */
export function boundOfBlocks(list: PostingList, from: i32, to: i32): f32 {
  return list.boundBase + list.boundUnit * <f32>greatestBound(list, from, to);
}

/** Last doc id of a block. */
export function lastDocOf(list: PostingList, block: i32): i32 {
  return load<i32>(list.lastDocs + (<usize>block << 2));
}

/** First doc id that a block can have. */
export function firstDocBound(list: PostingList, block: i32): i32 {
  return block == list.firstBlock ? 0 : lastDocOf(list, block - 1) + 1;
}

/** What the nearest variants of a word score at least, in units of idf. */
const FUZZY_BASE: f64 = 0.1;

/** A fuzzy word's score: in f64, rounded once. */
export function fuzzyScore(idf: f64, termScore: f32): f32 {
  return <f32>(idf * (FUZZY_BASE + <f64>termScore));
}

/** Upper bound of a block's scores. */
export function boundOf(list: PostingList, block: i32): f32 {
  return list.boundBase + list.boundUnit * <f32>(<i32>load<u16>(list.bounds + (<usize>block << 1)));
}

/** Whether no score of a block is above the threshold, by its greatest impact where that is exact. */
export function cannotExceed(list: PostingList, block: i32, threshold: f32): bool {
  if (boundOf(list, block) <= threshold) return true;
  if (list.hasExactImpacts == 0) return false;
  const impact = <u32>load<u16>(list.impacts + (<usize>block << 1));
  const freq = impact & 255;
  return freq < IMPACT_FREQ_MAX && scoreFor(list, <f32>freq, impact >>> 8) <= threshold;
}

/** BM25 of a frequency at a norm code: each step rounded to f32, as `Bm25Similarity` has it. */
export function termScoreFor(list: PostingList, freq: f32, norm: u32): f32 {
  return list.weight * (freq / (freq + load<f32>(list.lengthNorms + (<usize>norm << 2))));
}

export function scoreFor(list: PostingList, freq: f32, norm: u32): f32 {
  const score = termScoreFor(list, freq, norm);
  return list.idf > 0 ? fuzzyScore(list.idf, score) : score;
}

export function scoreOfDoc(list: PostingList, doc: i32, freq: i32): f32 {
  if (isScored(list)) return load<f32>(list.allScores + (<usize>(freq - 1) << 2));
  return scoreFor(list, <f32>freq, <u32>load<u8>(list.norms + <usize>doc));
}

/** First block from `from` on that ends at or after a document: gallops, then bisects. */
export function blockAtOrAfter(list: PostingList, from: i32, doc: i32): i32 {
  const end = list.endBlock;
  if (from >= end || lastDocOf(list, from) >= doc) return from;
  let low = from + 1;
  let high = low;
  for (let step = 1; high < end && lastDocOf(list, high) < doc; step <<= 1) {
    low = high + 1;
    high += step;
  }
  if (high > end) high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (lastDocOf(list, middle) < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Moves the walk to the first block that ends at or after a document. */
export function seekBlock(list: PostingList, doc: i32): i32 {
  const block = blockAtOrAfter(list, list.block, doc);
  list.block = block;
  return block;
}

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
    if (list.keptLast != 0) copyLastBlock(list);
    else loadLastBlock(list, source, previous);
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
    let scores = f32x4.mul(weights, f32x4.div(freqs, f32x4.add(freqs, factors)));
    if (list.idf > 0) scores = fuzzyScores(list.idf, scores);
    v128.store(score, scores);
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

/** `fuzzyScore` of four. */
function fuzzyScores(wordIdf: f64, termScores: v128): v128 {
  const idf = f64x2.splat(wordIdf);
  const base = f64x2.splat(FUZZY_BASE);
  const low = f64x2.promote_low_f32x4(termScores);
  const high = f64x2.promote_low_f32x4(v128.shuffle<i64>(termScores, termScores, 1, 1));
  return v128.shuffle<i64>(
    f32x4.demote_f64x2_zero(f64x2.mul(idf, f64x2.add(base, low))),
    f32x4.demote_f64x2_zero(f64x2.mul(idf, f64x2.add(base, high))),
    0,
    2,
  );
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

export function docAt(list: PostingList, entry: i32): i32 {
  return load<i32>(list.docs + (<usize>entry << 2));
}

/** Whether a dense term stands in a document. */
export function denseHolds(list: PostingList, doc: i32): i32 {
  return (load<i32>(list.denseBits + (<usize>(doc >>> 5) << 2)) >>> (doc & 31)) & 1;
}

/** Documents of a dense term before a document. */
export function denseRank(list: PostingList, doc: i32): i32 {
  const group = doc >>> 9;
  let rank = load<i32>(list.denseRanks + (<usize>group << 2));
  let word = list.denseBits + (<usize>group << 6);
  const last = list.denseBits + (<usize>(doc >>> 6) << 3);
  for (; word < last; word += 8) rank += <i32>popcnt<i64>(load<i64>(word));
  return rank + <i32>popcnt<i64>(load<i64>(last) & (((<i64>1) << (doc & 63)) - 1));
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

/** Varints: gap << 1 | (frequency is 1), then the frequency if it isn't 1. */
function loadLastBlock(list: PostingList, source: usize, previous: i32): void {
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

function padBlock(list: PostingList, count: i32): void {
  for (let entry = count; entry < count + 4; entry++) {
    store<i32>(list.docs + (<usize>entry << 2), NO_DOC);
    store<i32>(list.freqs + (<usize>entry << 2), 0);
  }
  list.count = count;
}
