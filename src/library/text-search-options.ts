/**
 * How a text is understood: `fuzzy`, what people type, typos allowed; `exact`, the query language; `dynamic`, which asks
 * for more of the words the fewer there are.
 */
export type SearchMode = "fuzzy" | "exact" | "dynamic";

export interface HighlightOptions {
  /** Default: the search fields. */
  readonly fields?: readonly string[];
  /** Default `<em>` and `</em>`. */
  readonly preTag?: string;
  readonly postTag?: string;
  /** Characters that a fragment should have; 0: the whole text. Default 150. */
  readonly fragmentSize?: number;
  /** At most so many of a field. Default 3. */
  readonly fragments?: number;
}

export interface TextSearchOptions {
  /** Default `fuzzy`. */
  readonly mode?: SearchMode;
  /** Only documents that this finds, in the query language, such as `genre:/crime AND year:>=1950`. */
  readonly filter?: string;
  /** Hits of the page. Default 10. */
  readonly limit?: number;
  /** Hits before the page. Default 0. */
  readonly offset?: number;
  /** In place of relevance: `year`, `year:asc`, or a list, ties by the next; `_score` stands for relevance. */
  readonly orderBy?: string | readonly string[];
  /** Facet fields to count over all that is found; true: all of them. Default none. */
  readonly facets?: readonly string[] | boolean;
  /** Whether hits have what matched, marked and HTML-escaped. */
  readonly highlight?: boolean | HighlightOptions;
  /** The stored fields that hits have. Default all. */
  readonly fields?: readonly string[];
  /** Whether the last word is still being typed. */
  readonly asYouType?: boolean;
  /** In the fuzzy mode: whether every word is needed. Default `any`. */
  readonly match?: "any" | "all";
  /** Weights of fields for this search, in place of the index's. */
  readonly weights?: Readonly<Record<string, number>>;
  /** Whether hits tell why they have their score. */
  readonly explain?: boolean;
  /** Milliseconds after which the search is given up. Default: as long as it takes. */
  readonly timeLimitMs?: number;
}

export interface SuggestOptions {
  /** Completions, and titles, at most. Default 10. */
  readonly limit?: number;
}
