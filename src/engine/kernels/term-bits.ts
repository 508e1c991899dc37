import type { KernelFunctions } from "./kernel-functions.js";
import type { ListTable } from "./list-table.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import { type ScratchLayout, UNITED_TERM_BYTES, UNITED_TERMS_MAX } from "./scratch-layout.js";

/** Positions of a document that are marked: a bit for each. */
export const MARKED_POSITIONS = 64;

/** Documents of a field's terms, and positions in them, added to bits in scratch memory. */
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
    this.#functions.orTermRange(target, image.docFreqs, image.references, first, end, walker);
  }

  /** Adds the documents of some terms to the bits at `target`. */
  or(target: number, image: PostingImage, places: readonly PostingPlace[]): void {
    const { bitsetBytes, walker } = this.#layout;
    this.#lists.layWalker(image);
    this.#layInTurns(places, (terms, count) =>
      this.#functions.orTerms(target, bitsetBytes, terms, count, walker),
    );
  }

  /**
   * Adds where any of the terms stand in documents, as a bit for each of their first 64 positions.
   *
   * @param docs address of the documents, ascending, `count` of them
   * @param target address of the bits, u64 by document
   */
  orPositions(
    target: number,
    docs: number,
    count: number,
    image: PostingImage,
    places: readonly PostingPlace[],
  ): void {
    const { walker } = this.#layout;
    this.#lists.layWalker(image);
    this.#layInTurns(places, (terms, termCount) =>
      this.#functions.markPositions(docs, count, target, terms, termCount, walker),
    );
  }

  /**
   * In how many of some documents each of the terms stands so far behind a marked position; by term.
   *
   * @param docs as for `orPositions`, which has marked the positions at `marks`
   * @param gap positions, 1 to 31
   */
  countFollowers(
    marks: number,
    docs: number,
    count: number,
    image: PostingImage,
    places: readonly PostingPlace[],
    gap: number,
  ): Uint32Array {
    const { walker } = this.#layout;
    const found = new Uint32Array(places.length);
    let from = 0;
    this.#lists.layWalker(image);
    this.#layInTurns(places, (terms, termCount) => {
      this.#functions.countFollowers(docs, count, marks, terms, termCount, gap, walker);
      for (let i = 0; i < termCount; i++)
        found[from + i] = this.#words[((terms + i * UNITED_TERM_BYTES) >>> 2) + 2]!;
      from += termCount;
    });
    return found;
  }

  /** Writes terms where the kernels read them, as many at a time as there is room for. */
  #layInTurns(places: readonly PostingPlace[], take: (terms: number, count: number) => void): void {
    const { unitedTerms } = this.#layout;
    const words = this.#words;
    for (let from = 0; from < places.length; from += UNITED_TERMS_MAX) {
      const count = Math.min(UNITED_TERMS_MAX, places.length - from);
      for (let i = 0; i < count; i++) {
        const place = places[from + i]!;
        const at = (unitedTerms + i * UNITED_TERM_BYTES) >>> 2;
        words[at] = place.docFreq;
        words[at + 1] = place.reference;
        words[at + 2] = place.denseBits;
        words[at + 3] = place.positionReference;
      }
      take(unitedTerms, count);
    }
  }
}
