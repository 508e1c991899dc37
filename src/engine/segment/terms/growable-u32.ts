import { releaseBuffer } from "../../bytes/release-buffer.js";

const CAPACITY_MIN = 64;

/**
 * Unsigned 32-bit integers appended to in place, by doubling. `array` changes identity in `reserve` only, which empties
 * the one before if it is long (`releaseBuffer`): nobody may go on reading it.
 */
export class GrowableU32 {
  array: Uint32Array;
  length = 0;

  constructor(capacity: number = CAPACITY_MIN) {
    this.array = new Uint32Array(Math.max(CAPACITY_MIN, capacity));
  }

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.array.length) return;
    const grown = new Uint32Array(Math.max(needed, this.array.length * 2));
    grown.set(this.array.subarray(0, this.length));
    releaseBuffer(this.array.buffer);
    this.array = grown;
  }

  push(value: number): void {
    if (this.length === this.array.length) this.reserve(1);
    this.array[this.length++] = value;
  }

  /** The values as section data, without a copy. */
  toSection(): Uint32Array {
    return this.array.subarray(0, this.length);
  }
}
