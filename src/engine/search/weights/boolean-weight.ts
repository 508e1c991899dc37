import { type ConjunctionClause, ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import { DisjunctionEvaluator } from "../evaluators/disjunction-evaluator.js";
import { AllDocumentsEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { ExclusionEvaluator } from "../evaluators/exclusion-evaluator.js";
import { MinimumShouldMatchEvaluator } from "../evaluators/minimum-should-match-evaluator.js";
import { OptionalEvaluator } from "../evaluators/optional-evaluator.js";
import type { Occur } from "../query.js";
import type { KernelRanking } from "../ranking/plan-run.js";
import { rankTerms } from "../ranking/rank-terms.js";
import {
  asConstant,
  EMPTY_PLAN,
  leavesOf,
  type RankingGroup,
  type RankingLeaf,
  type RankingPlan,
} from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { Explanation } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { BySegment } from "./by-segment.js";
import { eachMatch } from "./explain-matches.js";
import type { MarkDocuments } from "./matcher.js";
import { TermWeight } from "./term-weight.js";
import type { SegmentContext, Weight } from "./weight.js";

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
  readonly #required: WeightClause[] = [];
  readonly #optional: Weight[] = [];
  readonly #excluded: Weight[] = [];
  readonly #filters: Weight[] = [];
  /** The only clause that scores, if it has to match; null if there are none or more. */
  readonly #only: Weight | null;
  /** Least number of optional clauses to match. */
  readonly #minimum: number;
  /** All clauses, if they are several terms that all have to match, or are alternatives; null otherwise. */
  readonly #terms: readonly TermWeight[] | null;
  /** Null unless it serves one search after the other. */
  #plans: BySegment<RankingPlan | null> | null = null;
  #onKept: () => void = nothingToDo;

  constructor(clauses: readonly WeightClause[], minimumShouldMatch: number | undefined) {
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
    const isPlain = scoring === clauses.length && scoring > 1;
    this.#terms = isPlain ? this.#onlyTerms(clauses) : null;
    if (scoring !== 1) this.#only = null;
    else this.#only = must ?? (this.#minimum === 1 ? this.#optional[0]! : null);
  }

  /** Of alternatives of which each can mark its documents. */
  get mark(): MarkDocuments | undefined {
    const isUnion = this.#required.length + this.#excluded.length === 0 && this.#minimum === 1;
    return isUnion ? markAny(this.#optional) : undefined;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const included = this.#included(context);
    if (included === null || this.#excluded.length === 0) return included;
    return new ExclusionEvaluator(included, evaluatorsOf(this.#excluded, context), context.pool);
  }

  /**
   * Makes each segment's plan only once from now on. To be called where no part of it makes other plans for other
   * searches.
   *
   * @param onKept called before each that is made and kept
   */
  keepPlans(onKept: () => void): void {
    this.#plans ??= new BySegment();
    this.#onKept = onKept;
  }

  ranking(context: SegmentContext): RankingPlan | null {
    const plans = this.#plans;
    if (plans === null) return this.#plan(context);
    const kept = plans.find(context.statistics);
    if (kept !== undefined) return kept;
    this.#onKept();
    return plans.add(context.statistics, this.#plan(context));
  }

  #plan(context: SegmentContext): RankingPlan | null {
    if (this.#minimum > this.#optional.length) return EMPTY_PLAN;
    if (this.#minimum > 1) return null;
    const exclusions = this.#excluded;
    if (this.#required.length + this.#optional.length === 0) {
      return { groups: [], constantScore: 1, phrase: null, filters: [], exclusions };
    }
    if (this.#only !== null) return this.#rankingOf(this.#only, context);
    const groups: RankingGroup[] = [];
    for (const { occur, weight } of this.#required) {
      if (occur === "filter") continue;
      context.pool.beginClause();
      const leaves = leavesOf(weight.ranking?.(context) ?? null, weight);
      if (leaves.length === 0) return EMPTY_PLAN;
      groups.push({ leaves, required: true });
    }
    const optional: RankingLeaf[] = [];
    for (const weight of this.#optional) {
      context.pool.beginClause();
      addLeaves(optional, weight, context);
    }
    if (this.#minimum === 1) {
      if (optional.length === 0) return EMPTY_PLAN;
      groups.push({ leaves: optional, required: this.#required.length > 0 });
    } else {
      // What decides nothing is added to the sum of the others leaf by leaf.
      if (groups.length === 0) return null;
      for (const leaf of optional) groups.push({ leaves: [leaf], required: false });
    }
    const plan = { groups, constantScore: null, phrase: null, filters: this.#filters, exclusions };
    return groups[0]!.leaves[0]!.kind === "marks" ? (asConstant(plan) ?? plan) : plan;
  }

  /** Null if some clauses are others, or some are optional beside others that aren't. */
  #onlyTerms(clauses: readonly WeightClause[]): readonly TermWeight[] | null {
    const isConjunction = this.#optional.length === 0 && this.#minimum === 0;
    const isUnion = this.#required.length === this.#filters.length && this.#minimum === 1;
    if (!isConjunction && !isUnion) return null;
    const terms: TermWeight[] = [];
    for (let i = 0; i < clauses.length; i++) {
      const { weight } = clauses[i]!;
      if (!(weight instanceof TermWeight)) return null;
      terms.push(weight);
    }
    return terms;
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    return this.#terms === null ? null : rankTerms(this.#terms, this.#required.length > 0, context, request);
  }

  /** Of the only clause that scores, with filters and exclusions around it. */
  #rankingOf(only: Weight, context: SegmentContext): RankingPlan | null {
    const plan = only.ranking?.(context) ?? null;
    if (plan === null || (this.#required.length === 0 && this.#excluded.length === 0)) return plan;
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

  /** Of alternatives: what one of them alone reaches, as the others only add to it. */
  scoreFloor(k: number, segments: readonly SegmentStatistics[], interrupt: SearchInterrupt): number {
    if (this.#required.length + this.#excluded.length > 0 || this.#minimum !== 1) return 0;
    let floor = 0;
    for (const weight of this.#optional) {
      interrupt.check();
      floor = Math.max(floor, weight.scoreFloor?.(k, segments, interrupt) ?? 0);
    }
    return floor;
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

function addLeaves(leaves: RankingLeaf[], weight: Weight, context: SegmentContext): void {
  if (weight instanceof TermWeight) {
    const leaf = weight.leaf(context);
    if (leaf !== null) leaves.push(leaf);
    return;
  }
  for (const leaf of leavesOf(weight.ranking?.(context) ?? null, weight)) leaves.push(leaf);
}

/** Marks what any of the weights does; absent if one of them can't. */
function markAny(weights: readonly Weight[]): MarkDocuments | undefined {
  if (weights.some((weight) => weight.mark === undefined)) return undefined;
  return (context, kernels, target) => {
    for (const weight of weights) weight.mark!(context, kernels, target);
  };
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

function nothingToDo(): void {}
