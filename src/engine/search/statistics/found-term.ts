import type { PostingPlace } from "../../kernels/posting-image.js";
import type { FieldTerms } from "../../segment/segment-reader.js";

/** A term that one view of a segment holds, and where. */
export class FoundTerm {
  readonly terms: FieldTerms;
  readonly ordinal: number;
  /** The place of its list in the segment's image; meaningless without one. */
  readonly place: PostingPlace;

  constructor(terms: FieldTerms, ordinal: number, place: PostingPlace) {
    this.terms = terms;
    this.ordinal = ordinal;
    this.place = place;
  }
}
