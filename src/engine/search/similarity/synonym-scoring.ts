/** What a document gets for holding a synonym key as the query has it, in units of the key's idf. */
const KEY_BONUS = 1;

/** Range of what it gets for holding one of the key's terms instead. */
const TERM_LEAST = 0.5;
const TERM_SPAN = 0.45;

/**
 * Bonus of a document that holds the key itself, f32 (docs/adr/0008-synonyms.md).
 *
 * @param importance sum of the idf of the key's tokens, above 0
 */
export function synonymKeyBonus(importance: number): number {
  return Math.fround(importance * KEY_BONUS);
}

/**
 * Score of a document for terms that stand for a key, f32: below the bonus of the key, above what
 * variants with edits get where the word occurs as it was typed.
 *
 * @param termScore the terms' BM25 without idf, boosts included; at least 0
 */
export function synonymTermScore(importance: number, termScore: number): number {
  return Math.fround(importance * (TERM_LEAST + (TERM_SPAN * termScore) / (1 + termScore)));
}
