import type { DocId } from "../../schema/document.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { isEmpty } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";
import { addScores } from "./window-scores.js";

export interface ConjunctionClause {
  readonly evaluator: Evaluator;
  /** False for filters, which only decide. */
  readonly scoring: boolean;
}

/** Above this many clauses each keeping its scores until the end would take too much memory. */
const REORDERED_CLAUSES_MAX = 16;

/**
 * Matches of every clause (boolean AND). The cheapest clause goes first and its matches are the next
 * one's candidates; scores are summed in the order given all the same, since f32 sums depend on their
 * order and the cheapest clause is another one in each segment.
 */
export class ConjunctionEvaluator implements Evaluator {
  readonly cost: number;
  readonly #clauses: readonly ConjunctionClause[];
  /** Indexes of `#clauses` in the order of evaluation. */
  readonly #order: readonly number[];
  /** By clause: scores that wait for those of the clauses before them. */
  readonly #pending: (WindowScores | null)[];
  readonly #pool: WindowPool;

  constructor(clauses: readonly ConjunctionClause[], pool: WindowPool) {
    this.cost = clauses.reduce(
      (least, clause) => Math.min(least, clause.evaluator.cost),
      Number.MAX_SAFE_INTEGER,
    );
    this.#clauses = clauses;
    const order = clauses.map((_, index) => index);
    if (clauses.length <= REORDERED_CLAUSES_MAX) {
      order.sort((a, b) => clauses[a]!.evaluator.cost - clauses[b]!.evaluator.cost);
    }
    this.#order = order;
    this.#pending = clauses.map(() => null);
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    let bound = docId;
    for (let i = 0; i < this.#order.length; i++) {
      bound = this.#clauses[this.#order[i]!]!.evaluator.nextMatchBound(bound);
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
    const sums = scores === null ? null : pool.borrowScores();
    let narrowed = pool.borrowBits();
    let wider = pool.borrowBits();
    let left = candidates;
    let summed = 0;
    for (let i = 0; i < this.#order.length; i++) {
      pool.beginClause();
      const index = this.#order[i]!;
      const clause = this.#clauses[index]!;
      const clauseScores = sums !== null && clause.scoring ? pool.borrowScores() : null;
      this.#pending[index] = clauseScores;
      clause.evaluator.evaluate(windowStart, left, narrowed, clauseScores);
      left = narrowed;
      [narrowed, wider] = [wider, narrowed];
      if (isEmpty(left)) break;
      if (sums !== null) summed = this.#sumEvaluated(summed, left, sums);
    }
    matches.set(left!);
    if (sums !== null && scores !== null) {
      addScores(matches, sums, scores);
      pool.returnScores(sums);
    }
    this.#returnPending();
    pool.returnBits(narrowed);
    pool.returnBits(wider);
  }

  /**
   * Adds scores to the sums as far as all clauses before have been evaluated; returns the number of
   * clauses that have been summed or don't score. Without reordering only one clause waits at a time.
   */
  #sumEvaluated(summed: number, matches: WindowBits, sums: WindowScores): number {
    for (let index = summed; index < this.#clauses.length; index++) {
      const pending = this.#pending[index]!;
      if (pending !== null) {
        addScores(matches, pending, sums);
        this.#pool.returnScores(pending);
        this.#pending[index] = null;
      } else if (this.#clauses[index]!.scoring) {
        return index;
      }
    }
    return this.#clauses.length;
  }

  #returnPending(): void {
    for (let index = 0; index < this.#pending.length; index++) {
      const pending = this.#pending[index]!;
      if (pending !== null) this.#pool.returnScores(pending);
      this.#pending[index] = null;
    }
  }
}
