import { BLOCK_SIZE, unpackVertical, verticalWordCount } from "../../bytes/bit-packing.js";
import type { PostingSections } from "./posting-sections.js";
import { VARINT_BLOCK } from "./posting-sections.js";
import { TermPostingCursor } from "./term-posting-cursor.js";
import { readVarintPostings } from "./varint-postings.js";

/** A list of at least 128 documents, whose blocks are found by their metadata and decoded one at a time. */
export class BlockPostingCursor extends TermPostingCursor {
  readonly blockCount: number;
  /** Index of the list's first block in the field's block arrays. */
  readonly #firstBlock: number;
  #freqsBlock = -1;

  constructor(sections: PostingSections, docFreq: number, firstBlock: number) {
    super(sections, docFreq, BLOCK_SIZE);
    this.#firstBlock = firstBlock;
    this.blockCount = Math.ceil(docFreq / BLOCK_SIZE);
  }

  lastDoc(block: number): number {
    return this.sections.lastDocs[this.#firstBlock + block]!;
  }

  /** Gallops from the current block, then bisects: O(log distance). */
  seekBlock(target: number): number {
    const lastDocs = this.sections.lastDocs;
    const first = this.#firstBlock;
    const end = this.blockCount;
    // Invariant: every block before `low` ends before the target; `high` doesn't, or is the end.
    let low = this.block < 0 ? 0 : this.block;
    let high = low;
    for (let step = 1; high < end && lastDocs[first + high]! < target; step *= 2) {
      low = high + 1;
      high += step;
    }
    if (high > end) high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (lastDocs[first + middle]! < target) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  loadBlock(block: number): void {
    if (block === this.block) return;
    const sections = this.sections;
    const index = this.#firstBlock + block;
    const offset = sections.dataOffsets[index]!;
    const bits = sections.docBits[index]!;
    let docId = block === 0 ? -1 : sections.lastDocs[index - 1]!;
    this.block = block;
    if (bits === VARINT_BLOCK) {
      this.length = this.docFreq - block * BLOCK_SIZE;
      readVarintPostings(sections.data, offset, docId, this.length, this.docs, this.freqs);
      this.#freqsBlock = block;
      return;
    }
    this.length = BLOCK_SIZE;
    const docs = this.docs;
    unpackVertical(sections.dataWords, offset >>> 2, bits, docs);
    for (let i = 0; i < BLOCK_SIZE; i++) {
      docId += docs[i]! + 1;
      docs[i] = docId;
    }
  }

  loadFreqs(): void {
    if (this.#freqsBlock === this.block) return;
    const sections = this.sections;
    const index = this.#firstBlock + this.block;
    const freqs = this.freqs;
    const wordIndex = (sections.dataOffsets[index]! >>> 2) + verticalWordCount(sections.docBits[index]!);
    unpackVertical(sections.dataWords, wordIndex, sections.freqBits[index]!, freqs);
    for (let i = 0; i < BLOCK_SIZE; i++) freqs[i]! += 1;
    this.#freqsBlock = this.block;
  }

  protected positionOffset(): number {
    return this.sections.positionOffsets[this.#firstBlock + this.block]!;
  }

  maxImpact(block: number): { readonly freq: number; readonly norm: number } {
    const impact = this.sections.impacts[this.#firstBlock + block]!;
    return { freq: impact & 0xff, norm: impact >>> 8 };
  }
}
