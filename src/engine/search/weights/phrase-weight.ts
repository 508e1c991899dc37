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
import { type KernelRanking, NO_HITS } from "../ranking/plan-run.js";
import { type RankedPhrase, rankPhrase } from "../ranking/rank-phrase.js";
import { EMPTY_PLAN, type RankingPlan, type RankingToken } from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, termWeight } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import { explainBm25 } from "./bm25-explanation.js";
import type { BoundTerm } from "./bound-term.js";
import { prefixRange } from "./prefix-range.js";
import type { QueryBinding } from "./query-binding.js";
import { type SegmentContext, scoreOf, type Weight } from "./weight.js";

const encoder = new TextEncoder();

interface PhraseTerm {
  readonly term: BoundTerm;
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
  readonly #prefix: { readonly text: string; readonly offset: number } | null;
  readonly #similarity: Bm25Similarity;
  readonly #inverseDocFreq: number;
  readonly #boost: number;
  /** Whether every token stands at a distance of its own from the first, as kernels want it. */
  readonly #isExact: boolean;

  /** @param query with at least one token that is no prefix */
  constructor(query: PhraseQuery, boost: number, binding: QueryBinding) {
    const { similarity } = binding.textField(query.field);
    this.#query = query;
    const { field, terms, lastIsPrefix } = query;
    let first = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < terms.length; i++) first = Math.min(first, terms[i]!.position);
    const tokens: PhraseTerm[] = [];
    let inverseDocFreq = 0;
    let isAscending = true;
    const count = lastIsPrefix ? terms.length - 1 : terms.length;
    for (let i = 0; i < count; i++) {
      const { position } = terms[i]!;
      const term = binding.term(field, terms[i]!.term);
      tokens.push({ term, offset: position - first });
      inverseDocFreq += term.inverseDocFreq;
      isAscending &&= i === 0 || position >= terms[i - 1]!.position;
    }
    const last = terms[terms.length - 1]!;
    this.#prefix = lastIsPrefix ? { text: last.term, offset: last.position - first } : null;
    this.#terms = isAscending ? tokens : tokens.sort((a, b) => a.offset - b.offset);
    this.#similarity = similarity;
    this.#inverseDocFreq = inverseDocFreq;
    this.#boost = boost;
    this.#isExact = query.slop === 0 && !lastIsPrefix && count <= PHRASE_TOKENS_MAX;
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
      const range = prefixRange(terms, terms.termCount, encoder.encode(this.#prefix.text));
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
    if (!this.#isExact) return null;
    const phrase = this.#phrase(context);
    if (phrase === null) return EMPTY_PLAN;
    const { weight, similarity } = phrase;
    const leaves = phrase.terms.map(({ terms, place }) => ({
      kind: "term" as const,
      terms,
      place,
      weight,
      similarity,
    }));
    return { ...EMPTY_PLAN, groups: [{ leaves, required: true }], phrase: phrase.tokens };
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    if (!this.#isExact) return null;
    const phrase = this.#phrase(context);
    return phrase === null ? NO_HITS : rankPhrase(phrase, context, request);
  }

  /** Null if a token isn't in the segment. */
  #phrase(context: SegmentContext): RankedPhrase | null {
    const known = this.#known(context);
    if (known === null) return null;
    const terms: KnownTerm[] = [];
    const tokens: RankingToken[] = [];
    for (let i = 0; i < known.length; i++) {
      let list = terms.indexOf(known[i]!);
      if (list < 0) list = terms.push(known[i]!) - 1;
      tokens.push({ list, offset: this.#terms[i]!.offset });
    }
    const weight = termWeight(this.#inverseDocFreq, this.#boost);
    return { terms, tokens, weight, similarity: this.#similarity };
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
    for (let i = 0; i < this.#terms.length; i++) {
      const found = this.#terms[i]!.term.in(statistics);
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
