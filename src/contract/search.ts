import type { IgnoredMember } from "./ignored-members.js";
import type { SearchExtensions } from "./search-extensions.js";

/** The search body after its shape has been checked (contract 3.4): clauses normalized, defaults filled in. */
export interface SearchClause {
  readonly mode: "fuzzy" | "exact" | "dynamic";
  readonly ctx: string;
  readonly occur: "should" | "must";
  /** Extension: the last word is still being typed. */
  readonly as_you_type?: true;
  /** Extension, in the fuzzy mode: only documents match that hold every word. */
  readonly match?: "all";
}

export interface SearchRequest {
  readonly clauses: readonly SearchClause[];
  readonly limit: number;
  readonly offset: number;
  readonly order_by?: string;
  readonly sort: "asc" | "desc";
  readonly minimum_number_should_match?: number;
  /** What it asks for beyond the specification; absent = nothing. */
  readonly extensions?: SearchExtensions;
  /** Members of the body that mean nothing; absent = none. */
  readonly ignoredMembers?: readonly IgnoredMember[];
}

export interface FacetNode {
  readonly path: string;
  readonly count: number;
  readonly children?: readonly FacetNode[];
}

/** The paths of one facet field by number: a number stands for the same path as long as the object is there. */
export interface FacetPathNames {
  pathOf(number: number): string;
}

/** Counts of paths as numbers, without an object for each. */
export interface FacetCounts {
  readonly paths: FacetPathNames;
  /**
   * Three for each path that has any: its number, its count, and how many paths are above it. In preorder, siblings
   * by count descending, then path.
   */
  readonly entries: ArrayLike<number>;
}

/** A facet field's counts. */
export interface Facet {
  readonly field: string;
  readonly nodes: readonly FacetNode[];
  /** What the nodes say, where it is there without an object for each; `nodes` may be made as they are asked for. */
  readonly counts?: FacetCounts;
}

export interface SearchHit {
  /** The stored fields as JSON in UTF-8, not to be changed; the route splices it into the answer unparsed. */
  readonly docJson: Uint8Array;
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
  /** Only if asked for. */
  readonly version?: string;
  /** Only if asked for: by field the fragments with what matched between tags, as JSON in UTF-8 to be spliced in as well. */
  readonly highlightsJson?: Uint8Array;
  /** Only if asked for: a `ScoreExplanation`, likewise. */
  readonly explanationJson?: Uint8Array;
}

/** A tree that justifies a score; `value` is what the node contributes. */
export interface ScoreExplanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly ScoreExplanation[];
}

/** Where the time of a search went, in milliseconds. */
export interface SearchProfile {
  readonly phases: readonly SearchPhase[];
}

export interface SearchPhase {
  readonly name: SearchPhaseName;
  readonly ms: number;
}

/** In the order in which they happen. */
export const SEARCH_PHASES = ["read", "compile", "wait", "match", "documents", "show"] as const;
export type SearchPhaseName = (typeof SEARCH_PHASES)[number];

/** An index of a federation that a search leaves out, and why. */
export interface LeftOutIndex {
  readonly index: string;
  readonly reason: string;
}

export interface SearchResult {
  readonly hits: readonly SearchHit[];
  readonly count: number;
  /** Seconds, greater than 0. */
  readonly time_taken: number;
  /** Present if the index has facet fields; one element per field, in the answer with exactly one key. */
  readonly facets?: readonly Facet[];
  /** Only if asked for and more hits follow: the token that asks for the next page. */
  readonly cursor?: string;
  /** Only if asked for. */
  readonly profile?: SearchProfile;
  /** Members of the request that mean nothing. Absent = none. */
  readonly ignored_members?: readonly IgnoredMember[];
  /** Indexes of a federation that aren't searched, as their values have no order in common with the others'. Absent = none. */
  readonly left_out?: readonly LeftOutIndex[];
}
