import { type Bm25Similarity, inverseDocumentFrequency } from "../similarity/bm25-similarity.js";
import type { KnownTerm } from "../statistics/known-term.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { FLOOR_HITS_MAX, scoreFloor } from "./score-floor.js";

/** What the scores of a text field's terms depend on. */
export interface BoundTextField {
  readonly similarity: Bm25Similarity;
  /** Documents with a token in it. */
  readonly docCount: number;
}

/** A term of a text field: what its scores depend on, and where segments have it, each found once. */
export class BoundTerm {
  readonly field: string;
  readonly term: string;
  readonly similarity: Bm25Similarity;
  /** Live documents of the collection that hold it. */
  readonly docFreq: number;
  readonly inverseDocFreq: number;
  /** The segment that was asked for last, and what it has. */
  #last: SegmentStatistics | null = null;
  #lastKnown: KnownTerm | null = null;
  /** All that were asked for, and what they have; null while there is one, as arrays take more room than all the rest. */
  #segments: SegmentStatistics[] | null = null;
  #known: (KnownTerm | null)[] | null = null;
  /** The hits that `#floor` is for; 0: none yet. */
  #floorHits = 0;
  #floor = 0;

  /** @param docFreq live documents of the collection that hold it */
  constructor(field: string, term: string, bound: BoundTextField, docFreq: number) {
    this.field = field;
    this.term = term;
    this.similarity = bound.similarity;
    this.docFreq = docFreq;
    this.inverseDocFreq = inverseDocumentFrequency(docFreq, bound.docCount);
  }

  /**
   * See `scoreFloor`.
   *
   * @param segments all of the collection, the same from call to call
   */
  floor(k: number, segments: readonly SegmentStatistics[]): number {
    if (this.#floorHits !== k) {
      this.#floor = k > FLOOR_HITS_MAX ? 0 : scoreFloor(this, k, segments);
      this.#floorHits = k;
    }
    return this.#floor;
  }

  /** Where a segment has it; null if it hasn't. */
  in(segment: SegmentStatistics): KnownTerm | null {
    // Most snapshots have few segments, which take turns.
    return this.#last === segment ? this.#lastKnown : this.#find(segment);
  }

  #find(segment: SegmentStatistics): KnownTerm | null {
    const place = this.#segments?.indexOf(segment) ?? -1;
    const known = place < 0 ? segment.term(this.field, this.term) : this.#known![place]!;
    if (place < 0 && this.#last !== null) {
      this.#segments ??= [this.#last];
      this.#known ??= [this.#lastKnown];
      this.#segments.push(segment);
      this.#known.push(known);
    }
    this.#last = segment;
    this.#lastKnown = known;
    return known;
  }
}
