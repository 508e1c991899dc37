import { andNotInto } from "../../bytes/bitset.js";
import type { DocId } from "../../schema/document.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { isEmpty } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";
import { addScores } from "./window-scores.js";

/** Matches of one node that none of the excluded nodes matches (boolean AND NOT), with its scores. */
export class ExclusionEvaluator implements Evaluator {
  readonly cost: number;
  readonly #included: Evaluator;
  readonly #excluded: readonly Evaluator[];
  readonly #pool: WindowPool;

  constructor(included: Evaluator, excluded: readonly Evaluator[], pool: WindowPool) {
    this.cost = included.cost;
    this.#included = included;
    this.#excluded = excluded;
    this.#pool = pool;
  }

  nextMatchBound(docId: DocId): DocId {
    return this.#included.nextMatchBound(docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const pool = this.#pool;
    const includedScores = scores === null ? null : pool.borrowScores();
    this.#included.evaluate(windowStart, candidates, matches, includedScores);
    const excludedMatches = pool.borrowBits();
    for (let i = 0; i < this.#excluded.length && !isEmpty(matches); i++) {
      pool.beginClause();
      this.#excluded[i]!.evaluate(windowStart, matches, excludedMatches, null);
      andNotInto(matches, excludedMatches);
    }
    pool.returnBits(excludedMatches);
    if (includedScores !== null && scores !== null) {
      addScores(matches, includedScores, scores);
      pool.returnScores(includedScores);
    }
  }
}
