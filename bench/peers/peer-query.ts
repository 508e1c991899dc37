/** A query of the workload as the line protocol says it; which members it has depends on its kind. */
export interface PeerQuery {
  /**
   * - `term`, `and`, `or`, `phrase`, `fuzzy`, `prefix`, `term_range`: the ten best
   * - `filtered_page`: the ten best that lie at or under a facet path, with the top-level facets of all that do
   * - `range`: how many documents' number lies in the range
   * - `facets`: top-level facets of the documents with the term (of all, without terms)
   * - `sort`: the ten documents with the term (of all) whose number is greatest
   * - `stored`: ten documents by doc id, the next ten of the list each time it is asked
   */
  readonly kind:
    | "term"
    | "and"
    | "or"
    | "phrase"
    | "fuzzy"
    | "prefix"
    | "term_range"
    | "filtered_page"
    | "range"
    | "facets"
    | "sort"
    | "stored";
  readonly terms?: readonly string[];
  readonly distance?: 1 | 2;
  /** Bounds of a range, both included. */
  readonly lower?: number;
  readonly upper?: number;
  /** Doc ids, a multiple of ten; documents are numbered in the order of the input. */
  readonly docs?: readonly number[];
  /** Facet path with its leading slash. */
  readonly path?: string;
}

export interface PeerAnswer {
  readonly count?: number;
  readonly docs: readonly number[];
  readonly scores: readonly number[];
  readonly numbers?: readonly number[];
  readonly facets?: readonly (readonly [path: string, count: number])[];
}

/** Ways to answer: the ten best alone, or with the exact count; an engine may have two ways to that. */
export type Mode = "top10" | "one_pass" | "two_passes";

/** A line of the input: folded text, a number, facet paths. */
export interface PeerRow {
  readonly t: string;
  readonly n: number;
  readonly f: readonly string[];
}

/** Whether a kind has a ranking, which can be asked for with and without an exact count. */
export function isRanked(kind: PeerQuery["kind"]): boolean {
  return hasCount(kind) && kind !== "facets" && kind !== "sort";
}

/** Whether a kind's answer is another one with the exact count than without. */
export function hasCount(kind: PeerQuery["kind"]): boolean {
  return kind !== "range" && kind !== "stored";
}
