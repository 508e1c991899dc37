import { growByScratch } from "./image-memory.js";
import type { PostingImage } from "./posting-image.js";

/** Fields that have room, 64 KiB each at least; the others' blocks are scored as a whole. */
const FIELDS_MAX = 16;

/**
 * Room for the least norm code of each block of posting lists, by field, which kernels fill in as they come by
 * (`assembly/least-freq.ts`): a byte for each block of 128 postings that the field has.
 */
export class LeastNorms {
  readonly #memory: WebAssembly.Memory;
  /** By address of a field's last doc ids, which no two fields share; 0: there was no room. */
  readonly #byField: Map<number, number> = new Map();

  constructor(memory: WebAssembly.Memory) {
    this.#memory = memory;
  }

  /** Address of a field's, by number of its block; 0 where there is no room. */
  of({ lastDocs, blockCount }: Pick<PostingImage, "lastDocs" | "blockCount">): number {
    let address = this.#byField.get(lastDocs);
    if (address === undefined) {
      address = this.#make(blockCount);
      this.#byField.set(lastDocs, address);
    }
    return address;
  }

  #make(blockCount: number): number {
    if (this.#byField.size >= FIELDS_MAX) return 0;
    // Powers of two, so that whoever takes this thread's place has use for it.
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(64, blockCount)));
    try {
      return growByScratch(this.#memory, bytes);
    } catch {
      return 0;
    }
  }
}
