/** Floor of the scores of the nearest variants, in units of idf. */
const BASE = 0.1;

/**
 * Score of a document for one fuzzy word (docs/adr/0003-fuzzy-scoring.md), f32.
 *
 * With s = 0 (the document holds one of the nearest variants that occur at all): idf · (0.1 + x).
 * With s > 0 further edits: idf · 0.1 · 2^-s · (0.6 + 0.4 · x / (1 + x)). So the scores of s = 0 are at
 * least 0.1 idf, those of s = 1 lie in 0.03 to 0.05 idf, those of s = 2 in 0.015 to 0.025 idf.
 *
 * @param inverseDocFreq of the word, above 0
 * @param stepsBeyondNearest the document's distance minus the smallest distance of any document
 * @param termScore the BM25 of the document's nearest variants without idf, boosts included; at least 0
 */
export function fuzzyScore(inverseDocFreq: number, stepsBeyondNearest: number, termScore: number): number {
  if (stepsBeyondNearest === 0) return Math.fround(inverseDocFreq * (BASE + termScore));
  const tier = inverseDocFreq * BASE * 2 ** -stepsBeyondNearest;
  return Math.fround(tier * (0.6 + (0.4 * termScore) / (1 + termScore)));
}
