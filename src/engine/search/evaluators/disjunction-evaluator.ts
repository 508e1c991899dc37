import { orInto } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import type { WindowPool } from "./window-pool.js";

/** Matches of any clause (boolean OR); scores add up in clause order. */
export class DisjunctionEvaluator implements Evaluator {
  readonly cost: number;
  readonly #clauses: readonly Evaluator[];
  readonly #pool: WindowPool;

  constructor(clauses: readonly Evaluator[], pool: WindowPool) {
    this.cost = clauses.reduce((sum, clause) => sum + clause.cost, 0);
    this.#clauses = clauses;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    return leastBound(this.#clauses, docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const clauseMatches = this.#pool.borrowBits();
    matches.fill(0);
    for (let i = 0; i < this.#clauses.length; i++) {
      this.#pool.beginClause();
      this.#clauses[i]!.evaluate(windowStart, candidates, clauseMatches, scores);
      orInto(matches, clauseMatches);
    }
    this.#pool.returnBits(clauseMatches);
  }
}

/** The least of the clauses' bounds. */
export function leastBound(clauses: readonly Evaluator[], docId: DocId): DocId {
  let bound = NO_MORE_DOCS;
  for (let i = 0; i < clauses.length && bound > docId; i++) {
    bound = Math.min(bound, clauses[i]!.nextMatchBound(docId));
  }
  return bound;
}
