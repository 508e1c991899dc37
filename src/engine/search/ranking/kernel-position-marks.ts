import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import type { PositionMarks } from "../evaluators/nearness.js";

/** Bytes of a document's number, and of the marks of its positions. */
const DOC_BYTES = 4;
const MARK_BYTES = 8;

/** Positions of words in documents, found by kernels. */
export class KernelPositionMarks implements PositionMarks {
  readonly #kernels: SegmentKernels;
  readonly #docs: number;
  /** By word: the address of its marks. */
  readonly #marks: readonly number[];
  #count = 0;

  private constructor(kernels: SegmentKernels, docs: number, marks: readonly number[]) {
    this.#kernels = kernels;
    this.#docs = docs;
    this.#marks = marks;
  }

  /** Null if there is no room for so many words and documents at a time. */
  static of(kernels: SegmentKernels, wordCount: number, docsMax: number): KernelPositionMarks | null {
    const markBytes = docsMax * MARK_BYTES;
    const marks = kernels.scored.reserveBytes(wordCount * markBytes);
    const docs = kernels.scored.reserveBytes(docsMax * DOC_BYTES);
    if (marks === null || docs === null) return null;
    return new KernelPositionMarks(
      kernels,
      docs,
      Array.from({ length: wordCount }, (_, word) => marks + word * markBytes),
    );
  }

  begin(docs: Uint32Array): void {
    this.#count = docs.length;
    this.#kernels.scored.words(this.#docs, docs.length).set(docs);
  }

  of(word: number, terms: FieldTerms, ordinals: readonly number[]): Uint32Array {
    const target = this.#marks[word]!;
    const bits = this.#kernels.scored.words(target, (this.#count * MARK_BYTES) / DOC_BYTES).fill(0);
    const places = ordinals.map((ordinal) => terms.placeOf(ordinal));
    this.#kernels.termBits.orPositions(target, this.#docs, this.#count, terms.image!, places);
    return bits;
  }
}
