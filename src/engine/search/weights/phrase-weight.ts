import type { FieldTerms } from "../../segment/segment-reader.js";
import { CandidateStretch } from "../evaluators/candidate-stretch.js";
import { ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { GatheredPositions } from "../evaluators/gathered-positions.js";
import { PhraseEvaluator } from "../evaluators/phrase-evaluator.js";
import { PhraseFrequency, type PhraseToken } from "../evaluators/phrase-frequency.js";
import { type PositionSource, TermPositions } from "../evaluators/position-sources.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import { GATHERING_BUFFER, type WindowPool } from "../evaluators/window-pool.js";
import type { PhraseQuery, Query } from "../query.js";
import { type KernelRanking, NO_HITS } from "../ranking/plan-run.js";
import { type RankedPhrase, rankPhrase } from "../ranking/rank-phrase.js";
import { EMPTY_PLAN, type RankingPlan, type RankingToken } from "../ranking/ranking-plan.js";
import type { RankingRequest } from "../ranking/ranking-request.js";
import type { Explanation } from "../search-types.js";
import { termWeight } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import { explainBm25 } from "./bm25-explanation.js";
import type { BoundPhrase } from "./bound-phrase.js";
import { eachMatch } from "./explain-matches.js";
import { prefixRange } from "./prefix-range.js";
import type { QueryBinding } from "./query-binding.js";
import type { SegmentContext, Weight } from "./weight.js";

const encoder = new TextEncoder();

/**
 * Documents in which a phrase occurs; BM25 with the sum of the tokens' idf and the phrase's frequency.
 * A last token that is a prefix adds no idf, as in Tantivy: what it stands for may be any number of
 * terms, rare and common ones.
 */
export class PhraseWeight implements Weight {
  readonly #phrase: BoundPhrase;
  readonly #boost: number;

  /** @param query with at least one token that is no prefix */
  constructor(query: PhraseQuery, boost: number, binding: QueryBinding) {
    this.#phrase = binding.phrase(query);
    this.#boost = boost;
  }

  get field(): string {
    return this.#phrase.query.field;
  }

  /** Whether it is what the query becomes, apart from its boost. */
  isOf(query: Query): boolean {
    return query.kind === "phrase" && this.#phrase.isOf(query);
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const known = this.#known(context);
    if (known === null) return null;
    const { segment, pool } = context;
    const { terms } = known[0]!;
    const ordinals = known.map(({ ordinal }) => ordinal);
    const distinct = [...new Set(ordinals)];
    const sources = new Map<number, PositionSource>(
      distinct.map((ordinal, i) => [
        ordinal,
        new TermPositions(terms.postings(ordinal), pool, GATHERING_BUFFER + 1 + i),
      ]),
    );
    const { prefix, query, similarity } = this.#phrase;
    const tokens: PhraseToken[] = this.#phrase.terms.map(({ offset }, i) => ({
      source: sources.get(ordinals[i]!)!,
      offset,
    }));
    let approximation = this.#conjunction(terms, distinct, pool);
    if (prefix !== null) {
      const range = prefixRange(terms, terms.termCount, encoder.encode(prefix.text));
      if (range.first >= range.end) return null;
      pool.room.startSegment(segment);
      const candidates = new CandidateStretch(approximation, segment, pool);
      tokens.push({ source: new GatheredPositions(terms, range, candidates, pool), offset: prefix.offset });
      approximation = candidates;
    }
    return new PhraseEvaluator({
      approximation,
      tokens,
      frequency: new PhraseFrequency(tokens, query.slop, pool.interrupt),
      norms: terms.norms,
      similarity,
      weight: this.#weight,
    });
  }

  ranking(context: SegmentContext): RankingPlan | null {
    if (!this.#phrase.isExact) return null;
    const phrase = this.#ranked(context);
    if (phrase === null) return EMPTY_PLAN;
    const { weight, similarity } = phrase;
    const leaves = phrase.terms.map(({ terms, place }) => ({
      kind: "term" as const,
      terms,
      place,
      weight,
      similarity,
    }));
    const groups = [{ leaves, required: true }];
    return { groups, constantScore: null, phrase: phrase.tokens, filters: [], exclusions: [] };
  }

  /** What kernels give without a plan; null where they can't. */
  ranked(context: SegmentContext, request: RankingRequest): KernelRanking | null {
    if (!this.#phrase.isExact) return null;
    const phrase = this.#ranked(context);
    return phrase === null ? NO_HITS : rankPhrase(phrase, context, request);
  }

  /** Null if a token isn't in the segment. */
  #ranked(context: SegmentContext): RankedPhrase | null {
    const known = this.#known(context);
    if (known === null) return null;
    const terms: KnownTerm[] = [];
    const tokens: RankingToken[] = [];
    for (let i = 0; i < known.length; i++) {
      let list = terms.indexOf(known[i]!);
      if (list < 0) list = terms.push(known[i]!) - 1;
      tokens.push({ list, offset: this.#phrase.terms[i]!.offset });
    }
    return { terms, tokens, weight: this.#weight, similarity: this.#phrase.similarity };
  }

  /** Of the score. */
  get #weight(): number {
    return termWeight(this.#phrase.inverseDocFreq, this.#boost);
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const { query, inverseDocFreq, similarity } = this.#phrase;
    const words = query.terms.map(({ term }) => term).join(" ") + (query.lastIsPrefix ? "*" : "");
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, _place, docId) =>
      explainBm25(`phrase '${words}' in field '${query.field}'`, {
        score,
        boost: this.#boost,
        inverseDocFreq,
        similarity,
        norm: context.segment.terms(query.field)!.norms[docId]!,
      }),
    );
  }

  /** The tokens' terms, equal ones the same object; null if one isn't in the segment. */
  #known({ statistics }: SegmentContext): readonly KnownTerm[] | null {
    const known: KnownTerm[] = [];
    const { terms } = this.#phrase;
    for (let i = 0; i < terms.length; i++) {
      const found = terms[i]!.term.in(statistics);
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
        similarity: this.#phrase.similarity,
        weight: 0,
        pool,
      }),
      scoring: false,
    }));
    return clauses.length === 1 ? clauses[0]!.evaluator : new ConjunctionEvaluator(clauses, pool);
  }
}
