import { roomyBuffer } from "./mapped-bytes.js";
import { releaseBuffer } from "./release-buffer.js";

const CAPACITY_MIN = 64;
/** What all begin with: a field of few documents has a dozen that stay so. */
const NOTHING = new Uint32Array(0);

/**
 * Unsigned 32-bit integers appended to in place, by doubling. `array` changes identity in `reserve` only, which empties
 * the one before if it is long (`releaseBuffer`): nobody may go on reading it.
 */
export class GrowableU32 {
  array: Uint32Array = NOTHING;
  length = 0;

  /** Makes room for `count` more. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.array.length) return;
    const before = this.array;
    const capacity = Math.max(needed, before.length * 2, CAPACITY_MIN);
    const hasRoom = 4 * capacity <= before.buffer.byteLength;
    this.array = new Uint32Array(hasRoom ? before.buffer : roomyBuffer(4 * capacity), 0, capacity);
    if (hasRoom || before === NOTHING) return;
    this.array.set(before.subarray(0, this.length));
    releaseBuffer(before.buffer);
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
