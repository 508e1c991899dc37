import { growByScratch } from "./image-memory.js";
import { BLOCK_VALUES } from "./scratch-layout.js";

/** Lists that are kept at a time, 1.8 KB each: 0.9 MB for a segment and thread. What none has used yet takes none. */
const SLOTS = 512;
const SLOT_BITS = 9;
/** What the scores were made with, and the greatest (`assembly/prepare-list.ts`). */
const HEADER_BYTES = 32;
const VALUE_BYTES = BLOCK_VALUES * 4;
const SLOT_BYTES = HEADER_BYTES + 3 * VALUE_BYTES;
/** 2^32 divided by the golden ratio, which spreads neighbours. */
const SPREADING = 0x9e3779b1;

/** Where a list that is kept has its header, and its buffers behind that. */
export interface KeptList {
  readonly header: number;
  readonly docs: number;
  readonly freqs: number;
  readonly scores: number;
  /** Whether the list has to be decoded into it. */
  isEmpty: boolean;
}

/**
 * Lists of fewer than 128 documents that are asked for repeatedly stay decoded, and scored as long as scores depend
 * on the same; of longer ones the last block does, which is written as varints. Each has one slot that it can be kept
 * in; the last one that was asked for twice in a row there is.
 */
export class KeptLists {
  readonly #memory: WebAssembly.Memory;
  #slots: readonly KeptList[] | null = null;
  /** By slot: the list that is there, and the one that was asked for last, by their addresses; 0: none. */
  readonly #kept: Uint32Array = new Uint32Array(SLOTS);
  readonly #asked: Uint32Array = new Uint32Array(SLOTS);
  /** By slot the last search that has used it, so that no two lists of a search share buffers. */
  readonly #used: Uint32Array = new Uint32Array(SLOTS);
  #search = 0;

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** To be called before each search. */
  beginSearch(): void {
    this.#search = (this.#search + 1) >>> 0;
  }

  /**
   * Where a list is kept, or is to be from now on; null if it isn't.
   *
   * @param address of its first posting, or of the last document of its first block
   */
  slotOf(address: number): KeptList | null {
    const place = Math.imul(address, SPREADING) >>> (32 - SLOT_BITS);
    if (this.#kept[place] !== address) {
      if (this.#asked[place] !== address) {
        this.#asked[place] = address;
        return null;
      }
      if (this.#used[place] === this.#search) return null;
      this.#slots ??= this.#takeSlots();
      const slot = this.#slots[place];
      if (slot === undefined) return null;
      slot.isEmpty = true;
      this.#kept[place] = address;
    } else if (this.#used[place] === this.#search) return null;
    this.#used[place] = this.#search;
    return this.#slots![place]!;
  }

  /** None if the memory has no more room. */
  #takeSlots(): readonly KeptList[] {
    let start: number;
    try {
      start = growByScratch(this.#memory, SLOTS * SLOT_BYTES);
    } catch {
      return [];
    }
    return Array.from({ length: SLOTS }, (_, slot) => {
      const header = start + slot * SLOT_BYTES;
      const docs = header + HEADER_BYTES;
      return { header, docs, freqs: docs + VALUE_BYTES, scores: docs + 2 * VALUE_BYTES, isEmpty: true };
    });
  }
}
