/** What a part of a query is expected to take in one segment. */
export interface ExpectedCost {
  /** Documents that it matches, at most or as they usually do. */
  readonly matches: number;
  readonly nanoseconds: number;
}
