import type { DocId } from "../../schema/document.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";
import { addConstant } from "./window-scores.js";

/** A node's matches, their scores multiplied by a factor. */
export class BoostEvaluator implements Evaluator {
  readonly cost: number;
  readonly #inner: Evaluator;
  readonly #factor: number;
  readonly #pool: WindowPool;

  constructor(inner: Evaluator, factor: number, pool: WindowPool) {
    this.cost = inner.cost;
    this.#inner = inner;
    this.#factor = Math.min(Math.fround(factor), NODE_SCORE_MAX);
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    return this.#inner.nextMatchBound(docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (scores === null) {
      this.#inner.evaluate(windowStart, candidates, matches, null);
      return;
    }
    const innerScores = this.#pool.borrowScores();
    this.#inner.evaluate(windowStart, candidates, matches, innerScores);
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        const boosted = Math.min(innerScores[offset]! * this.#factor, NODE_SCORE_MAX);
        scores[offset] = scores[offset]! + Math.fround(boosted);
      }
    }
    this.#pool.returnScores(innerScores);
  }
}

/** A node's matches, each scoring the same. */
export class ConstantScoreEvaluator implements Evaluator {
  readonly cost: number;
  readonly #inner: Evaluator;
  readonly #score: number;

  constructor(inner: Evaluator, score: number) {
    this.cost = inner.cost;
    this.#inner = inner;
    this.#score = Math.min(Math.fround(score), NODE_SCORE_MAX);
  }

  nextMatchBound(docId: DocId): DocId {
    return this.#inner.nextMatchBound(docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    this.#inner.evaluate(windowStart, candidates, matches, null);
    if (scores !== null) addConstant(matches, this.#score, scores);
  }
}
