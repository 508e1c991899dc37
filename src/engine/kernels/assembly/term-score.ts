// AssemblyScript. What a posting of a list scores: BM25, and what a typo-tolerant word makes of it.

import { boundOf, isScored, PostingList } from "./posting-list";

/** A frequency in a block's impact that stands for itself and everything above. */
const IMPACT_FREQ_MAX: u32 = 255;
/** What the nearest variants of a word score at least, in units of idf. */
const FUZZY_BASE: f64 = 0.1;

/** BM25 of a frequency at a norm code: each step rounded to f32, as `Bm25Similarity` has it. */
export function termScoreFor(list: PostingList, freq: f32, norm: u32): f32 {
  return list.weight * (freq / (freq + load<f32>(list.lengthNorms + (<usize>norm << 2))));
}

/** A fuzzy word's score: in f64, rounded once. */
export function fuzzyScore(idf: f64, termScore: f32): f32 {
  return <f32>(idf * (FUZZY_BASE + <f64>termScore));
}

export function scoreOfDoc(list: PostingList, doc: i32, freq: i32): f32 {
  if (isScored(list)) return load<f32>(list.allScores + (<usize>(freq - 1) << 2));
  return termScoreFor(list, <f32>freq, <u32>load<u8>(list.norms + <usize>doc));
}

/** Whether no score of a block is above the threshold, by its greatest impact where that is exact. */
export function cannotExceed(list: PostingList, block: i32, threshold: f32): bool {
  if (boundOf(list, block) <= threshold) return true;
  if (list.hasExactImpacts == 0) return false;
  const impact = <u32>load<u16>(list.impacts + (<usize>block << 1));
  const freq = impact & 255;
  return freq < IMPACT_FREQ_MAX && termScoreFor(list, <f32>freq, impact >>> 8) <= threshold;
}
