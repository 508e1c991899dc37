import { PHRASE_TOKENS_MAX } from "../../kernels/scratch-layout.js";
import type { DocId } from "../../schema/document.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { collectDocs } from "../evaluators/collect-docs.js";
import { ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import { docsEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { PhraseEvaluator } from "../evaluators/phrase-evaluator.js";
import { PhraseFrequency, type PhraseToken } from "../evaluators/phrase-frequency.js";
import { CollectedPositions, type PositionSource, TermPositions } from "../evaluators/position-sources.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import type { WindowPool } from "../evaluators/window-pool.js";
import type { PhraseQuery } from "../query.js";
import { EMPTY_PLAN, type RankingPlan } from "../ranking/ranking-plan.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, inverseDocumentFrequency, termWeight } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/segment-statistics.js";
import { explainBm25 } from "./bm25-explanation.js";
import { prefixRange } from "./prefix-range.js";
import type { QueryBinding } from "./query-binding.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

const encoder = new TextEncoder();

interface PhraseTerm {
  readonly term: string;
  /** Positions after the first token. */
  readonly offset: number;
}

/**
 * Documents in which a phrase occurs; BM25 with the sum of the tokens' idf and the phrase's frequency.
 * A last token that is a prefix adds no idf, as in Tantivy: what it stands for may be any number of
 * terms, rare and common ones.
 */
export class PhraseWeight implements Weight {
  readonly #query: PhraseQuery;
  /** Without the prefix. At least one. */
  readonly #terms: readonly PhraseTerm[];
  readonly #prefix: PhraseTerm | null;
  readonly #similarity: Bm25Similarity;
  readonly #inverseDocFreq: number;
  readonly #boost: number;

  /** @param query with at least one token that is no prefix */
  constructor(query: PhraseQuery, boost: number, binding: QueryBinding) {
    const { similarity, docCount } = binding.textField(query.field);
    this.#query = query;
    const first = query.terms.reduce(
      (least, { position }) => Math.min(least, position),
      Number.MAX_SAFE_INTEGER,
    );
    const tokens = query.terms.map(({ term, position }) => ({
      term,
      offset: position - first,
    }));
    this.#prefix = query.lastIsPrefix ? tokens.pop()! : null;
    this.#terms = tokens.sort((a, b) => a.offset - b.offset);
    this.#similarity = similarity;
    this.#inverseDocFreq = query.terms
      .slice(0, query.lastIsPrefix ? -1 : undefined)
      .map(({ term }) => inverseDocumentFrequency(binding.statistics.docFreq(query.field, term), docCount))
      .reduce((sum, inverseDocFreq) => sum + inverseDocFreq, 0);
    this.#boost = boost;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const known = this.#known(context);
    if (known === null) return null;
    const { terms } = known[0]!;
    const ordinals = known.map(({ ordinal }) => ordinal);
    const distinct = [...new Set(ordinals)];
    const sources = new Map<number, PositionSource>(
      distinct.map((ordinal) => [ordinal, new TermPositions(terms.postings(ordinal))]),
    );
    const tokens: PhraseToken[] = this.#terms.map(({ offset }, i) => ({
      source: sources.get(ordinals[i]!)!,
      offset,
    }));
    let approximation = this.#conjunction(terms, distinct, context.pool);
    if (this.#prefix !== null) {
      const range = prefixRange(terms, terms.termCount, encoder.encode(this.#prefix.term));
      const candidates = collectDocs(approximation, context.segment, context.pool);
      const positions = new CollectedPositions(terms, range.first, range.end, candidates);
      approximation = docsEvaluator(positions.docs());
      tokens.push({ source: positions, offset: this.#prefix.offset });
    }
    return new PhraseEvaluator({
      approximation,
      tokens,
      frequency: new PhraseFrequency(tokens, this.#query.slop),
      norms: terms.norms,
      similarity: this.#similarity,
      weight: termWeight(this.#inverseDocFreq, this.#boost),
    });
  }

  ranking(context: SegmentContext): RankingPlan | null {
    if (this.#query.slop !== 0 || this.#prefix !== null || this.#terms.length > PHRASE_TOKENS_MAX)
      return null;
    const known = this.#known(context);
    if (known === null) return EMPTY_PLAN;
    const distinct = [...new Set(known)];
    const weight = termWeight(this.#inverseDocFreq, this.#boost);
    const similarity = this.#similarity;
    return {
      ...EMPTY_PLAN,
      groups: [
        {
          leaves: distinct.map(({ terms, place }) => ({ kind: "term", terms, place, weight, similarity })),
          required: true,
        },
      ],
      phrase: this.#terms.map(({ offset }, i) => ({ list: distinct.indexOf(known[i]!), offset })),
    };
  }

  explain(context: SegmentContext, docId: DocId): Explanation | null {
    const score = scoreOf(this, context, docId);
    if (score === null) return null;
    const words = this.#query.terms.map(({ term }) => term).join(" ") + (this.#query.lastIsPrefix ? "*" : "");
    return explainBm25(`phrase '${words}' in field '${this.#query.field}'`, {
      score,
      boost: this.#boost,
      inverseDocFreq: this.#inverseDocFreq,
      similarity: this.#similarity,
      norm: context.segment.terms(this.#query.field)!.norms[docId]!,
    });
  }

  /** The tokens' terms, equal ones the same object; null if one isn't in the segment. */
  #known({ statistics }: SegmentContext): readonly KnownTerm[] | null {
    const known: KnownTerm[] = [];
    for (const { term } of this.#terms) {
      const found = statistics.term(this.#query.field, term);
      if (found === null) return null;
      known.push(found);
    }
    return known;
  }

  /** Documents that hold all the terms. */
  #conjunction(terms: FieldTerms, ordinals: readonly number[], pool: WindowPool): Evaluator {
    const clauses = ordinals.map((ordinal) => ({
      evaluator: new TermEvaluator({
        postings: new PostingWindow(terms.postings(ordinal), pool),
        denseDocs: terms.denseDocs(ordinal),
        norms: terms.norms,
        similarity: this.#similarity,
        weight: 0,
        pool,
      }),
      scoring: false,
    }));
    return clauses.length === 1 ? clauses[0]!.evaluator : new ConjunctionEvaluator(clauses, pool);
  }
}
