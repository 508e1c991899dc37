import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocId } from "../../schema/document.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import type { TermQuery } from "../query.js";
import type { KernelRanking, RankingRequest } from "../ranking/plan-run.js";
import { rankTerm } from "../ranking/rank-term.js";
import { EMPTY_PLAN, planOfLeaf, type RankingPlan, type RankingTerm } from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, inverseDocumentFrequency, termWeight } from "../similarity/bm25-similarity.js";
import { explainBm25 } from "./bm25-explanation.js";
import type { QueryBinding } from "./query-binding.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

/** Documents that hold a term; BM25 times a boost. */
export class TermWeight implements Weight {
  readonly #query: TermQuery;
  readonly #similarity: Bm25Similarity;
  readonly #inverseDocFreq: number;
  readonly #boost: number;

  constructor(query: TermQuery, boost: number, binding: QueryBinding) {
    const { similarity, docCount } = binding.textField(query.field);
    this.#query = query;
    this.#similarity = similarity;
    this.#inverseDocFreq = inverseDocumentFrequency(
      binding.statistics.docFreq(query.field, query.term),
      docCount,
    );
    this.#boost = boost;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const known = context.statistics.term(this.#query.field, this.#query.term);
    if (known === null) return null;
    const { terms, ordinal } = known;
    return new TermEvaluator({
      postings: new PostingWindow(terms.postings(ordinal), context.pool),
      denseDocs: terms.denseDocs(ordinal),
      norms: terms.norms,
      similarity: this.#similarity,
      weight: termWeight(this.#inverseDocFreq, this.#boost),
      pool: context.pool,
    });
  }

  ranking(context: SegmentContext): RankingPlan {
    const leaf = this.leaf(context);
    return leaf === null ? EMPTY_PLAN : planOfLeaf(leaf);
  }

  /** All that its plan consists of; null if the term isn't in the segment. */
  leaf({ statistics }: SegmentContext): RankingTerm | null {
    const known = statistics.term(this.#query.field, this.#query.term);
    if (known === null) return null;
    const weight = termWeight(this.#inverseDocFreq, this.#boost);
    return { kind: "term", terms: known.terms, place: known.place, weight, similarity: this.#similarity };
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    const known = context.statistics.term(this.#query.field, this.#query.term);
    if (known === null) return rankTerm(null, context, request, 0);
    const weight = termWeight(this.#inverseDocFreq, this.#boost);
    const { terms, place, ordinal } = known;
    const leaf: RankingTerm = { kind: "term", terms, place, weight, similarity: this.#similarity };
    const docFreq = request.withCount ? context.statistics.docFreq(this.#query.field, ordinal) : 0;
    return rankTerm(leaf, context, request, docFreq);
  }

  /** Adds the term's documents to bits. */
  mark({ statistics }: SegmentContext, kernels: SegmentKernels, target: number): void {
    const known = statistics.term(this.#query.field, this.#query.term);
    if (known !== null) kernels.orTerms(target, known.terms.image!, [known.place]);
  }

  explain(context: SegmentContext, docId: DocId): Explanation | null {
    const score = scoreOf(this, context, docId);
    if (score === null) return null;
    const norm = context.segment.terms(this.#query.field)!.norms[docId]!;
    return explainBm25(`term '${this.#query.term}' in field '${this.#query.field}'`, {
      score,
      boost: this.#boost,
      inverseDocFreq: this.#inverseDocFreq,
      similarity: this.#similarity,
      norm,
    });
  }
}
