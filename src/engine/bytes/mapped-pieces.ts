import { releaseBuffer } from "./release-buffer.js";

/**
 * Longer than what malloc takes from memory that it has: it has the system map what is so long (glibc), which
 * gives pages only as they are used, and has them back as soon as the buffer is released. What is shorter comes
 * from a thread's pool after the first that was freed, and stays there.
 */
export const MAPPED_BYTES: number = 33 * 1024 * 1024;

/** Pieces of memory that is the system's again once it is released, whatever else was allocated meanwhile. */
export class MappedPieces {
  readonly #buffers: ArrayBuffer[] = [];
  #used = MAPPED_BYTES;

  /** Zero bytes; fewer than there are in a buffer. */
  take(length: number): Uint8Array<ArrayBuffer> {
    if (this.#used + length > MAPPED_BYTES) {
      this.#buffers.push(new ArrayBuffer(MAPPED_BYTES));
      this.#used = 0;
    }
    const piece = new Uint8Array(this.#buffers.at(-1)!, this.#used, length);
    this.#used += length;
    return piece;
  }

  /** Nobody may be reading or writing them; they are empty afterwards. */
  release(): void {
    for (const buffer of this.#buffers.splice(0)) releaseBuffer(buffer);
    this.#used = MAPPED_BYTES;
  }
}
