import { growByScratch } from "./image-memory.js";
import { BITSETS, type ScratchLayout } from "./scratch-layout.js";

/** Bitsets that are added at a time, for words' farther variants and marked documents. */
const MORE_BITSETS = 8;

/** Bits of a segment's documents in scratch memory: maxDoc, and up to 511 more that are 0. */
export class ScratchBitsets {
  readonly #memory: WebAssembly.Memory;
  readonly #layout: ScratchLayout;
  readonly #more: number[] = [];
  /** Whose bits are at `#liveAddress`; null: nobody's. */
  #live: Uint32Array | null = null;
  #liveAddress = 0;

  constructor(memory: WebAssembly.Memory, layout: ScratchLayout) {
    this.#memory = memory;
    this.#layout = layout;
  }

  /** Address of one of those that every search uses, numbered from 0. */
  addressOf(index: number): number {
    if (index >= BITSETS) throw new RangeError(`there are ${BITSETS} bitsets, asked for ${index}`);
    return this.#layout.bitsets + index * this.#layout.bitsetBytes;
  }

  /** Address of one besides those, numbered from 0; its content is undefined. Throws ScratchExhaustedError. */
  more(index: number): number {
    while (this.#more.length <= index) {
      const { bitsetBytes } = this.#layout;
      const start = growByScratch(this.#memory, MORE_BITSETS * bitsetBytes);
      for (let i = 0; i < MORE_BITSETS; i++) this.#more.push(start + i * bitsetBytes);
    }
    return this.#more[index]!;
  }

  /**
   * Address of the bits of live documents, which are copied only when others were asked for last; not to be
   * written to. Throws ScratchExhaustedError.
   *
   * @param live those of the segment, which never change
   */
  ofLive(live: Uint32Array): number {
    if (this.#live === live) return this.#liveAddress;
    const { bitsetBytes } = this.#layout;
    if (this.#liveAddress === 0) this.#liveAddress = growByScratch(this.#memory, bitsetBytes);
    // The bits of live documents may be fewer than whole groups.
    const bits = this.at(this.#liveAddress).fill(0, live.length);
    bits.set(live);
    this.#live = live;
    return this.#liveAddress;
  }

  /** The bits at an address, as words. */
  at(address: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, address, this.#layout.bitsetBytes / 4);
  }
}
