import { readBits } from "../../bytes/bit-packing.js";
import type { PostingCursor } from "../segment-reader.js";
import type { PostingSections } from "./posting-sections.js";

/** A posting cursor with what merging and checking look at besides; all of it is about the loaded block. */
export abstract class TermPostingCursor implements PostingCursor {
  readonly docFreq: number;
  abstract readonly blockCount: number;
  readonly docs: Uint32Array;
  readonly freqs: Uint32Array;
  length = 0;
  block = -1;
  protected readonly sections: PostingSections;
  /** Bits of positions before those of each document of block `#startsBlock`; null until they are asked for first. */
  #positionStarts: Uint32Array | null = null;
  #startsBlock = -1;

  /** @param lengthMax entries of a block, at most */
  constructor(sections: PostingSections, docFreq: number, lengthMax: number) {
    this.sections = sections;
    this.docFreq = docFreq;
    this.docs = new Uint32Array(lengthMax);
    this.freqs = new Uint32Array(lengthMax);
  }

  abstract lastDoc(block: number): number;
  abstract seekBlock(target: number): number;
  abstract loadBlock(block: number): void;
  abstract loadFreqs(): void;
  /** Byte of the position data where the block's positions start. */
  protected abstract positionOffset(): number;
  /** Greatest impact of a block. */
  abstract maxImpact(block: number): { readonly freq: number; readonly norm: number };

  positions(index: number, out: Uint32Array): number {
    return this.#read(index, this.#starts()[index]!, out, 0);
  }

  /** Positions of all postings in order; frequencies must be loaded. */
  blockPositions(): Uint32Array {
    const starts = this.#starts();
    let count = 0;
    for (let i = 0; i < this.length; i++) count += this.freqs[i]!;
    const positions = new Uint32Array(count);
    let at = 0;
    for (let i = 0; i < this.length; i++) at += this.#read(i, starts[i]!, positions, at);
    return positions;
  }

  /** Where the block's positions start in the position data, and how many bits they take; frequencies must be loaded. */
  positionPlace(): { readonly offset: number; readonly bits: number } {
    return { offset: this.positionOffset(), bits: this.#starts()[this.length]! };
  }

  #read(index: number, start: number, out: Uint32Array, at: number): number {
    const { positionData, positionWidths } = this.sections;
    const count = this.freqs[index]!;
    const width = positionWidths[this.docs[index]!]!;
    readBits(positionData, this.positionOffset(), start, width, count, out, at);
    return count;
  }

  #starts(): Uint32Array {
    const starts = (this.#positionStarts ??= new Uint32Array(this.docs.length + 1));
    if (this.#startsBlock !== this.block) {
      const { docs, freqs } = this;
      const widths = this.sections.positionWidths;
      for (let i = 0; i < this.length; i++) starts[i + 1] = starts[i]! + freqs[i]! * widths[docs[i]!]!;
      this.#startsBlock = this.block;
    }
    return starts;
  }
}
