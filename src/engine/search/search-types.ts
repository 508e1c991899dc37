import type { DocumentId } from "../schema/document.js";
import type { Query } from "./query.js";

export interface SearchOptions {
  readonly query: Query;
  /** Hits to leave out at the front; at least 0. */
  readonly offset: number;
  /** Hits to return; 0 = only count and facets. */
  readonly limit: number;
  /** Order by a field instead of relevance; every score is then 1. Ties by insertion order, missing values last. */
  readonly orderBy?: { readonly field: string; readonly descending: boolean };
  /** Facet fields to count over all matches. */
  readonly facets?: readonly string[];
}

export interface EngineHit {
  readonly documentId: DocumentId;
  readonly score: number;
  /** The stored document as JSON text, ready to be spliced into an answer. */
  readonly json: string;
}

export interface FacetNode {
  readonly path: string;
  /** Distinct matching documents at or under the path. */
  readonly count: number;
  readonly children?: readonly FacetNode[];
}

export interface EngineSearchResult {
  readonly count: number;
  readonly hits: readonly EngineHit[];
  /** One entry per requested field, in the request's order; nodes by count descending, then path. */
  readonly facets: readonly { readonly field: string; readonly nodes: readonly FacetNode[] }[];
}

/** A tree that justifies a score; `value` is what the node contributes. */
export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
}

/**
 * The statistics that scores depend on. A searcher offers its own; a federation passes one that
 * adds up several, so that a corpus cut into indexes ranks as the uncut one. All over live documents.
 */
export interface CollectionStatistics {
  /** Documents with at least one token in the field, and their tokens together. */
  fieldStatistics(field: string): { readonly docCount: number; readonly tokenCount: number };
  docFreq(field: string, term: string): number;
  /** Terms within the distance that occur in any live document, each with its distance. */
  fuzzyTerms(field: string, term: string, maxDistance: number): ReadonlyMap<string, number>;
}
