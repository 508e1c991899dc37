// AssemblyScript. A term's postings in one field, as the kernels walk them: FORMAT.md says how they
// lie in the segment's image. Pointers are addresses in the memory that image and scratch share.

/** Postings in a full block. */
export const BLOCK_SIZE: i32 = 128;
/** Values that a block's buffers have room for, with those that vector code writes behind them. */
export const BLOCK_VALUES: usize = 144;
/** Stands for a scored list's greatest score in a block's bound. */
export const BOUND_SCALE: f32 = 65535;
export const NO_SCORE: f32 = -Infinity;
/** Stands where there is no document: greater than all that there are. */
export const NO_DOC: i32 = 0x7fff_ffff;

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
   * 0: in blocks; 1: fewer than 128 documents, varints at `data`; 2: already in the buffers; 3: only bits, at
   * `denseBits`: documents that all score `boundBase`; 4: scored already, doc ids at `data` and scores at `allScores`.
   */
  shortness: i32;
  /** What a block's greatest score is at least, for each unit of its bound less one. */
  floorUnit: f32;
  floorBase: f32;
  /** Bound of a block's scores for a bound of 0. */
  boundBase: f32;
  /** The idf of a typo-tolerant word; only for `word.ts`, whose weights are without it. */
  idf: f64;
  allScores: usize;
  /** Buffer: bits of a block's positions before those of each entry. */
  positionSums: usize;
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

/** Last doc id of a block. */
export function lastDocOf(list: PostingList, block: i32): i32 {
  return load<i32>(list.lastDocs + (<usize>block << 2));
}

/** First doc id that a block can have. */
export function firstDocBound(list: PostingList, block: i32): i32 {
  return block == list.firstBlock ? 0 : lastDocOf(list, block - 1) + 1;
}

/** Upper bound of a block's scores. */
export function boundOf(list: PostingList, block: i32): f32 {
  return list.boundBase + list.boundUnit * <f32>(<i32>load<u16>(list.bounds + (<usize>block << 1)));
}

/** Upper bound of the scores in blocks from `from` up to, not including, `to`; at least one. */
export function boundOfBlocks(list: PostingList, from: i32, to: i32): f32 {
  return list.boundBase + list.boundUnit * <f32>greatestBound(list, from, to);
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
