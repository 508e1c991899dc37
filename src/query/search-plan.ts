import type { QueryAst } from "./query-ast.js";

/** A compiled search: what a back end needs, and nothing of the wire. */
export interface SearchPlan {
  readonly ast: QueryAst;
  readonly offset: number;
  readonly limit: number;
  readonly orderBy?: { readonly field: string; readonly descending: boolean };
  /** Facet fields in schema order. */
  readonly facets: readonly string[];
}
