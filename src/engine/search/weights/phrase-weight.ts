import { shownTerm } from "../../../analysis/stem-terms.js";
import { PHRASE_TOKENS_MAX } from "../../kernels/scratch-layout.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { beginningRange } from "../automaton/prefix-range.js";
import { CandidateStretch } from "../evaluators/candidate-stretch.js";
import { ConjunctionEvaluator } from "../evaluators/conjunction-evaluator.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { GatheredPositions } from "../evaluators/gathered-positions.js";
import { PhraseEvaluator } from "../evaluators/phrase-evaluator.js";
import { PhraseFrequency, type PhraseToken as PositionedToken } from "../evaluators/phrase-frequency.js";
import { type PositionSource, TermPositions } from "../evaluators/position-sources.js";
import { PostingWindow } from "../evaluators/posting-window.js";
import { TermEvaluator } from "../evaluators/term-evaluator.js";
import { GATHERING_BUFFER, type WindowPool } from "../evaluators/window-pool.js";
import type { SegmentContext } from "../plan/matcher.js";
import {
  EMPTY_PLAN,
  evaluatedPlan,
  type PhraseToken,
  type QueryPlan,
  type TermLeaf,
} from "../plan/query-plan.js";
import type { PhraseQuery } from "../query.js";
import type { Explanation } from "../search-types.js";
import { type Bm25Similarity, termWeight } from "../similarity/bm25-similarity.js";
import type { FoundTerm } from "../statistics/found-term.js";
import { explainBm25 } from "./bm25-explanation.js";
import { eachMatch } from "./explain-matches.js";
import { phraseCandidates } from "./phrase-candidates.js";
import type { QueryBinding } from "./query-binding.js";
import { TermWeight } from "./term-weight.js";
import { Weight } from "./weight.js";

interface PhraseTerm {
  readonly term: TermWeight;
  /** Positions after the first token. */
  readonly offset: number;
}

/**
 * Documents in which a phrase occurs; BM25 with the sum of the tokens' idf and the phrase's frequency.
 * A last token that is a prefix adds no idf, as in Tantivy: what it stands for may be any number of
 * terms, rare and common ones.
 */
export class PhraseWeight extends Weight {
  readonly #query: PhraseQuery;
  readonly #boost: number;
  /** By ascending offset, without the prefix. At least one. */
  readonly #terms: readonly PhraseTerm[];
  readonly #prefix: { readonly text: string; readonly offset: number } | null;
  readonly #similarity: Bm25Similarity;
  /** The inverse document frequency of all terms together. */
  readonly #inverseDocFreq: number;
  /** The factor of the score, f32. */
  readonly #weight: number;

