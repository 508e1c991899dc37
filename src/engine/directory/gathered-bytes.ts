import { mappedBytes } from "../bytes/mapped-bytes.js";
import { releaseBuffer } from "../bytes/release-buffer.js";

const CAPACITY_MIN = 16 * 1024;

/** Chunks one behind the other, up to so many bytes, in a buffer that is used again and again. */
export class GatheredBytes {
  readonly #bytesMax: number;
  #buffer: Uint8Array = new Uint8Array(0);
  #length = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get length(): number {
    return this.#length;
  }

  /** Copies the chunk behind what is there; false, and nothing is copied, if there is no room for it. */
  take(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#bytesMax) return false;
    if (length > this.#buffer.length) {
      const grown = mappedBytes(
        Math.min(this.#bytesMax, Math.max(length, 2 * this.#buffer.length, CAPACITY_MIN)),
      );
      grown.set(this.#buffer.subarray(0, this.#length));
      releaseBuffer(this.#buffer.buffer);
      this.#buffer = grown;
    }
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  /** What is there, valid until the next `clear`. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }

  /** Gives back its memory, which nobody may be reading; it is of no use afterwards. */
  release(): void {
    releaseBuffer(this.#buffer.buffer);
  }
}
