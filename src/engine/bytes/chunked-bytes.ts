import { checkFieldLength, SECTION_PADDING } from "./growable-bytes.js";
import { mappedBytes } from "./mapped-bytes.js";

/** A chunk is at least so long, or as long as what comes at once, */
const CHUNK_BYTES_MIN = 1024;
/** and as long as all those before together, but no longer than this, so that small segments take little. */
const CHUNK_BYTES_MAX = 1 << 18;

/**
 * Bytes appended in chunks: what is there stays where it is, where one growing buffer would be copied to ever
 * longer ones, each of which is a reason for a garbage collection. Long chunks are mapped (`mappedBytes`): most are
 * there until a file is written, and would keep the C library's pool from shrinking.
 */
export class ChunkedBytes {
  readonly #full: Uint8Array[] = [];
  /** Zeros from `#used` on. */
  #chunk: Uint8Array = new Uint8Array(0);
  #used = 0;
  #fullLength = 0;

  get length(): number {
    return this.#fullLength + this.#used;
  }

  /** @throws FindlingError `internal` past 4 GiB */
  append(bytes: Uint8Array): void {
    checkFieldLength(this.length + bytes.length);
    const fitting = Math.min(bytes.length, this.#chunk.length - this.#used);
    this.#chunk.set(fitting === bytes.length ? bytes : bytes.subarray(0, fitting), this.#used);
    this.#used += fitting;
    if (fitting === bytes.length) return;
    this.#beginChunk(bytes.length - fitting);
    this.#chunk.set(bytes.subarray(fitting));
    this.#used = bytes.length - fitting;
  }

  /** The chunks as section data: at least `SECTION_PADDING` zeros at the end, a multiple of that long. */
  toPaddedSection(): readonly Uint8Array[] {
    const { length } = this;
    const padded = Math.ceil(length / SECTION_PADDING) * SECTION_PADDING + SECTION_PADDING;
    const inChunk = Math.min(padded - length, this.#chunk.length - this.#used);
    const last = this.#chunk.subarray(0, this.#used + inChunk);
    return [...this.#full, last, new Uint8Array(padded - length - inChunk)].filter(
      (chunk) => chunk.length > 0,
    );
  }

  /** All bytes one behind the other, for what is copied from only: see `mappedBytes`. */
  joined(): Uint8Array {
    const joined = mappedBytes(this.length);
    let at = 0;
    for (const chunk of this.#full) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    joined.set(this.#chunk.subarray(0, this.#used), at);
    return joined;
  }

  #beginChunk(bytes: number): void {
    if (this.#used > 0) this.#full.push(this.#chunk);
    this.#fullLength += this.#used;
    const length = Math.min(CHUNK_BYTES_MAX, Math.max(CHUNK_BYTES_MIN, this.#fullLength));
    this.#chunk = mappedBytes(Math.max(length, bytes));
  }
}
