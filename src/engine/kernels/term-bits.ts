import type { KernelFunctions } from "./kernel-functions.js";
import type { ListTable } from "./list-table.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import { type ScratchLayout, UNITED_TERM_BYTES, UNITED_TERMS_MAX } from "./scratch-layout.js";

/** Documents of a field's terms, added to bits in scratch memory. */
export class TermBits {
  readonly #functions: KernelFunctions;
  readonly #layout: ScratchLayout;
  readonly #lists: ListTable;
  readonly #words: Int32Array;

  constructor(
    memory: WebAssembly.Memory,
    layout: ScratchLayout,
    lists: ListTable,
    functions: KernelFunctions,
  ) {
    this.#functions = functions;
    this.#layout = layout;
    this.#lists = lists;
    this.#words = new Int32Array(memory.buffer);
  }

  /** Adds the documents of all terms from ordinal `first` up to, not including, `end` to the bits at `target`. */
  orRange(target: number, image: PostingImage, first: number, end: number): void {
    this.#lists.layWalker(image);
    const { walker } = this.#layout;
    this.#functions.orTermRange(target, image.docFreqs, image.references, first, end, image.data, walker);
  }

  /** Adds the documents of some terms to the bits at `target`. */
  or(target: number, image: PostingImage, places: readonly PostingPlace[]): void {
    const { bitsetBytes, unitedTerms, walker } = this.#layout;
    const words = this.#words;
    this.#lists.layWalker(image);
    for (let from = 0; from < places.length; from += UNITED_TERMS_MAX) {
      const count = Math.min(UNITED_TERMS_MAX, places.length - from);
      for (let i = 0; i < count; i++) {
        const place = places[from + i]!;
        const at = (unitedTerms + i * UNITED_TERM_BYTES) >>> 2;
        words[at] = place.docFreq;
        words[at + 1] = place.reference;
        words[at + 2] = place.denseBits;
      }
      this.#functions.orTerms(target, bitsetBytes, unitedTerms, count, image.data, walker);
    }
  }
}
