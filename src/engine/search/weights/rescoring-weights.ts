import type { Evaluator } from "../evaluators/evaluator.js";
import { BoostEvaluator, ConstantScoreEvaluator } from "../evaluators/rescoring-evaluators.js";
import { planOfLeaf, type RankingPlan } from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { eachMatch } from "./explain-matches.js";
import type { SegmentContext, Weight } from "./weight.js";

/** A node's scores times a factor. */
export class BoostWeight implements Weight {
  readonly #inner: Weight;
  readonly #factor: number;

  constructor(inner: Weight, factor: number) {
    this.#inner = inner;
    this.#factor = factor;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const inner = this.#inner.evaluator(context);
    return inner === null ? null : new BoostEvaluator(inner, this.#factor, context.pool);
  }

  ranking(context: SegmentContext): RankingPlan | null {
    const plan = this.#inner.ranking?.(context) ?? null;
    if (plan === null || (plan.groups.length === 0 && plan.constantScore === null)) return plan;
    const factor = nodeScore(this.#factor);
    if (plan.constantScore !== null) {
      const { groups, phrase, filters, exclusions } = plan;
      return { groups, constantScore: nodeScore(plan.constantScore * factor), phrase, filters, exclusions };
    }
    return planOfLeaf({ kind: "node", plan, factor, matcher: this });
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
export class ConstantScoreWeight implements Weight {
  readonly #inner: Weight;
  readonly #score: number;

  constructor(inner: Weight, score: number) {
    this.#inner = inner;
    this.#score = score;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const inner = this.#inner.evaluator(context);
    return inner === null ? null : new ConstantScoreEvaluator(inner, this.#score);
  }

  ranking(): RankingPlan {
    const constantScore = nodeScore(this.#score);
    return { groups: [], constantScore, phrase: null, filters: [this.#inner], exclusions: [] };
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
