/** What takes a larger part of a chunk has memory of its own. */
const SHARED_PART = 1 / 4;

/**
 * Memory for short byte sequences, one behind the other: a buffer for each takes longer to make, and is one object more to
 * be fetched from memory whenever the bytes are read. A chunk is garbage once all that lies in it is.
 */
export class ByteChunks {
  readonly #chunkLength: number;
  #chunk: ArrayBuffer = new ArrayBuffer(0);
  #used = 0;

  constructor(chunkLength: number) {
    this.#chunkLength = chunkLength;
  }

  /** A copy of some of the bytes. */
  copy(bytes: Uint8Array, start: number, end: number): Uint8Array {
    const length = end - start;
    if (length > this.#chunkLength * SHARED_PART) return bytes.slice(start, end);
    if (this.#used + length > this.#chunk.byteLength) {
      this.#chunk = new ArrayBuffer(this.#chunkLength);
      this.#used = 0;
    }
    const copied = new Uint8Array(this.#chunk, this.#used, length);
    this.#used += length;
    copied.set(bytes.subarray(start, end));
    return copied;
  }
}
