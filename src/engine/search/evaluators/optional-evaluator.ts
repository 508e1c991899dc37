import type { DocId } from "../../schema/document.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import type { WindowPool } from "./window-pool.js";
import { addScores } from "./window-scores.js";

/** Matches of one node; optional clauses only add to the scores, in their order. */
export class OptionalEvaluator implements Evaluator {
  readonly cost: number;
  readonly #required: Evaluator;
  readonly #optional: readonly Evaluator[];
  readonly #pool: WindowPool;

  constructor(required: Evaluator, optional: readonly Evaluator[], pool: WindowPool) {
    this.cost = required.cost;
    this.#required = required;
    this.#optional = optional;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    return this.#required.nextMatchBound(docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (scores === null) {
      this.#required.evaluate(windowStart, candidates, matches, null);
      return;
    }
    const pool = this.#pool;
    // Sums of its own, so that the order of the additions is that of the query alone.
    const sums = pool.borrowScores();
    const optionalMatches = pool.borrowBits();
    this.#required.evaluate(windowStart, candidates, matches, sums);
    for (let i = 0; i < this.#optional.length; i++) {
      pool.beginClause();
      this.#optional[i]!.evaluate(windowStart, matches, optionalMatches, sums);
    }
    addScores(matches, sums, scores);
    pool.returnBits(optionalMatches);
    pool.returnScores(sums);
  }
}
