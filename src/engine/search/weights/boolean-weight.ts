import type { DocId } from "../../schema/document.js";
import { type ConjunctionClause, ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import { DisjunctionEvaluator } from "../evaluators/disjunction-evaluator.js";
import { AllDocumentsEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { ExclusionEvaluator } from "../evaluators/exclusion-evaluator.js";
import { MinimumShouldMatchEvaluator } from "../evaluators/minimum-should-match-evaluator.js";
import { OptionalEvaluator } from "../evaluators/optional-evaluator.js";
import type { Occur } from "../query.js";
import {
  EMPTY_PLAN,
  leavesOf,
  type RankingGroup,
  type RankingLeaf,
  type RankingPlan,
} from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

export interface WeightClause {
  readonly occur: Occur;
  readonly weight: Weight;
}

/**
 * Clauses combined as `BooleanQuery` says. Which evaluators are nested how depends on the query alone
 * and never on which clauses have matches in a segment: f32 sums depend on their order, and scores
 * must not depend on how documents are spread over segments.
 */
export class BooleanWeight implements Weight {
  /** `must` and `filter` clauses. */
  readonly #required: readonly WeightClause[];
  readonly #optional: readonly WeightClause[];
  readonly #excluded: readonly WeightClause[];
  /** Least number of optional clauses to match. */
  readonly #minimum: number;

  constructor(clauses: readonly WeightClause[], minimumShouldMatch: number | undefined) {
    this.#required = clauses.filter(({ occur }) => occur === "must" || occur === "filter");
    this.#optional = clauses.filter(({ occur }) => occur === "should");
    this.#excluded = clauses.filter(({ occur }) => occur === "must_not");
    const least = this.#required.length === 0 && this.#optional.length > 0 ? 1 : 0;
    this.#minimum = Math.max(minimumShouldMatch ?? 0, least);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const included = this.#included(context);
    if (included === null || this.#excluded.length === 0) return included;
    return new ExclusionEvaluator(included, evaluatorsOf(this.#excluded, context), context.pool);
  }

  ranking(context: SegmentContext): RankingPlan | null {
    if (this.#minimum > this.#optional.length) return EMPTY_PLAN;
    if (this.#minimum > 1) return null;
    const whole = this.#rankingOfOnlyClause(context);
    if (whole !== null) return whole;
    const groups: RankingGroup[] = [];
    const filters: Weight[] = [];
    for (const { occur, weight } of this.#required) {
      if (occur === "filter") {
        filters.push(weight);
        continue;
      }
      const leaves = rankingLeaves(weight, context);
      if (leaves === null) return null;
      if (leaves.length === 0) return EMPTY_PLAN;
      groups.push({ leaves, required: true });
    }
    const optional: RankingLeaf[] = [];
    for (const { weight } of this.#optional) {
      const leaves = rankingLeaves(weight, context);
      if (leaves === null) return null;
      optional.push(...leaves);
    }
    if (this.#minimum === 1) {
      if (optional.length === 0) return EMPTY_PLAN;
      groups.push({ leaves: optional, required: this.#required.length > 0 });
    } else {
      // What decides nothing is added to the sum of the others leaf by leaf.
      if (groups.length === 0) return null;
      for (const leaf of optional) groups.push({ leaves: [leaf], required: false });
    }
    return {
      groups,
      constantScore: null,
      phrase: null,
      filters,
      exclusions: this.#excluded.map(({ weight }) => weight),
    };
  }

  /** Of a single clause that scores, with filters and exclusions around it, if it is a phrase or a filter itself. */
  #rankingOfOnlyClause(context: SegmentContext): RankingPlan | null {
    const scoring = [...this.#required, ...this.#optional].filter(({ occur }) => occur !== "filter");
    const [only] = scoring;
    if (only === undefined || scoring.length > 1) return null;
    if (only.occur === "should" && this.#minimum === 0) return null;
    const plan = only.weight.ranking?.(context) ?? null;
    if (plan === null) return null;
    if (plan.phrase === null && plan.constantScore === null) return null;
    const filters = this.#required.filter(({ occur }) => occur === "filter").map(({ weight }) => weight);
    const exclusions = this.#excluded.map(({ weight }) => weight);
    return {
      ...plan,
      filters: [...plan.filters, ...filters],
      exclusions: [...plan.exclusions, ...exclusions],
    };
  }

  explain(context: SegmentContext, docId: DocId): Explanation | null {
    const score = scoreOf(this, context, docId);
    if (score === null) return null;
    const details: Explanation[] = [];
    for (const { occur, weight } of [...this.#required, ...this.#optional]) {
      const detail = occur === "filter" ? null : weight.explain(context, docId);
      if (detail !== null) details.push(detail);
    }
    if (this.#required.length + this.#optional.length === 0) {
      details.push({ value: 1, description: "all documents: constant", details: [] });
    }
    return { value: score, description: "sum of the matching clauses", details };
  }

  #included(context: SegmentContext): Evaluator | null {
    const { pool, segment } = context;
    if (this.#minimum > this.#optional.length) return null;
    if (this.#required.length + this.#optional.length === 0) return new AllDocumentsEvaluator(segment.maxDoc);
    const optional = evaluatorsOf(this.#optional, context);
    if (this.#minimum > optional.length) return null;
    const group = this.#minimum === 0 ? null : atLeast(this.#minimum, optional, context);
    if (this.#required.length === 0) return group;

    const clauses: ConjunctionClause[] = [];
    for (const { occur, weight } of this.#required) {
      const evaluator = weight.evaluator(context);
      if (evaluator === null) return null;
      clauses.push({ evaluator, scoring: occur === "must" });
    }
    if (group !== null) clauses.push({ evaluator: group, scoring: true });
    const conjunction = new ConjunctionEvaluator(clauses, pool);
    if (group !== null || this.#optional.length === 0) return conjunction;
    return new OptionalEvaluator(conjunction, optional, pool);
  }
}

function atLeast(minimum: number, clauses: readonly Evaluator[], { pool }: SegmentContext): Evaluator {
  if (minimum === 1) return new DisjunctionEvaluator(clauses, pool);
  return new MinimumShouldMatchEvaluator(clauses, minimum, pool);
}

function rankingLeaves(weight: Weight, context: SegmentContext): readonly RankingLeaf[] | null {
  const plan = weight.ranking?.(context) ?? null;
  return plan === null ? null : leavesOf(plan);
}

function evaluatorsOf(clauses: readonly WeightClause[], context: SegmentContext): readonly Evaluator[] {
  const evaluators: Evaluator[] = [];
  for (const { weight } of clauses) {
    const evaluator = weight.evaluator(context);
    if (evaluator !== null) evaluators.push(evaluator);
  }
  return evaluators;
}
