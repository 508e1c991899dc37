import { editsOf, FOLDED } from "../../../analysis/word-distance.js";

/** Floor of the scores of the nearest variants, in units of idf. */
const BASE = 0.1;

/** Steps of a document that shares only the word's stem where others hold the word as it is written. */
export const STEM_STEPS = 3;
/** Steps of a document that holds the word but for what folding takes off, where others hold it as it is written. */
export const FOLDED_STEPS = 4;

/** Steps from the nearest variant of the collection to another one, by their distances (`word-distance.ts`). */
export function stepsBetween(nearest: number, distance: number): number {
  if (distance === nearest) return 0;
  return distance === FOLDED ? FOLDED_STEPS : editsOf(distance) - editsOf(nearest);
}

/**
 * Score of a document for one fuzzy word (docs/adr/0003-fuzzy-scoring.md), f32.
 *
 * With s = 0 (the document holds one of the nearest variants that occur at all): idf · (0.1 + x).
 * With s > 0 further edits: idf · 0.1 · 2^-s · (0.6 + 0.4 · x / (1 + x)). So the scores of s = 0 are at
 * least 0.1 idf, those of s = 1 lie in 0.03 to 0.05 idf, those of s = 2 in 0.015 to 0.025 idf. Between
 * s = 0 and s = 1 are documents that share only the stem, in 0.057 to 0.095 idf by idf · 0.1 · 0.95 · (0.6 + 0.4 · x / (1 + x)),
 * and below them those that hold the word but for what folding takes off, in 0.0535 to 0.0555 idf.
 *
 * @param inverseDocFreq of the word, above 0
 * @param stepsBeyondNearest the document's distance minus the smallest distance of any document, `STEM_STEPS` or `FOLDED_STEPS`
 * @param termScore the BM25 of the document's nearest variants without idf, boosts included; at least 0
 */
export function fuzzyScore(inverseDocFreq: number, stepsBeyondNearest: number, termScore: number): number {
  if (stepsBeyondNearest === 0) return Math.fround(inverseDocFreq * (BASE + termScore));
  if (stepsBeyondNearest === FOLDED_STEPS)
    return Math.fround(inverseDocFreq * BASE * (0.535 + (0.02 * termScore) / (1 + termScore)));
  const tier = inverseDocFreq * BASE * (stepsBeyondNearest === STEM_STEPS ? 0.95 : 2 ** -stepsBeyondNearest);
  return Math.fround(tier * (0.6 + (0.4 * termScore) / (1 + termScore)));
}

/**
 * Score of a document that holds a row which a word may be written as, f32. Where the word itself occurs, one slip: in
 * 0.0515 to 0.0525 idf, between those that hold it but for what folding takes off and the misspelt; else as one of the nearest variants, or before
 * all of them.
 *
 * @param rank.most what the row's BM25 without idf counts at most
 * @param rank.before what that of the nearest variants stays below where the row comes before them; else 0
 * @param termScore the row's BM25 without idf, boosts included; at least 0
 */
export function rowScore(
  inverseDocFreq: number,
  rank: { readonly isSlip: boolean; readonly before: number; readonly most: number },
  termScore: number,
): number {
  const own = Math.min(termScore, rank.most);
  if (rank.isSlip) return Math.fround(inverseDocFreq * BASE * (0.515 + (0.01 * own) / (1 + own)));
  return Math.fround(inverseDocFreq * (BASE + own + rank.before));
}

/**
 * Whether a score is of a row that comes before the nearest variants. These stay below `before` by more than rounding, and a
 * row scores `before` and no more in a field that counts nothing.
 *
 * @param before as for `rowScore`, above 0
 */
export function isFirstRowScore(inverseDocFreq: number, before: number, score: number): boolean {
  return score > inverseDocFreq * (BASE + before) * (1 - 1e-6);
}

/** Whether a score is of a row where the word itself occurs. */
export function isRowScore(inverseDocFreq: number, score: number): boolean {
  return score > inverseDocFreq * BASE * 0.507 && score < inverseDocFreq * BASE * 0.53;
}

/** What a word that only begins like the one being typed weighs, in parts of what the word itself does. */
export const BEGUN_WEIGHT = 0.8;

/**
 * The greatest score of a word, f32 rounding included.
 *
 * @param termScore the greatest BM25 without idf, boosts included
 */
export function fuzzyScoreBound(inverseDocFreq: number, termScore: number): number {
  return inverseDocFreq * (BASE + termScore) * (1 + 1e-6);
}

/** The steps that a score of `fuzzyScore` is of, those that share the stem having none: the scores of each lie apart. */
export function stepsOfScore(inverseDocFreq: number, score: number): number {
  if (score > inverseDocFreq * BASE * 0.5625) return 0;
  if (score > inverseDocFreq * BASE * 0.53) return FOLDED_STEPS;
  return score > inverseDocFreq * BASE * 0.275 ? 1 : 2;
}
