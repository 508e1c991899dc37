import type { DocId } from "../../schema/document.js";
import { leastBound } from "./disjunction-evaluator.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";
import { addScores } from "./window-scores.js";

/** Documents that at least `minimum` of the clauses match; scores add up in clause order. */
export class MinimumShouldMatchEvaluator implements Evaluator {
  readonly cost: number;
  readonly #clauses: readonly Evaluator[];
  readonly #minimum: number;
  readonly #counts: Uint32Array = new Uint32Array(WINDOW_SIZE);
  readonly #pool: WindowPool;

  /** @param minimum at least 1, at most the number of clauses */
  constructor(clauses: readonly Evaluator[], minimum: number, pool: WindowPool) {
    // Each match takes up `minimum` of the clauses' matches.
    const matchesTogether = clauses.reduce((sum, clause) => sum + clause.cost, 0);
    this.cost = Math.floor(matchesTogether / minimum);
    this.#clauses = clauses;
    this.#minimum = minimum;
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
    const pool = this.#pool;
    const sums = scores === null ? null : pool.borrowScores();
    const clauseMatches = pool.borrowBits();
    matches.fill(0);
    for (let i = 0; i < this.#clauses.length; i++) {
      pool.beginClause();
      this.#clauses[i]!.evaluate(windowStart, candidates, clauseMatches, sums);
      this.#count(clauseMatches, matches);
    }
    this.#counts.fill(0);
    pool.returnBits(clauseMatches);
    if (sums !== null && scores !== null) {
      addScores(matches, sums, scores);
      pool.returnScores(sums);
    }
  }

  /** Counts one clause's matches; those that reach the minimum become matches. */
  #count(clauseMatches: WindowBits, matches: WindowBits): void {
    const counts = this.#counts;
    for (let word = 0; word < clauseMatches.length; word++) {
      for (let rest = clauseMatches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        if (++counts[offset]! === this.#minimum) matches[word]! |= rest & -rest;
      }
    }
  }
}
