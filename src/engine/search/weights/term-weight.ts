import { isStemTerm, shownTerm } from "../../../analysis/stem-terms.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import type { SegmentContext } from "../plan/matcher.js";
import { EMPTY_PLAN, planOfLeaf, type QueryPlan, type TermLeaf } from "../plan/query-plan.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, inverseDocumentFrequency, termWeight } from "../similarity/bm25-similarity.js";
import type { FoundTerm } from "../statistics/found-term.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { explainBm25 } from "./bm25-explanation.js";
import { eachMatch } from "./explain-matches.js";
import type { QueryBinding } from "./query-binding.js";
import { Weight } from "./weight.js";

/** Documents that hold a term; BM25 times a boost. */
export class TermWeight extends Weight {
  readonly #field: string;
  readonly #term: string;
  readonly #boost: number;
  readonly #occurs: boolean;
  readonly inverseDocFreq: number;
  readonly similarity: Bm25Similarity;
  /** What it scores at most, f32. */
  readonly weight: number;

  /** @throws FindlingError `unknown_field`; `invalid_request` if it isn't a text field */
  constructor(field: string, term: string, boost: number, binding: QueryBinding) {
    super();
    const { similarity, docCount } = binding.textField(field);
    this.#field = field;
    this.#term = term;
    this.#boost = boost;
    this.similarity = similarity;
    const docFreq = binding.statistics.docFreq(field, term);
    this.#occurs = docFreq > 0;
    this.inverseDocFreq = inverseDocumentFrequency(docFreq, docCount);
    this.weight = termWeight(this.inverseDocFreq, boost);
  }

  /** Where a segment has it; null if it hasn't. */
  in(statistics: SegmentStatistics): FoundTerm | null {
    return statistics.term(this.#field, this.#term);
  }

  evaluator({ statistics, pool }: SegmentContext): Evaluator | null {
    const found = this.in(statistics);
    if (found === null) return null;
    const { terms, ordinal } = found;
    return new TermEvaluator({
      postings: new PostingWindow(terms.postings(ordinal), pool),
      denseDocs: terms.denseDocs(ordinal),
      norms: terms.norms,
      similarity: this.similarity,
      weight: this.weight,
      pool,
    });
  }

  override plan(context: SegmentContext): QueryPlan {
    const leaf = this.leaf(context);
    return leaf === null ? EMPTY_PLAN : planOfLeaf(leaf);
  }

  /** All that its plan consists of; null if the term isn't in the segment. */
  leaf({ statistics }: SegmentContext): TermLeaf | null {
    const found = this.in(statistics);
    if (found === null) return null;
    const { terms, place } = found;
    return { kind: "term", terms, place, weight: this.weight, similarity: this.similarity };
  }

  override mayOccur(): boolean {
    return this.#occurs;
  }

  override scoreBound(): number {
    return this.weight;
  }

  override mark({ statistics }: SegmentContext, kernels: SegmentKernels, target: number): void {
    const found = this.in(statistics);
    if (found !== null) kernels.termBits.or(target, found.terms.image!, [found.place]);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { inverseDocFreq, similarity } = this;
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, _place, docId) =>
      explainBm25(
        `${isStemTerm(this.#term) ? "stem" : "term"} '${shownTerm(this.#term)}' in field '${this.#field}'`,
        {
          score,
          boost: this.#boost,
          inverseDocFreq,
          similarity,
          norm: context.segment.terms(this.#field)!.norms[docId]!,
        },
      ),
    );
  }
}
