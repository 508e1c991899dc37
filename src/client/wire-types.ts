import type { FacetNode } from "../contract/search.js";

/** Plain text, a phrase of the query language, or both kinds mixed by word count (contract 3.4, 5.2). */
export type QueryClause = (
  | { readonly fuzzy: { readonly ctx: string } }
  | { readonly exact: { readonly ctx: string } }
  | { readonly dynamic: { readonly ctx: string } }
) & { readonly occur?: "should" | "must" };

/** One clause, 1 to 64 of them, or plain text, which is short for a fuzzy clause. */
export type SearchQuery = QueryClause | readonly QueryClause[] | string;

export interface SearchBody {
  readonly query: SearchQuery;
  /** Default 20; 0 asks for count and facets only. */
  readonly limit?: number;
  readonly offset?: number;
  readonly order_by?: string;
  readonly sort?: "asc" | "desc";
  readonly minimum_number_should_match?: number;
}

export interface SearchAnswerHit<Document> {
  /** The stored fields; absent values are left out. */
  readonly doc: Document;
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
}

export interface SearchAnswer<Document> {
  readonly hits: readonly SearchAnswerHit<Document>[];
  /** All matches, not the page. */
  readonly count: number;
  /** Seconds. */
  readonly time_taken: number;
  /** One element for each facet field, with exactly one member. */
  readonly facets?: readonly Readonly<Record<string, readonly FacetNode[]>>[];
}

export type WireScalar = string | number | boolean;
