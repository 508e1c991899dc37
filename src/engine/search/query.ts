/**
 * What the engine can be asked: a tree of plain data. Fields are text fields unless said otherwise.
 * Terms are analysed tokens; values are canonical values of the field's kind.
 */
import type { CanonicalValue } from "../schema/document.js";

export type Query =
  | MatchAllQuery
  | MatchNoneQuery
  | TermQuery
  | PhraseQuery
  | PrefixQuery
  | TermRangeQuery
  | ValueSetQuery
  | ValueRangeQuery
  | ValuePrefixQuery
  | FacetQuery
  | ExistsQuery
  | FuzzyQuery
  | FuzzyPrefixQuery
  | SynonymsQuery
  | WordsQuery
  | BooleanQuery
  | BoostQuery
  | ConstantScoreQuery
  | DocumentIdsQuery;

/** Every live document; scores 1. */
export interface MatchAllQuery {
  readonly kind: "match_all";
}

/** No document. */
export interface MatchNoneQuery {
  readonly kind: "match_none";
}

/** Documents whose field holds the token; scores BM25. */
export interface TermQuery {
  readonly kind: "term";
  readonly field: string;
  readonly term: string;
  /**
   * The word of which the term is the stem, held by no document that doesn't hold the term. Adds a little of
   * its own BM25 (`docs/adr/` "stems beside words").
   */
  readonly written?: string;
}

/**
 * Tokens at given positions relative to one another (gaps where stopwords were dropped). With
 * `slop` the sum of displacements may reach that many positions. With `lastIsPrefix` the last token
 * stands for every term that starts with it. Scores BM25 with the phrase's frequency in the document
 * and the sum of the tokens' idf.
 */
export interface PhraseQuery {
  readonly kind: "phrase";
  readonly field: string;
  readonly terms: readonly { readonly term: string; readonly position: number }[];
  readonly slop: number;
  readonly lastIsPrefix: boolean;
}

/** Documents whose field holds a token that starts with the prefix; scores 1. */
export interface PrefixQuery {
  readonly kind: "prefix";
  readonly field: string;
  readonly prefix: string;
}

/** Documents whose field holds a token between the bounds by code points; scores 1. */
export interface TermRangeQuery {
  readonly kind: "term_range";
  readonly field: string;
  readonly lower: RangeBound<string> | null;
  readonly upper: RangeBound<string> | null;
}

export interface RangeBound<T> {
  readonly value: T;
  readonly inclusive: boolean;
}

/** Keyword or typed field: documents with any of the values; scores 1. */
export interface ValueSetQuery {
  readonly kind: "value_set";
  readonly field: string;
  readonly values: readonly CanonicalValue[];
}

/**
 * Typed field: documents with a value between the bounds; scores 1. Bounds are compared as numbers
 * even where the kind cannot hold them (`u64 > -1`, `u64 > 2.5`): decimal numbers as strings or
 * numbers; `datetime` bounds are RFC 3339 at any precision.
 */
export interface ValueRangeQuery {
  readonly kind: "value_range";
  readonly field: string;
  readonly lower: RangeBound<CanonicalValue> | null;
  readonly upper: RangeBound<CanonicalValue> | null;
}

/** Keyword field: documents with a value that starts with the prefix; scores 1. */
export interface ValuePrefixQuery {
  readonly kind: "value_prefix";
  readonly field: string;
  readonly prefix: string;
}

/** Documents at or under any of the paths (with leading slash); scores 1. */
export interface FacetQuery {
  readonly kind: "facet";
  readonly field: string;
  readonly paths: readonly string[];
}

/** Any field but `opaque`: documents with a value (text: with at least one token); scores 1. */
export interface ExistsQuery {
  readonly kind: "exists";
  readonly field: string;
}

/** The terms that a word of a query stands for, each so many edits away. */
export interface WordPattern {
  readonly term: string;
  readonly maxDistance: 0 | 1 | 2;
  /**
   * The word is still being typed: it stands for terms as well that begin with something within `maxDistance` edits of
   * the prefix, which is longer than that. Absent: whole words only.
   */
  readonly begun?: { readonly prefix: string; readonly maxDistance: 0 | 1 | 2 };
}

/** As many letters as an abbreviation may have. */
export const ROW_TERMS_MAX = 6;

/** Terms side by side that stand for one word, such as `red bull` for `redbull`; or one that several words have become. */
export interface WordRow {
  /** One to `ROW_TERMS_MAX`. */
  readonly terms: readonly string[];
  /** Whether the last one stands for every term that starts with it. */
  readonly lastIsPrefix: boolean;
}

/**
 * One word, typo-tolerant, over several fields: documents with a term within `maxDistance` edits
 * (insert, delete, substitute, swap of neighbours: optimal string alignment over code points).
 * Matches are complete. Scoring: `docs/adr/` "fuzzy scoring".
 */
