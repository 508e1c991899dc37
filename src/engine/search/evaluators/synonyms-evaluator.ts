import { orInto } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import { synonymKeyBonus, synonymTermScore } from "../similarity/synonym-scoring.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** One synonym key in one segment; null where nothing there can match. */
export interface AlternativeEvaluators {
  /** Sum of the idf of the key's tokens. */
  readonly importance: number;
  /** Documents that hold the key; its scores are not asked for. */
  readonly key: Evaluator | null;
  /** Documents that hold any of its terms; scores BM25 without idf. */
  readonly terms: Evaluator | null;
}

/**
 * Words with synonyms: matches the words or a term. Scores the greater of two: what the words score,
 * and more if the document holds a whole key; and what the best key's terms score.
 */
export class SynonymsEvaluator implements Evaluator {
  readonly cost: number;
  readonly #words: Evaluator | null;
  readonly #alternatives: readonly AlternativeEvaluators[];
  readonly #pool: WindowPool;

  constructor(words: Evaluator | null, alternatives: readonly AlternativeEvaluators[], pool: WindowPool) {
    this.cost = alternatives.reduce((sum, { terms }) => sum + (terms?.cost ?? 0), words?.cost ?? 0);
    this.#words = words;
    this.#alternatives = alternatives;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    let bound = this.#words?.nextMatchBound(docId) ?? NO_MORE_DOCS;
    for (let i = 0; i < this.#alternatives.length && bound > docId; i++) {
      bound = Math.min(bound, this.#alternatives[i]!.terms?.nextMatchBound(docId) ?? NO_MORE_DOCS);
    }
    return bound;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const pool = this.#pool;
    const found = pool.borrowBits();
    if (scores === null) {
      matches.fill(0);
      this.#words?.evaluate(windowStart, candidates, matches, null);
      for (let i = 0; i < this.#alternatives.length; i++) {
        const { terms } = this.#alternatives[i]!;
        if (terms === null) continue;
        terms.evaluate(windowStart, candidates, found, null);
        orInto(matches, found);
      }
      pool.returnBits(found);
      return;
    }
    const wordMatches = pool.borrowBits().fill(0);
    const wordScores = pool.borrowScores();
    this.#words?.evaluate(windowStart, candidates, wordMatches, wordScores);
    matches.set(wordMatches);
    const bonuses = pool.borrowScores();
    const best = pool.borrowScores();
    for (let i = 0; i < this.#alternatives.length; i++) {
      const { importance, key, terms } = this.#alternatives[i]!;
      if (key !== null) {
        key.evaluate(windowStart, wordMatches, found, null);
        raise(bonuses, found, synonymKeyBonus(importance));
      }
      if (terms !== null) {
        const termScores = pool.borrowScores();
        terms.evaluate(windowStart, candidates, found, termScores);
        raiseToTerms(best, found, termScores, importance);
        pool.returnScores(termScores);
        orInto(matches, found);
      }
    }
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        const own = Math.fround(wordScores[offset]! + bonuses[offset]!);
        scores[offset] = scores[offset]! + Math.max(own, best[offset]!);
      }
    }
    pool.returnBits(found);
    pool.returnBits(wordMatches);
    pool.returnScores(wordScores);
    pool.returnScores(bonuses);
    pool.returnScores(best);
  }
}

/** At least `least` for each of the documents. */
function raise(values: WindowScores, documents: WindowBits, least: number): void {
  for (let word = 0; word < documents.length; word++) {
    for (let rest = documents[word]!; rest !== 0; rest &= rest - 1) {
      const offset = (word << 5) + lowestBit(rest);
      if (values[offset]! < least) values[offset] = least;
    }
  }
}

/** At least what the terms make of each of the documents. */
function raiseToTerms(
  values: WindowScores,
  documents: WindowBits,
  termScores: WindowScores,
  importance: number,
): void {
  for (let word = 0; word < documents.length; word++) {
    for (let rest = documents[word]!; rest !== 0; rest &= rest - 1) {
      const offset = (word << 5) + lowestBit(rest);
      const score = synonymTermScore(importance, termScores[offset]!);
      if (values[offset]! < score) values[offset] = score;
    }
  }
}
