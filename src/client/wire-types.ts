import type { FacetNode, ScoreExplanation, SearchProfile } from "../contract/search.js";

/** Plain text, a phrase of the query language, or both kinds mixed by word count (contract 3.4, 5.2). */
export type QueryClause = (
  | {
      readonly fuzzy: {
        readonly ctx: string;
        readonly as_you_type?: boolean;
        readonly match?: "any" | "all";
      };
    }
  | { readonly exact: { readonly ctx: string; readonly as_you_type?: boolean } }
  | { readonly dynamic: { readonly ctx: string; readonly as_you_type?: boolean } }
) & { readonly occur?: "should" | "must" };

/** One clause, 1 to 64 of them, or plain text, which is short for a fuzzy clause. */
export type SearchQuery = QueryClause | readonly QueryClause[] | string;

export interface SearchBody {
  readonly query: SearchQuery;
  /** Default 20; 0 asks for count and facets only. */
  readonly limit?: number;
  readonly offset?: number;
  /** A field, or several entries: `price`, `price:asc`, or objects; `_score` in a list is relevance. */
  readonly order_by?: string | readonly (string | OrderEntry)[];
  readonly sort?: "asc" | "desc";
  readonly minimum_number_should_match?: number;
  /** Marks what matched: `true`, or with options. */
  readonly highlight?: boolean | HighlightOptions;
  /** Stored fields that `doc` shows. */
  readonly fields?: readonly string[];
  /** Facet fields to count, with options by field; false = none. */
  readonly facets?: boolean | readonly string[] | Readonly<Record<string, FacetOptions>>;
  /** Adds to each hit why it has its score. */
  readonly explain?: boolean;
  /** Weights by field for this search, in place of the index's; fields that aren't named keep theirs. */
  readonly weight_multipliers?: Readonly<Record<string, number>>;
  /** Only of a federation's search: indexes and their weights, in place of its own. */
  readonly index_configurations?: readonly { readonly name: string; readonly weight_multiplier?: number }[];
  /** False: without the index's synonyms. */
  readonly synonyms?: boolean;
  /** Asks where the time went. */
  readonly profile?: boolean;
  /** Opens a cursor: the answer's `cursor` leads to the next page, all pages as of one moment. */
  readonly cursor?: boolean;
}

/** A search to be summarized; `fields` are those that the model sees. */
export type SummaryBody = Omit<SearchBody, "highlight" | "facets" | "explain" | "cursor" | "profile"> & {
  /** Asks for the `sources` event. */
  readonly sources?: boolean;
  /** Asks for the `model_call` event; needs the permission 4. */
  readonly model_call?: boolean;
};

/** The next page of a search that was begun with `cursor`. */
export interface CursorBody {
  readonly cursor: string;
  /** Default that of the first request. */
  readonly limit?: number;
}

export interface OrderEntry {
  readonly field: string;
  /** Default the body's `sort`. */
  readonly sort?: "asc" | "desc";
}

export interface HighlightOptions {
  readonly fields?: readonly string[];
  readonly pre_tag?: string;
  readonly post_tag?: string;
  /** Characters; 0 = the whole text. */
  readonly fragment_size?: number;
  readonly fragments?: number;
}

export interface FacetOptions {
  readonly depth?: number;
  readonly size?: number;
  /** False: counts as if must clauses about this field alone were not there, for multi-select. */
  readonly own_filter?: boolean;
}

export interface SearchAnswerHit<Document> {
  /** The stored fields; absent values are left out. */
  readonly doc: Document;
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
  readonly highlights?: Readonly<Record<string, readonly string[]>>;
  readonly explanation?: ScoreExplanation;
}

export interface SearchAnswer<Document> {
  readonly hits: readonly SearchAnswerHit<Document>[];
  /** All matches, not the page. */
  readonly count: number;
  /** Seconds. */
  readonly time_taken: number;
  /** One element for each facet field, with exactly one member. */
  readonly facets?: readonly Readonly<Record<string, readonly FacetNode[]>>[];
  /** Only with `cursor`, and as long as more hits follow. */
  readonly cursor?: string;
  /** Only with `profile`. */
  readonly profile?: SearchProfile;
}

export type WireScalar = string | number | boolean;
