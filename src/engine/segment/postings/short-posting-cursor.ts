import { readBits } from "../../bytes/bit-packing.js";
import { IMPACT_FREQ_MAX, impactNormFactors, strongestPosting } from "./impacts.js";
import type { PostingSections } from "./posting-sections.js";
import { readShortPostings } from "./read-short-postings.js";
import type { TermPostingCursor } from "./term-posting-cursor.js";

/**
 * A list of fewer than 128 documents: one block without metadata, so it is decoded at once and
 * everything else, such as its impact, is taken from the decoded postings.
 */
export class ShortPostingCursor implements TermPostingCursor {
  readonly docFreq: number;
  readonly blockCount = 1;
  readonly docs: Uint32Array;
  readonly freqs: Uint32Array;
  length = 0;
  block = -1;
  readonly #sections: PostingSections;
  readonly #norms: Uint8Array;
  readonly #averageLength: number;
  readonly #positionOffset: number;
  /** Bits of positions before those of each document, made when positions are first asked for. */
  #positionStarts: Uint32Array | null = null;

  constructor(
    sections: PostingSections,
    norms: Uint8Array,
    averageLength: number,
    docFreq: number,
    reference: number,
    positionReference: number,
  ) {
    this.#sections = sections;
    this.#norms = norms;
    this.#averageLength = averageLength;
    this.docFreq = docFreq;
    this.docs = new Uint32Array(docFreq);
    this.freqs = new Uint32Array(docFreq);
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

  positions(index: number, out: Uint32Array): number {
    const { positionData, positionWidths } = this.#sections;
    const count = this.freqs[index]!;
    const width = positionWidths[this.docs[index]!]!;
    readBits(positionData, this.#positionOffset, this.#starts()[index]!, width, count, out, 0);
    return count;
  }

  blockPositions(): Uint32Array {
    const { positionData, positionWidths } = this.#sections;
    const { docs, freqs } = this;
    let count = 0;
    for (let i = 0; i < this.docFreq; i++) count += freqs[i]!;
    const positions = new Uint32Array(count);
    let bit = 0;
    let at = 0;
    for (let i = 0; i < this.docFreq; i++) {
      const width = positionWidths[docs[i]!]!;
      readBits(positionData, this.#positionOffset, bit, width, freqs[i]!, positions, at);
      bit += freqs[i]! * width;
      at += freqs[i]!;
    }
    return positions;
  }

  positionOffset(): number {
    return this.#positionOffset;
  }

  positionPlace(): { readonly offset: number; readonly bits: number } {
    return { offset: this.#positionOffset, bits: this.#starts()[this.docFreq]! };
  }

  maxImpact(_block: number): { readonly freq: number; readonly norm: number } {
    const factors = impactNormFactors(this.#averageLength);
    const strongest = strongestPosting(this.docs, this.freqs, this.docFreq, this.#norms, factors);
    return {
      freq: Math.min(this.freqs[strongest]!, IMPACT_FREQ_MAX),
      norm: this.#norms[this.docs[strongest]!]!,
    };
  }

  #starts(): Uint32Array {
    if (this.#positionStarts === null) {
      const starts = new Uint32Array(this.docFreq + 1);
      const widths = this.#sections.positionWidths;
      for (let i = 0; i < this.docFreq; i++) {
        starts[i + 1] = starts[i]! + this.freqs[i]! * widths[this.docs[i]!]!;
      }
      this.#positionStarts = starts;
    }
    return this.#positionStarts;
  }
}
