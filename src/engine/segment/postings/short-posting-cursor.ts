import { IMPACT_FREQ_MAX, impactNormFactors, strongestPosting } from "./impacts.js";
import type { PostingSections } from "./posting-sections.js";
import { readShortPostings } from "./read-short-postings.js";
import { TermPostingCursor } from "./term-posting-cursor.js";

/**
 * A list of fewer than 128 documents: one block without metadata, so it is decoded at once and
 * everything else, such as its impact, is taken from the decoded postings.
 */
export class ShortPostingCursor extends TermPostingCursor {
  readonly blockCount = 1;
  readonly #norms: Uint8Array;
  readonly #averageLength: number;
  readonly #positionOffset: number;

  constructor(
    sections: PostingSections,
    norms: Uint8Array,
    averageLength: number,
    docFreq: number,
    reference: number,
    positionReference: number,
  ) {
    super(sections, docFreq, docFreq);
    this.#norms = norms;
    this.#averageLength = averageLength;
    this.#positionOffset = readShortPostings(
      sections,
      docFreq,
      reference,
      positionReference,
      this.docs,
      this.freqs,
    );
  }

  lastDoc(_block: number): number {
    return this.docs[this.docFreq - 1]!;
  }

  seekBlock(target: number): number {
    return this.docs[this.docFreq - 1]! >= target ? 0 : 1;
  }

  loadBlock(block: number): void {
    this.block = block;
    this.length = this.docFreq;
  }

  loadFreqs(): void {}

  protected positionOffset(): number {
    return this.#positionOffset;
  }

  maxImpact(_block: number): { readonly freq: number; readonly norm: number } {
    const factors = impactNormFactors(this.#averageLength);
    const strongest = strongestPosting(this.docs, this.freqs, this.docFreq, this.#norms, factors);
    return {
      freq: Math.min(this.freqs[strongest]!, IMPACT_FREQ_MAX),
      norm: this.#norms[this.docs[strongest]!]!,
    };
  }
}
