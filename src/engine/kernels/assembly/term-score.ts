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

/** `fuzzyScore` of four. */
export function fuzzyScores(wordIdf: f64, termScores: v128): v128 {
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

export function scoreFor(list: PostingList, freq: f32, norm: u32): f32 {
  const score = termScoreFor(list, freq, norm);
  return list.idf > 0 ? fuzzyScore(list.idf, score) : score;
}

export function scoreOfDoc(list: PostingList, doc: i32, freq: i32): f32 {
  if (isScored(list)) return load<f32>(list.allScores + (<usize>(freq - 1) << 2));
  return scoreFor(list, <f32>freq, <u32>load<u8>(list.norms + <usize>doc));
}

/** Whether no score of a block is above the threshold, by its greatest impact where that is exact. */
export function cannotExceed(list: PostingList, block: i32, threshold: f32): bool {
  if (boundOf(list, block) <= threshold) return true;
  if (list.hasExactImpacts == 0) return false;
  const impact = <u32>load<u16>(list.impacts + (<usize>block << 1));
  const freq = impact & 255;
  return freq < IMPACT_FREQ_MAX && scoreFor(list, <f32>freq, impact >>> 8) <= threshold;
}
