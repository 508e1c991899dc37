import { ownText } from "../../bytes/own-text.js";
import { PHRASE_TOKENS_MAX } from "../../kernels/scratch-layout.js";
import type { PhraseQuery } from "../query.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { BoundTerm } from "./bound-term.js";

/** Tokens of the longest phrase that is kept from search to search, and UTF-16 units of its longest token. */
const KEPT_TOKENS_MAX = 16;
const KEPT_TERM_LENGTH_MAX = 255;

export interface PhraseTerm {
  readonly term: BoundTerm;
  /** Positions after the first token. */
  readonly offset: number;
}

/** A phrase: what its scores depend on, found once for all searches for it. */
export class BoundPhrase {
  /** Keeps no text alive that it was read from. */
  readonly query: PhraseQuery;
  /** By ascending offset, without the prefix. At least one. */
  readonly terms: readonly PhraseTerm[];
  readonly prefix: { readonly text: string; readonly offset: number } | null;
  readonly similarity: Bm25Similarity;
  /** Of all terms together. */
  readonly inverseDocFreq: number;
  /** Whether every token stands at a distance of its own from the first, as kernels want it. */
  readonly isExact: boolean;
  /**
   * @param query with at least one token that is no prefix
   * @param bound its tokens, in its order, without the prefix
   */
  constructor(query: PhraseQuery, bound: readonly BoundTerm[]) {
    const { terms, slop, lastIsPrefix } = query;
    this.similarity = bound[0]!.similarity;
    let first = Number.MAX_SAFE_INTEGER;
    for (let i = 0; i < terms.length; i++) first = Math.min(first, terms[i]!.position);
    // In plain loops: a phrase that nobody asked for before is bound in about the time that it is searched in.
    const own: PhraseQuery["terms"][number][] = [];
    const tokens: PhraseTerm[] = [];
    let inverseDocFreq = 0;
    let isAscending = true;
    for (let i = 0; i < terms.length; i++) {
      const { term, position } = terms[i]!;
      const ofToken = bound[i];
      own.push({ term: ofToken?.term ?? ownText(term), position });
      if (ofToken === undefined) continue;
      const offset = position - first;
      if (i > 0 && offset < tokens[i - 1]!.offset) isAscending = false;
      tokens.push({ term: ofToken, offset });
      inverseDocFreq += ofToken.inverseDocFreq;
    }
    this.query = { kind: "phrase", field: bound[0]!.field, terms: own, slop, lastIsPrefix };
    const last = own[own.length - 1]!;
    this.prefix = lastIsPrefix ? { text: last.term, offset: last.position - first } : null;
    this.terms = isAscending ? tokens : tokens.sort((a, b) => a.offset - b.offset);
    this.inverseDocFreq = inverseDocFreq;
    this.isExact = slop === 0 && !lastIsPrefix && bound.length <= PHRASE_TOKENS_MAX;
  }

  isOf({ field, terms, slop, lastIsPrefix }: PhraseQuery): boolean {
    const { query } = this;
    if (query.field !== field || query.slop !== slop || query.lastIsPrefix !== lastIsPrefix) return false;
    if (query.terms.length !== terms.length) return false;
    for (let i = 0; i < terms.length; i++) {
      const own = query.terms[i]!;
      const other = terms[i]!;
      if (own.term !== other.term || own.position !== other.position) return false;
    }
    return true;
  }
}

/** Whether a phrase is short enough to be kept from search to search. */
export function isKept({ terms }: PhraseQuery): boolean {
  if (terms.length > KEPT_TOKENS_MAX) return false;
  for (let i = 0; i < terms.length; i++) if (terms[i]!.term.length > KEPT_TERM_LENGTH_MAX) return false;
  return true;
}