  /** @param query with at least one token that is no prefix */
  constructor(query: PhraseQuery, boost: number, binding: QueryBinding) {
    super();
    const { field, terms, lastIsPrefix } = query;
    let first = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < terms.length; i++) first = Math.min(first, terms[i]!.position);
    // In plain loops: a phrase is bound in about the time that it is searched in.
    const tokenCount = lastIsPrefix ? terms.length - 1 : terms.length;
    const tokens: PhraseTerm[] = [];
    let inverseDocFreq = 0;
    let isAscending = true;
    for (let i = 0; i < tokenCount; i++) {
      const term = new TermWeight(field, terms[i]!.term, 1, binding);
      const offset = terms[i]!.position - first;
      if (i > 0 && offset < tokens[i - 1]!.offset) isAscending = false;
      tokens.push({ term, offset });
      inverseDocFreq += term.inverseDocFreq;
    }
    const last = terms[terms.length - 1]!;
    this.#query = query;
    this.#boost = boost;
    this.#terms = isAscending ? tokens : tokens.sort((a, b) => a.offset - b.offset);
    this.#prefix = lastIsPrefix ? { text: last.term, offset: last.position - first } : null;
    this.#similarity = tokens[0]!.term.similarity;
    this.#inverseDocFreq = inverseDocFreq;
    this.#weight = termWeight(inverseDocFreq, boost);
  }

  override mayOccur(): boolean {
    return this.#terms.every(({ term }) => term.mayOccur());
  }

  override scoreBound(): number {
    return this.#weight;
  }

  evaluator(context: SegmentContext): Evaluator | null {
    const found = this.#found(context);
    if (found === null) return null;
    const { segment, pool } = context;
    const { terms } = found[0]!;
    const ordinals = found.map(({ ordinal }) => ordinal);
    const distinct = [...new Set(ordinals)];
    const sources = new Map<number, PositionSource>(
      distinct.map((ordinal, i) => [
        ordinal,
        new TermPositions(terms.postings(ordinal), pool, GATHERING_BUFFER + 1 + i),
      ]),
    );
    const prefix = this.#prefix;
    const tokens: PositionedToken[] = this.#terms.map(({ offset }, i) => ({
      source: sources.get(ordinals[i]!)!,
      offset,
    }));
    let approximation = this.#conjunction(terms, distinct, pool);
    if (prefix !== null) {
      const range = beginningRange(terms, terms.termCount, prefix.text);
      if (range.first >= range.end) return null;
      approximation = phraseCandidates(context, found, range) ?? approximation;
      if (approximation.cost === 0) return null;
      pool.room.startSegment(segment);
      const candidates = new CandidateStretch(approximation, segment, pool);
      tokens.push({ source: new GatheredPositions(terms, range, candidates, pool), offset: prefix.offset });
      approximation = candidates;
    }
    return new PhraseEvaluator({
      approximation,
      tokens,
      frequency: new PhraseFrequency(tokens, this.#query.slop, pool.interrupt),
      norms: terms.norms,
      similarity: this.#similarity,
      weight: this.#weight,
    });
  }

  /** Kernels know phrases whose tokens stand at distances of their own from the first. */
  override plan(context: SegmentContext): QueryPlan {
    const { slop, lastIsPrefix } = this.#query;
    if (slop > 0 || lastIsPrefix || this.#terms.length > PHRASE_TOKENS_MAX) return evaluatedPlan(this);
    const found = this.#found(context);
    if (found === null) return EMPTY_PLAN;
    const distinct: FoundTerm[] = [];
    const leaves: TermLeaf[] = [];
    const tokens: PhraseToken[] = [];
    for (let i = 0; i < found.length; i++) {
      let list = distinct.indexOf(found[i]!);
      if (list < 0) {
        list = distinct.push(found[i]!) - 1;
        const { terms, place } = found[i]!;
        leaves.push({ kind: "term", terms, place, weight: this.#weight, similarity: this.#similarity });
      }
      tokens.push({ list, offset: this.#terms[i]!.offset });
    }
    return {
      groups: [{ leaves, required: true }],
      constantScore: null,
      phrase: tokens,
      filters: [],
      exclusions: [],
    };
  }

  explain(context: SegmentContext, docIds: Uint32Array): (Explanation | null)[] {
    const query = this.#query;
    const words = query.terms.map(({ term }) => shownTerm(term)).join(" ") + (query.lastIsPrefix ? "*" : "");
    return eachMatch(this.evaluator(context), docIds, context.pool, (score, _place, docId) =>
      explainBm25(`phrase '${words}' in field '${query.field}'`, {
        score,
        boost: this.#boost,
        inverseDocFreq: this.#inverseDocFreq,
        similarity: this.#similarity,
        norm: context.segment.terms(query.field)!.norms[docId]!,
      }),
    );
  }

  /** The tokens' terms, equal ones the same object; null if one isn't in the segment. */
  #found({ statistics }: SegmentContext): readonly FoundTerm[] | null {
    const found: FoundTerm[] = [];
    for (let i = 0; i < this.#terms.length; i++) {
      const term = this.#terms[i]!.term.in(statistics);
      if (term === null) return null;
      found.push(found.find(({ ordinal }) => ordinal === term.ordinal) ?? term);
    }
    return found;
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
