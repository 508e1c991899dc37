import { growByScratch } from "./image-memory.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";

/** Bytes for each document of the segment: room for two to twenty of the most frequent terms … */
const BYTES_PER_DOC = 8;
/** … but no more than this. */
const BYTES_MAX = 16 * 2 ** 20;
const REMEMBERED_TERMS_MAX = 512;
const BLOCK_SIZE = 128;
/** Of a block: u16 by entry, and what vector code writes behind them (`assembly/known-starts.ts`). */
const BLOCK_BYTES = 272;

/** Room for what is known of a list's positions; 0: none. */
export interface KnownStarts {
  /** Address of a byte for each block: whether its starts are there. */
  readonly blocks: number;
  readonly starts: number;
}

export const UNKNOWN_STARTS: KnownStarts = { blocks: 0, starts: 0 };

/**
 * Room for where the positions of frequent terms begin, which phrases ask for again and again: kernels fill it in
 * as they decode blocks. Once it is full all of it is forgotten.
 */
export class PositionCache {
  readonly #memory: WebAssembly.Memory;
  readonly #size: number;
  /** By address of a list's first last doc, which no two lists share; null: asked for once. */
  readonly #byList: Map<number, KnownStarts | null> = new Map();
  #start = 0;
  #end = 0;
  /** Whether the search at hand uses some of the room. */
  #isHeld = false;

  constructor(memory: WebAssembly.Memory, maxDoc: number) {
    this.#memory = memory;
    this.#size = Math.min(BYTES_MAX, (BYTES_PER_DOC * maxDoc) & ~63);
  }

  /** Forgets which lists a search before needs; to be called before each. */
  beginSearch(): void {
    this.#isHeld = false;
  }

  /** Room for a list in blocks; valid for the search at hand. */
  of(image: Pick<PostingImage, "lastDocs">, { docFreq, reference }: PostingPlace): KnownStarts {
    const key = image.lastDocs + 4 * reference;
    const known = this.#byList.get(key);
    if (known === undefined) {
      if (this.#byList.size >= REMEMBERED_TERMS_MAX && !this.#isHeld) this.#clear();
      this.#byList.set(key, null);
      return UNKNOWN_STARTS;
    }
    const served = known ?? this.#make(Math.ceil(docFreq / BLOCK_SIZE));
    if (served === null) return UNKNOWN_STARTS;
    this.#byList.set(key, served);
    this.#isHeld ||= served.starts !== 0;
    return served;
  }

  /** Null where there will be room once no list of the search at hand is in the way. */
  #make(blockCount: number): KnownStarts | null {
    const flagBytes = Math.ceil(blockCount / 64) * 64;
    const bytes = flagBytes + blockCount * BLOCK_BYTES;
    if (bytes > this.#size || !this.#takeRoom()) return UNKNOWN_STARTS;
    if (this.#end + bytes > this.#start + this.#size) {
      if (this.#isHeld) return null;
      this.#clear();
    }
    const blocks = this.#end;
    this.#end += Math.ceil(bytes / 64) * 64;
    new Uint8Array(this.#memory.buffer, blocks, flagBytes).fill(0);
    return { blocks, starts: blocks + flagBytes };
  }

  #clear(): void {
    this.#byList.clear();
    this.#end = this.#start;
  }

  /** False if the memory has no more room. */
  #takeRoom(): boolean {
    if (this.#start !== 0) return true;
    try {
      // Behind it, what the last block's address is rounded up to.
      this.#start = growByScratch(this.#memory, this.#size + 64);
    } catch {
      return false;
    }
    this.#end = this.#start;
    return true;
  }
}
