import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import type { Query } from "../query.js";
import { type KernelRanking, NO_HITS } from "../ranking/plan-run.js";
import { rankTerm } from "../ranking/rank-term.js";
import type { ScoringTerm } from "../ranking/rank-terms.js";
import { EMPTY_PLAN, planOfLeaf, type RankingPlan, type RankingTerm } from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, termWeight } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { explainBm25 } from "./bm25-explanation.js";
import type { BoundTerm } from "./bound-term.js";
import { eachMatch } from "./explain-matches.js";
import type { SegmentContext, Weight } from "./weight.js";

/** Documents that hold a term; BM25 times a boost. */
export class TermWeight implements Weight, ScoringTerm {
  readonly #term: BoundTerm;
  readonly #boost: number;
  readonly weight: number;

  constructor(term: BoundTerm, boost: number) {
    this.#term = term;
    this.#boost = boost;
    this.weight = termWeight(term.inverseDocFreq, boost);
  }

  /** What it is besides its boost. */
  get term(): BoundTerm {
    return this.#term;
  }

  get field(): string {
    return this.#term.field;
  }

  /** Whether it is what the query becomes, apart from its boost. */
  isOf(query: Query): boolean {
    return query.kind === "term" && query.field === this.#term.field && query.term === this.#term.term;
  }

  evaluator({ statistics, pool }: SegmentContext): Evaluator | null {
    const known = this.#term.in(statistics);
    if (known === null) return null;
    const { terms, ordinal } = known;
    return new TermEvaluator({
      postings: new PostingWindow(terms.postings(ordinal), pool),
      denseDocs: terms.denseDocs(ordinal),
      norms: terms.norms,
      similarity: this.#term.similarity,
      weight: this.weight,
      pool,
    });
  }

  ranking(context: SegmentContext): RankingPlan {
    const leaf = this.leaf(context);
    return leaf === null ? EMPTY_PLAN : planOfLeaf(leaf);
  }

  /** All that its plan consists of; null if the term isn't in the segment. */
  leaf({ statistics }: SegmentContext): RankingTerm | null {
    const known = this.#term.in(statistics);
    if (known === null) return null;
    const { terms, place } = known;
    return { kind: "term", terms, place, weight: this.weight, similarity: this.#term.similarity };
  }

  scoreFloor(k: number, segments: readonly SegmentStatistics[]): number {
    return Math.fround(this.weight * this.#term.floor(k, segments));
  }

  get similarity(): Bm25Similarity {
    return this.#term.similarity;
  }

  in(statistics: SegmentStatistics): KnownTerm | null {
    return this.#term.in(statistics);
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    const known = this.#term.in(context.statistics);
    if (known === null) return NO_HITS;
    const docFreq = request.withCount ? context.statistics.liveDocFreq(known) : 0;
    return rankTerm(known, this.weight, this.#term.similarity, docFreq, context, request);
  }

  /** Adds the term's documents to bits. */
  mark({ statistics }: SegmentContext, kernels: SegmentKernels, target: number): void {
    const known = this.#term.in(statistics);
    if (known !== null) kernels.termBits.or(target, known.terms.image!, [known.place]);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { field, term, inverseDocFreq, similarity } = this.#term;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, _place, docId) =>
      explainBm25(`term '${term}' in field '${field}'`, {
        score,
        boost: this.#boost,
        inverseDocFreq,
        similarity,
        norm: context.segment.terms(field)!.norms[docId]!,
      }),
    );
  }
}
