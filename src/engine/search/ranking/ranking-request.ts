/**
 * What is wanted of a segment. A class, since V8 goes on making object literals in an outdated form once a number
 * in one has turned out not to be whole, and brings each into the new form where it is read: a microsecond.
 */
export class RankingRequest {
  /** Best documents, at most `HITS_MAX`; 0: none. */
  readonly limit: number;
  readonly withCount: boolean;
  /** Whether all matches are wanted, as bits. */
  readonly withMatches: boolean;
  /** Whether they may be listed instead, where they are few. */
  readonly mayList: boolean;
  /** Only scores above it are of interest. */
  leastScore = -1;
  /** What a document's score is multiplied with, f32 from 0 to 1; null: nothing. Only with groups. */
  decay: ((docId: number) => number) | null = null;

  constructor(limit: number, withCount: boolean, withMatches: boolean, mayList: boolean) {
    this.limit = limit;
    this.withCount = withCount;
    this.withMatches = withMatches;
    this.mayList = mayList;
  }
}
