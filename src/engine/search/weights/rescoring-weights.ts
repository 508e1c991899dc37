import type { Evaluator } from "../evaluators/evaluator.js";
import { BoostEvaluator, ConstantScoreEvaluator } from "../evaluators/rescoring-evaluators.js";
import type { SegmentContext } from "../plan/matcher.js";
import {
  constantPlan,
  evaluatedPlan,
  isEmptyPlan,
  isOnlyEvaluated,
  planOfLeaf,
  type QueryPlan,
} from "../plan/query-plan.js";
import type { Explanation } from "../search-types.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { eachMatch } from "./explain-matches.js";
import { Weight } from "./weight.js";

/** A node's scores times a factor. */
export class BoostWeight extends Weight {
  readonly #inner: Weight;
  readonly #factor: number;

  constructor(inner: Weight, factor: number) {
    super();
    this.#inner = inner;
    this.#factor = factor;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const inner = this.#inner.evaluator(context);
    return inner === null ? null : new BoostEvaluator(inner, this.#factor, context.pool);
  }

  override plan(context: SegmentContext): QueryPlan {
    const plan = this.#inner.plan(context);
    if (isEmptyPlan(plan)) return plan;
    if (isOnlyEvaluated(plan)) return evaluatedPlan(this);
    const factor = nodeScore(this.#factor);
    if (plan.constantScore !== null)
      return { ...plan, constantScore: nodeScore(plan.constantScore * factor) };
    return planOfLeaf({ kind: "nested", plan, factor, matcher: this });
  }

  override mayOccur(): boolean {
    return this.#inner.mayOccur();
  }

  override scoreBound(): number {
    return Math.min(this.#inner.scoreBound() * this.#factor, NODE_SCORE_MAX);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `boost ${this.#factor} times`;
    const inner = this.#inner.explain(context, docIds);
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, place) => ({
      value: score,
      description,
      details: [inner[place]!],
    }));
  }
}

/** A node's matches, each with the same score. */
export class ConstantScoreWeight extends Weight {
  readonly #inner: Weight;
  readonly #score: number;

  constructor(inner: Weight, score: number) {
    super();
    this.#inner = inner;
    this.#score = score;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const inner = this.#inner.evaluator(context);
    return inner === null ? null : new ConstantScoreEvaluator(inner, this.#score);
  }

  override plan(): QueryPlan {
    return constantPlan(nodeScore(this.#score), [this.#inner]);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const description = `constant ${this.#score} for matches of`;
    const inner = this.#inner.explain(context, docIds);
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, place) => ({
      value: score,
      description,
      details: [inner[place]!],
    }));
  }
}

function nodeScore(score: number): number {
  return Math.fround(Math.min(score, NODE_SCORE_MAX));
}
