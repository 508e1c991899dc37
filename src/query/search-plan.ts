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
  /** Facet fields in schema order. */
  readonly facets: readonly string[];
}
