// AssemblyScript. Entries of a block that score above a limit, told by their frequencies before anything else: the
// shortest document of the block says how frequent a term has to be at least.

import { entries, takeAbove } from "./candidates";
import { docAt, loadDocs, loadFreqs, scoreBlock, VARINT_BLOCK } from "./posting-block";
import { PostingList } from "./posting-list";

/** Makes up for rounding, so that no entry is left out that scores enough. */
const MARGIN: f32 = 1.000001;
/** Frequencies behind it aren't told apart. */
const FREQ_MAX: f32 = 1e9;

/**
 * `takeAbove` of a block of a term, which has its documents and frequencies loaded by then if it takes any, its scores
 * only where its frequencies tell too little. A limit is a millionth below what a score has to exceed at least.
 *
 * @param limit above 0
 */
export function takeScoring(list: PostingList, block: i32, limit: f32): i32 {
  const least = leastFreqAbove(list, block, limit);
  if (least < 2) {
    scoreBlock(list, block);
    return takeAbove(list, limit);
  }
  return takeFrequent(list, block, limit, least);
}

/** The least frequency with which any of a block's documents can score above a limit; 0: it isn't known. */
export function leastFreqAbove(list: PostingList, block: i32, limit: f32): i32 {
  if (list.leastNorms == 0) return 0;
  const ratio = ratioTo(list, limit);
  if (!(ratio > 0)) return <i32>FREQ_MAX;
  const norm = <u32>load<u8>(list.leastNorms + <usize>block);
  const code = norm == 0 ? findLeastNorm(list, block) : norm;
  const factor = load<f32>(list.lengthNorms + (<usize>code << 2));
  return <i32>min<f32>(FREQ_MAX, floor(factor / (ratio * MARGIN))) + 1;
}

/** weight · freq / (freq + K) > limit is K < freq · (weight - limit) / limit. */
@inline
function ratioTo(list: PostingList, limit: f32): f32 {
  return ((list.weight - limit) / limit) * MARGIN;
}

/** Where a document has norm code 0, which no document with a token has, it stays unknown. */
function findLeastNorm(list: PostingList, block: i32): u32 {
  loadDocs(list, block);
  const norms = list.norms;
  let least: u32 = 255;
  for (let entry = 0; entry < list.count; entry++) {
    least = min(least, <u32>load<u8>(norms + <usize>docAt(list, entry)));
  }
  store<u8>(list.leastNorms + <usize>block, <u8>least);
  return least;
}

function takeFrequent(list: PostingList, block: i32, limit: f32, least: i32): i32 {
  const bits = <u32>load<u8>(list.freqBits + <usize>block);
  // Frequencies are written less one.
  if (bits != VARINT_BLOCK && bits < 31 && least > 1 << bits) return 0;
  loadFreqs(list, block);
  const below = i32x4.splat(least - 1);
  const low = frequentAmong(list.freqs, below);
  const high = frequentAmong(list.freqs + 256, below);
  if ((low | high) == 0) return 0;
  loadDocs(list, block);
  const ratio = ratioTo(list, limit);
  return takeLong(list, ratio, high, 64, takeLong(list, ratio, low, 0, 0));
}

/** Which of 64 frequencies are above a least one. */
function frequentAmong(freqs: usize, below: v128): u64 {
  let bits: u64 = 0;
  for (let at: usize = 0; at < 256; at += 64) {
    const first = i16x8.narrow_i32x4_s(
      i32x4.gt_s(v128.load(freqs + at), below),
      i32x4.gt_s(v128.load(freqs + at, 16), below),
    );
    const second = i16x8.narrow_i32x4_s(
      i32x4.gt_s(v128.load(freqs + at, 32), below),
      i32x4.gt_s(v128.load(freqs + at, 48), below),
    );
    bits |= (<u64>i8x16.bitmask(i8x16.narrow_i16x8_s(first, second))) << (at >>> 2);
  }
  return bits;
}

/** Takes those of a half of the block's entries that score enough in their documents. What is behind the last entry isn't one. */
function takeLong(list: PostingList, ratio: f32, half: u64, from: i32, taken: i32): i32 {
  const left = list.count - from;
  let bits = left >= 64 ? half : left <= 0 ? 0 : half & ((<u64>1 << left) - 1);
  let kept = taken;
  for (; bits != 0; bits &= bits - 1) {
    const entry = from + <i32>ctz(bits);
    const freq = <f32>load<i32>(list.freqs + (<usize>entry << 2));
    const norm = <u32>load<u8>(list.norms + <usize>docAt(list, entry));
    store<i32>(entries + (<usize>kept << 2), entry);
    kept += <i32>(load<f32>(list.lengthNorms + (<usize>norm << 2)) < freq * ratio);
  }
  return kept;
}
