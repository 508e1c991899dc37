import type { NumberRange } from "../../kernels/listed-docs.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import type { RankingPlan } from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import { eachMatch } from "./explain-matches.js";
import type { MarkDocuments } from "./matcher.js";
import type { SegmentContext, Weight } from "./weight.js";

/** A node that only decides; each match scores 1 (contract 5.7). */
export class FilterWeight implements Weight {
  readonly #description: string;
  readonly #makeEvaluator: (context: SegmentContext) => Evaluator | null;
  readonly mark: MarkDocuments | undefined;
  readonly numbers: ((context: SegmentContext) => NumberRange | null) | undefined;
  readonly docs: ((context: SegmentContext) => Uint32Array | null) | undefined;

  /**
   * @param makeEvaluator its matches score 1
   * @param mark marks the same documents
   * @param numbers tells them by their numbers
   * @param docs lists them
   */
  constructor(
    description: string,
    makeEvaluator: (context: SegmentContext) => Evaluator | null,
    mark?: MarkDocuments,
    numbers?: (context: SegmentContext) => NumberRange | null,
    docs?: (context: SegmentContext) => Uint32Array | null,
  ) {
    this.#description = description;
    this.#makeEvaluator = makeEvaluator;
    this.mark = mark;
    this.numbers = numbers;
    this.docs = docs;
  }

  ranking(): RankingPlan {
    return { groups: [], constantScore: 1, phrase: null, filters: [this], exclusions: [] };
  }

  evaluator(context: SegmentContext): Evaluator | null {
    return this.#makeEvaluator(context);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `${this.#description}: constant`;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score) => ({
      value: score,
      description,
      details: [],
    }));
  }
}
