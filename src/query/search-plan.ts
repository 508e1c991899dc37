import type { QueryAst } from "./query-ast.js";

/** A compiled search: what a back end needs, and nothing of the wire. */
export interface SearchPlan {
  readonly ast: QueryAst;
  readonly offset: number;
  readonly limit: number;
  readonly orderBy?: { readonly field: string; readonly descending: boolean };
  /**
   * Every score is multiplied by exp(-ratePerDay × age in days), the age being `nowSeconds` (since the
   * epoch) minus the field's instant, at least 0; without a value it stays. No effect under `orderBy`.
   */
  readonly timeDecay?: {
    readonly field: string;
    readonly nowSeconds: number;
    readonly ratePerDay: number;
  };
  /** Facet fields in schema order, counted over the matches. */
  readonly facets: readonly string[];
  /** Facet fields counted over the matches of another query each. */
  readonly multiSelectFacets?: readonly { readonly field: string; readonly ast: QueryAst }[];
  /** Whether hits come with an explanation of their score. */
  readonly explain?: true;
}
