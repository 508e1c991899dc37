import { orInto } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** Documents that hold a word, or a row that it may be written as: the greater of what the two score. */
export class RowEvaluator implements Evaluator {
  readonly cost: number;
  readonly #word: Evaluator | null;
  readonly #rows: Evaluator;
  readonly #scoreOf: (termScore: number) => number;
  readonly #pool: WindowPool;

  /**
   * @param word null: nothing in the segment matches
   * @param rows scores BM25 without idf
   * @param scoreOf what a document scores for that
   */
  constructor(
    word: Evaluator | null,
    rows: Evaluator,
    scoreOf: (termScore: number) => number,
    pool: WindowPool,
  ) {
    this.cost = (word?.cost ?? 0) + rows.cost;
    this.#word = word;
    this.#rows = rows;
    this.#scoreOf = scoreOf;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    const ofWord = this.#word?.nextMatchBound(docId) ?? NO_MORE_DOCS;
    return Math.min(ofWord, this.#rows.nextMatchBound(docId));
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const pool = this.#pool;
    const found = pool.borrowBits();
    matches.fill(0);
    if (scores === null) {
      this.#word?.evaluate(windowStart, candidates, matches, null);
      this.#rows.evaluate(windowStart, candidates, found, null);
      orInto(matches, found);
      pool.returnBits(found);
      return;
    }
    const wordScores = pool.borrowScores();
    const rowScores = pool.borrowScores();
    this.#word?.evaluate(windowStart, candidates, matches, wordScores);
    this.#rows.evaluate(windowStart, candidates, found, rowScores);
    for (let word = 0; word < found.length; word++) {
      for (let rest = found[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        wordScores[offset] = Math.max(wordScores[offset]!, this.#scoreOf(rowScores[offset]!));
      }
    }
    orInto(matches, found);
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        scores[offset]! += wordScores[offset]!;
      }
    }
    pool.returnBits(found);
    pool.returnScores(wordScores);
    pool.returnScores(rowScores);
  }
}
