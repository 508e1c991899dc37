import type { DocId } from "../../schema/document.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { EMPTY_PLAN, type RankingPlan } from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import type { MarkDocuments, NumberRange } from "./matcher.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

/** A node that only decides; each match scores 1 (contract 5.7). */
export class FilterWeight implements Weight {
  readonly #description: string;
  readonly #makeEvaluator: (context: SegmentContext) => Evaluator | null;
  readonly mark: MarkDocuments | undefined;
  readonly numbers: ((context: SegmentContext) => NumberRange | null) | undefined;

  /**
   * @param makeEvaluator its matches score 1
   * @param mark marks the same documents
   * @param numbers tells them by their numbers
   */
  constructor(
    description: string,
    makeEvaluator: (context: SegmentContext) => Evaluator | null,
    mark?: MarkDocuments,
    numbers?: (context: SegmentContext) => NumberRange | null,
  ) {
    this.#description = description;
    this.#makeEvaluator = makeEvaluator;
    this.mark = mark;
    this.numbers = numbers;
  }

  ranking(): RankingPlan {
    return { ...EMPTY_PLAN, filters: [this], constantScore: 1 };
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