export interface FuzzyQuery extends WordPattern {
  readonly kind: "fuzzy";
  /**
   * The term of the word's stem, which every document holds that holds the word. Documents that share only
   * the stem are as near as those with the word, which score a little more, or if it `ranksBelow` strictly
   * between those and the misspelt.
   */
  readonly stem?: { readonly term: string; readonly ranksBelow: boolean };
  /**
   * What else the word may be written as, one slip away; the likeliest of them match, and of those that begin with the
   * same term one alone.
   */
  readonly rows?: readonly WordRow[];
  /**
   * Rows come before variants so many edits away and more, where nothing nearer occurs, and what the word is in more
   * than two parts is one where nothing is nearer than two (`wordParts`); absent: they count as these variants do.
   */
  readonly rowsComeBefore?: 1 | 2;
  readonly fields: readonly { readonly field: string; readonly boost: number }[];
  /**
   * Fields whose statistics tell how rare the word is and how near its nearest variant, so that indexes
   * which look for it in different fields score it alike; `fields` unless given. The schema may lack some, but all of
   * `fields` are among them: variants nearer than the nearest there are no matches.
   */
  readonly statisticsFields?: readonly string[];
}

/**
 * A word that is still being typed, over several fields: documents with a term that begins with
 * something within `maxDistance` edits of the prefix, which is longer than that. Matches are complete.
 * Scores the sum over the fields of boost · tf / (tf + K), tf counting the nearest of these terms only,
 * halved for each edit.
 */
export interface FuzzyPrefixQuery {
  readonly kind: "fuzzy_prefix";
  readonly prefix: string;
  readonly maxDistance: 0 | 1 | 2;
  readonly fields: readonly { readonly field: string; readonly boost: number }[];
}

/**
 * Words of which some are synonym keys: documents that match the query, or hold any of a key's terms in
 * any of the fields, without typos, several tokens as a phrase. Scoring: `docs/adr/` "synonyms".
 */
export interface SynonymsQuery {
  readonly kind: "synonyms";
  /** What is asked without the synonyms; may be nothing. */
  readonly query: Query;
  readonly alternatives: readonly {
    /** The key's tokens with their positions after the first: at least one. */
    readonly key: PhraseQuery["terms"];
    /** At least one term of at least one token. */
    readonly terms: readonly PhraseQuery["terms"][];
  }[];
  readonly fields: readonly { readonly field: string; readonly boost: number }[];
  /** As for `FuzzyQuery`. */
  readonly statisticsFields?: readonly string[];
}

/**
 * A few words in a row, as people type them into a search box: documents that match any of the readings. Those that
 * hold all words come first, then those with fewer slips, then what scores more. Scoring: `docs/adr/` "words in tiers".
 */
export interface WordsQuery {
  readonly kind: "words";
  readonly readings: readonly WordsReading[];
  /** Whether only documents match that hold all words. Absent: any of them will do. */
  readonly needsAll?: true;
  /**
   * The weights of the fields that decide how far apart tiers are, so that indexes which look for the words in different
   * fields rank them alike: at least those of the readings' fields, their sum and the greatest. Absent: just those.
   */
  readonly boosts?: { readonly sum: number; readonly greatest: number };
}

/** What some of the words may stand for. */
export interface WordsReading {
  /** Number of the first of its words, and the one after the last. */
  readonly start: number;
  readonly end: number;
  readonly query: Query;
  /** Where a single word, typo-tolerant, stands in the query's text. Absent: no matter how near it is to others. */
  readonly position?: number;
  /** Slips that it takes for granted; a `fuzzy` query's own edits come on top. Absent: none. */
  readonly slips?: number;
  /**
   * What its matches do: only stand for their words, or only add to the score, or neither, so that it only matters how
   * near it is to others, as of a stopword. Absent: the first two.
   * Documents match that match any reading that scores.
   */
  readonly counts?: "cover" | "score" | "nearness";
}

export type Occur = "must" | "should" | "must_not" | "filter";

/**
 * Clauses combined. Scores the sum of matching `must` and `should` clauses; `filter` and `must_not`
 * only decide. `minimumShouldMatch` absent: 1 if there is no must or filter clause, else 0. A query
 * with neither must, filter nor should clauses starts from all documents (score 1); 0 without must
 * and filter clauses still wants one should clause.
 */
export interface BooleanQuery {
  readonly kind: "boolean";
  readonly clauses: readonly { readonly occur: Occur; readonly query: Query }[];
  readonly minimumShouldMatch?: number;
}

/** The query's scores times `factor` (finite, at least 0). */
export interface BoostQuery {
  readonly kind: "boost";
  readonly query: Query;
  readonly factor: number;
}

/** The query's matches, each scoring `score` (finite, at least 0). */
export interface ConstantScoreQuery {
  readonly kind: "constant_score";
  readonly query: Query;
  readonly score: number;
}

/** Documents by `_id`; scores 1. */
export interface DocumentIdsQuery {
  readonly kind: "document_ids";
  readonly ids: readonly string[];
}
