import { FindlingError } from "../../errors/index.js";
import { roomyBuffer } from "./mapped-bytes.js";
import { releaseBuffer } from "./release-buffer.js";

/** Zero bytes after a section's data, so that SIMD kernels may read whole vectors past its end. */
export const SECTION_PADDING = 64;

const CAPACITY_MIN = 256;
/** What all begin with: a field of few documents has a dozen that stay so. */
const NOTHING = new Uint8Array(0);
const NO_WORDS = new Uint32Array(0);
/** Offsets are u32. */
const LENGTH_MAX = 0xffff_ffff - 2 * SECTION_PADDING;

/**
 * Bytes appended to in place: writers reserve room, write into `bytes` at `length` and raise `length`
 * themselves. Everything at and past `length` is 0. `bytes` and `words` (the same memory) change
 * identity in `reserve` only, which empties those before if they are long (`releaseBuffer`): nobody
 * may go on reading them. The capacity doubles, so appending n bytes costs O(n).
 */
export class GrowableBytes {
  bytes: Uint8Array = NOTHING;
  words: Uint32Array = NO_WORDS;
  length = 0;

  /** Drops all bytes and keeps the memory; only what was written before is cleared. */
  clear(): void {
    this.bytes.fill(0, 0, this.length);
    this.length = 0;
  }

  /** Makes room for `count` more bytes. @throws FindlingError `internal` past 4 GiB */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    checkFieldLength(needed);
    // Multiples of 4 keep the word view whole.
    const capacity = Math.min(Math.max(needed, this.bytes.length * 2, CAPACITY_MIN), LENGTH_MAX);
    const before = this.bytes;
    const length = Math.ceil(capacity / 4) * 4;
    const hasRoom = length <= before.buffer.byteLength;
    this.bytes = new Uint8Array(hasRoom ? before.buffer : roomyBuffer(length), 0, length);
    this.words = wordsOf(this.bytes);
    if (hasRoom || before === NOTHING) return;
    this.bytes.set(before.subarray(0, this.length));
    releaseBuffer(before.buffer);
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The bytes as section data, without a copy. */
  toSection(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** The bytes as section data: at least `SECTION_PADDING` zeros at the end, a multiple of that long. */
  toPaddedSection(): Uint8Array {
    const length = Math.ceil(this.length / SECTION_PADDING) * SECTION_PADDING + SECTION_PADDING;
    this.reserve(length - this.length);
    return this.bytes.subarray(0, length);
  }
}

function wordsOf({ buffer, length }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, 0, length / 4);
}

/** @throws FindlingError `internal` if data of a field is too long for offsets to reach its end */
export function checkFieldLength(length: number): void {
  if (length > LENGTH_MAX) {
    throw new FindlingError(
      "internal",
      "a text field's data would pass 4 GiB in one segment; flush and merge into smaller segments",
    );
  }
}
