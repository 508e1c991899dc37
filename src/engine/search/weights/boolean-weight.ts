import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import { type ConjunctionClause, ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import { DisjunctionEvaluator } from "../evaluators/disjunction-evaluator.js";
import { AllDocumentsEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { ExclusionEvaluator } from "../evaluators/exclusion-evaluator.js";
import { MinimumShouldMatchEvaluator } from "../evaluators/minimum-should-match-evaluator.js";
import { OptionalEvaluator } from "../evaluators/optional-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import {
  asConstant,
  EMPTY_PLAN,
  evaluatedPlan,
  leavesOf,
  type PlanGroup,
  type PlanLeaf,
  type QueryPlan,
} from "../plan/query-plan.js";
import type { Occur } from "../query.js";
import type { Explanation } from "../search-types.js";
import { eachMatch } from "./explain-matches.js";
import { TermWeight } from "./term-weight.js";
import { Weight } from "./weight.js";

export interface WeightClause {
  readonly occur: Occur;
  readonly weight: Weight;
}

/**
 * Clauses combined as `BooleanQuery` says. Which evaluators are nested how depends on the query alone
 * and never on which clauses have matches in a segment: f32 sums depend on their order, and scores
 * must not depend on how documents are spread over segments.
 */
export class BooleanWeight extends Weight {
  /** `must` and `filter` clauses. */
  readonly #required: WeightClause[] = [];
  readonly #optional: Weight[] = [];
  readonly #excluded: Weight[] = [];
  readonly #filters: Weight[] = [];
  /** The only clause that scores, if it has to match; null if there are none or more. */
  readonly #only: Weight | null;
  /** Least number of optional clauses to match. */
  readonly #minimum: number;

  constructor(clauses: readonly WeightClause[], minimumShouldMatch: number | undefined) {
    super();
    let must: Weight | null = null;
    for (let i = 0; i < clauses.length; i++) {
      const clause = clauses[i]!;
      const { occur, weight } = clause;
      if (occur === "should") this.#optional.push(weight);
      else if (occur === "must_not") this.#excluded.push(weight);
      else this.#required.push(clause);
      if (occur === "filter") this.#filters.push(weight);
      if (occur === "must") must = weight;
    }
    const least = this.#required.length === 0 && this.#optional.length > 0 ? 1 : 0;
    this.#minimum = Math.max(minimumShouldMatch ?? 0, least);
    const scoring = this.#required.length - this.#filters.length + this.#optional.length;
    if (scoring !== 1) this.#only = null;
    else this.#only = must ?? (this.#minimum === 1 ? this.#optional[0]! : null);
  }

  /** Alternatives mark theirs one after the other. */
  override mark(context: SegmentContext, kernels: SegmentKernels, target: number): void {
    const isUnion = this.#required.length + this.#excluded.length === 0 && this.#minimum === 1;
    if (!isUnion) {
      super.mark(context, kernels, target);
      return;
    }
    for (const weight of this.#optional) weight.mark(context, kernels, target);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const included = this.#included(context);
    if (included === null || this.#excluded.length === 0) return included;
    return new ExclusionEvaluator(included, evaluatorsOf(this.#excluded, context), context.pool);
  }

  override plan(context: SegmentContext): QueryPlan {
    if (this.#minimum > this.#optional.length) return EMPTY_PLAN;
    if (this.#minimum > 1) return evaluatedPlan(this);
    const exclusions = this.#excluded;
    if (this.#required.length + this.#optional.length === 0) {
      return { groups: [], constantScore: 1, phrase: null, filters: [], exclusions };
    }
    if (this.#only !== null) return this.#planOf(this.#only, context);
    const groups: PlanGroup[] = [];
    for (const { occur, weight } of this.#required) {
      if (occur === "filter") continue;
      context.pool.beginClause();
      const leaves = leavesOf(weight.plan(context), weight);
      if (leaves.length === 0) return EMPTY_PLAN;
      groups.push({ leaves, required: true });
    }
    const optional: PlanLeaf[] = [];
    for (const weight of this.#optional) {
      context.pool.beginClause();
      addLeaves(optional, weight, context);
    }
    if (this.#minimum === 1) {
      if (optional.length === 0) return EMPTY_PLAN;
      groups.push({ leaves: optional, required: this.#required.length > 0 });
    } else {
      // What decides nothing is added to the sum of the others leaf by leaf.
      if (groups.length === 0) return evaluatedPlan(this);
      for (const leaf of optional) groups.push({ leaves: [leaf], required: false });
    }
    const plan = { groups, constantScore: null, phrase: null, filters: this.#filters, exclusions };
    return groups[0]!.leaves[0]!.kind === "constant" ? (asConstant(plan) ?? plan) : plan;
  }

  /** The plan of the only clause that scores, with filters and exclusions around it. */
  #planOf(only: Weight, context: SegmentContext): QueryPlan {
    const plan = only.plan(context);
    if (this.#required.length === 0 && this.#excluded.length === 0) return plan;
    const { groups, constantScore, phrase, filters, exclusions } = plan;
    const [group] = groups;
    return {
      // A conjunction's sum is rounded by itself, even of one clause.
      groups: group === undefined ? [] : [{ leaves: group.leaves, required: true }, ...groups.slice(1)],
      constantScore,
      phrase,
      filters: filters.length === 0 ? this.#filters : [...filters, ...this.#filters],
      exclusions: exclusions.length === 0 ? this.#excluded : [...exclusions, ...this.#excluded],
    };
  }

  override mayOccur(): boolean {
    if (this.#required.some(({ weight }) => !weight.mayOccur())) return false;
    return this.#minimum === 0 || this.#optional.some((weight) => weight.mayOccur());
  }

  override scoreBound(): number {
    let sum = this.#required.length + this.#optional.length === 0 ? 1 : 0;
    for (const { occur, weight } of this.#required) if (occur === "must") sum += weight.scoreBound();
    for (const weight of this.#optional) sum += weight.scoreBound();
    return sum;
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const scoring = this.#required.filter(({ occur }) => occur === "must").map(({ weight }) => weight);
    const clauses = [...scoring, ...this.#optional].map((weight) => weight.explain(context, docIds));
    const matchesAll = this.#required.length + this.#optional.length === 0;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, place) => ({
      value: score,
      description: "sum of the matching clauses",
      details: matchesAll
        ? [{ value: 1, description: "all documents: constant", details: [] }]
        : clauses.map((explanations) => explanations[place]!).filter((detail) => detail !== null),
    }));
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
      pool.beginClause();
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

function addLeaves(leaves: PlanLeaf[], weight: Weight, context: SegmentContext): void {
  if (weight instanceof TermWeight) {
    const leaf = weight.leaf(context);
    if (leaf !== null) leaves.push(leaf);
    return;
  }
  for (const leaf of leavesOf(weight.plan(context), weight)) leaves.push(leaf);
}

function evaluatorsOf(weights: readonly Weight[], context: SegmentContext): readonly Evaluator[] {
  const evaluators: Evaluator[] = [];
  for (const weight of weights) {
    context.pool.beginClause();
    const evaluator = weight.evaluator(context);
    if (evaluator !== null) evaluators.push(evaluator);
  }
  return evaluators;
}
