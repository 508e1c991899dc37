import type { DocId } from "../../schema/document.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import type { TermQuery } from "../query.js";
import { EMPTY_PLAN, type RankingPlan, type RankingTerm } from "../ranking/ranking-plan.js";
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
    binding.field(query.field, ["text"]);
    this.#query = query;
    this.#similarity = binding.similarity(query.field);
    const { docCount } = binding.statistics.fieldStatistics(query.field);
    this.#inverseDocFreq = inverseDocumentFrequency(
      binding.statistics.docFreq(query.field, query.term),
      docCount,
    );
    this.#boost = boost;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const terms = context.segment.terms(this.#query.field);
    const ordinal = context.statistics.ordinalOf(this.#query.field, this.#query.term);
    if (terms === null || ordinal < 0) return null;
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
    const terms = context.segment.terms(this.#query.field);
    const ordinal = context.statistics.ordinalOf(this.#query.field, this.#query.term);
    if (terms === null || ordinal < 0) return EMPTY_PLAN;
    const weight = termWeight(this.#inverseDocFreq, this.#boost);
    const leaf: RankingTerm = { kind: "term", terms, ordinal, weight, similarity: this.#similarity };
    return { ...EMPTY_PLAN, groups: [{ leaves: [leaf], required: false }] };
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
