import { ExceededScore } from "../../kernels/exceeded-score.js";
import type { PostingPlace } from "../../kernels/posting-image.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";

/** A term that one view of a segment holds, where, and what searches for it have found out. */
export class KnownTerm {
  readonly terms: FieldTerms;
  readonly ordinal: number;
  /** Of its list in the segment's image; meaningless without one. */
  readonly place: PostingPlace;
  /** Live documents that hold it; -1 until they have been counted. */
  liveDocFreq: number;
  /** What `#exceeded` is for. */
  #weight = 0;
  #similarity: Bm25Similarity | null = null;
  #exceeded: ExceededScore | null = null;

  constructor(terms: FieldTerms, ordinal: number, place: PostingPlace, liveDocFreq: number) {
    this.terms = terms;
    this.ordinal = ordinal;
    this.place = place;
    this.liveDocFreq = liveDocFreq;
  }

  /** A score that as many live documents as hits are wanted exceed by this term; -1 if none has been noted. */
  exceeded(hits: number, weight: number, similarity: Bm25Similarity): number {
    const isKnown = weight === this.#weight && similarity === this.#similarity;
    return isKnown && this.#exceeded !== null ? this.#exceeded.by(hits) : -1;
  }

  /**
   * Notes what a search for nothing but the term has found.
   *
   * @param worst score of the last of so many hits, f32 above 0
   */
  note(hits: number, worst: number, weight: number, similarity: Bm25Similarity): void {
    let exceeded = this.#exceeded;
    if (exceeded === null || weight !== this.#weight || similarity !== this.#similarity) {
      this.#weight = weight;
      this.#similarity = similarity;
      this.#exceeded = exceeded = new ExceededScore();
    }
    exceeded.note(hits, worst);
  }
}
