import type { DocId } from "../../schema/document.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { Explanation } from "../search-types.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

/** A node that only decides; each match scores 1 (contract 5.7). */
export class FilterWeight implements Weight {
  readonly #description: string;
  readonly #makeEvaluator: (context: SegmentContext) => Evaluator | null;

  /** @param makeEvaluator its matches score 1 */
  constructor(description: string, makeEvaluator: (context: SegmentContext) => Evaluator | null) {
    this.#description = description;
    this.#makeEvaluator = makeEvaluator;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    return this.#makeEvaluator(context);
  }

  explain(context: SegmentContext, docId: DocId): Explanation | null {
    const score = scoreOf(this, context, docId);
    return score === null
      ? null
      : { value: score, description: `${this.#description}: constant`, details: [] };
  }
}
