import type { OrderKey } from "../contract/order-key.js";
import type { HitParts } from "./hit-parts.js";
import type { QueryAst } from "./query-ast.js";

/** A compiled search: what a back end needs, and nothing of the wire. */
export interface SearchPlan {
  readonly ast: QueryAst;
  readonly offset: number;
  readonly limit: number;
  /**
   * At least one key, ties by the next one. Scores are computed if one of them is the score; else each is 1.
   * Absent: by score.
   */
  readonly orderBy?: readonly OrderKey[];
  /**
   * Every score is multiplied by exp(-ratePerDay × age in days), the age being `nowSeconds` (since the
   * epoch) minus the field's instant, at least 0; without a value it stays. No effect where there are no scores.
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
  /** Whether the result tells where the time went. */
  readonly profile?: true;
  /** Absent: hits show their documents. */
  readonly hitParts?: HitParts;
}

/** Whether hits have scores of their own: without an order, or with one in which scores count. */
export function hasScores({ orderBy }: SearchPlan): boolean {
  return orderBy === undefined || orderBy.some(({ kind }) => kind === "score");
}
