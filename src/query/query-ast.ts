import type { CanonicalValue } from "../contract/canonical-value.js";

/**
 * What the caller asked, engine-neutral: syntax, modes, schema, analysis and stopwords are settled,
 * nothing is known of segments or statistics. Both back ends lower it.
 */
export type QueryAst =
  | { readonly kind: "match_all" }
  | { readonly kind: "match_none" }
  | {
      readonly kind: "term";
      readonly field: string;
      readonly term: string;
      /** The word of which the term is the stem: documents that hold it as it is written score a little more. */
      readonly written?: string;
    }
  | {
      readonly kind: "phrase";
      readonly field: string;
      readonly terms: readonly { readonly term: string; readonly position: number }[];
      readonly slop: number;
      readonly lastIsPrefix: boolean;
    }
  | { readonly kind: "prefix"; readonly field: string; readonly prefix: string }
  | {
      readonly kind: "term_range";
      readonly field: string;
      readonly lower: AstBound<string> | null;
      readonly upper: AstBound<string> | null;
    }
  | { readonly kind: "value_set"; readonly field: string; readonly values: readonly CanonicalValue[] }
  | {
      readonly kind: "value_range";
      readonly field: string;
      readonly lower: AstBound<CanonicalValue> | null;
      readonly upper: AstBound<CanonicalValue> | null;
    }
  | { readonly kind: "value_prefix"; readonly field: string; readonly prefix: string }
  | { readonly kind: "facet"; readonly field: string; readonly paths: readonly string[] }
  | { readonly kind: "exists"; readonly field: string }
  | {
      readonly kind: "fuzzy";
      /** As it is written. */
      readonly term: string;
      readonly stem?: FuzzyStem;
      readonly maxDistance: 0 | 1 | 2;
      /** The word is still being typed: terms that begin with something within so many edits of the prefix match, too. */
      readonly begun?: { readonly prefix: string; readonly maxDistance: 0 | 1 | 2 };
      /** What else the word may be written as, one slip away; the likeliest of them match. */
      readonly rows?: readonly AstRow[];
      /**
       * Rows come before variants so many edits away and more, where nothing nearer occurs, and what the word is in more
       * than two parts is one where nothing is nearer than two (`wordParts`); absent: they count as these variants do.
       */
      readonly rowsComeBefore?: 1 | 2;
      readonly fields: readonly { readonly field: string; readonly boost: number }[];
    }
  /** A word still being typed: terms that begin with something within `maxDistance` edits of the prefix. */
  | {
      readonly kind: "fuzzy_prefix";
      readonly prefix: string;
      readonly maxDistance: 0 | 1 | 2;
      readonly fields: readonly { readonly field: string; readonly boost: number }[];
    }
  /** Words of which some are synonym keys: matches what `ast` matches, and what holds a key's term as it is. */
  | {
      readonly kind: "synonyms";
      /** What is asked without the synonyms. */
      readonly ast: QueryAst;
      readonly alternatives: readonly SynonymAlternative[];
      readonly fields: readonly { readonly field: string; readonly boost: number }[];
    }
  /** A few words in a row: documents that hold all of them come first. */
  | { readonly kind: "words"; readonly readings: readonly AstReading[]; readonly needsAll?: true }
  | { readonly kind: "boolean"; readonly clauses: readonly AstClause[]; readonly minimumShouldMatch?: number }
  | { readonly kind: "boost"; readonly ast: QueryAst; readonly factor: number }
  | { readonly kind: "constant_score"; readonly ast: QueryAst; readonly score: number }
  | { readonly kind: "document_ids"; readonly ids: readonly string[] };

/** The stem of a typo-tolerant word, by which it matches beside what it is written like. */
export interface FuzzyStem {
  readonly term: string;
  /**
   * Whether documents that hold the word as it is written come strictly before those that only share its
   * stem, as in a query of one word; else the stem counts as the word does, which adds a little.
   */
  readonly ranksBelow: boolean;
}

/** Words side by side that stand for one, such as `red bull` for `redbull`; or one that several have become. */
export interface AstRow {
  /** As they are written, or the stem of the last; one, two, or the letters of an abbreviation. */
  readonly terms: readonly string[];
  /** Whether the last one stands for every term that starts with it. */
  readonly lastIsPrefix: boolean;
}

/** What some of a query's words may stand for: those from number `start` to before `end`. */
export interface AstReading {
  readonly start: number;
  readonly end: number;
  readonly ast: QueryAst;
  /** Where a single word, typo-tolerant, stands in the text. Absent: no matter how near it is to others. */
  readonly position?: number;
  /** Slips that it takes for granted; absent: none. */
  readonly slips?: number;
  /**
   * What its matches do: only stand for the words, or only add to the score, or neither, so that it only matters how near
   * it is to others, as of a stopword. Absent: the first two.
   */
  readonly counts?: "cover" | "score" | "nearness";
}

/** A synonym key as the query has it, and the terms that stand for it: tokens in a row each. */
export interface SynonymAlternative {
  readonly key: readonly { readonly term: string; readonly position: number }[];
  readonly terms: readonly (readonly { readonly term: string; readonly position: number }[])[];
}

export interface AstBound<T> {
  readonly value: T;
  readonly inclusive: boolean;
}

export type AstClause =
  | { readonly occur: "must" | "should" | "must_not" | "filter"; readonly ast: QueryAst }
  | ConditionalClause;

/**
 * `must` if the clause's word occurs in the index at all, else `should` (dynamic mode, three words):
 * the back end decides it against what it holds, of a federation in all its indexes together.
 */
export interface ConditionalClause {
  readonly occur: "must_if_present";
  /** As it was typed, so that the same word is known again in the query for another index. */
  readonly word: string;
  readonly ast: QueryAst;
}

/** A typo-tolerant word. */
export type FuzzyAst = Extract<QueryAst, { readonly kind: "fuzzy" }>;
