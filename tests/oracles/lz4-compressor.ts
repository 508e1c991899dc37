import { lz4Bound } from "../../src/engine/bytes/lz4.js";

const MATCH_MIN = 4;
const LAST_LITERALS = 5;
const MATCH_FIND_LIMIT = 12;
const OFFSET_MAX = 65_535;
const HASH_BITS = 13;
/** Positions in the table never reach this: a new block starts past all older ones. */
const POSITION_MAX = 0x3fff_ffff;
/** Each 2^6 misses in a row widen the stride by one, so that incompressible data passes quickly. */
const SKIP_TRIGGER = 6;

/**
 * Greedy encoder with one hash table entry per four-byte prefix. The table is kept between blocks
 * and never cleared: it holds positions counted over all blocks, and those before the current one
 * don't match.
 */
export class Lz4Compressor {
  readonly #table = new Int32Array(1 << HASH_BITS);
  /** Position of the next block's first byte, counted over all blocks; entries below it are stale. */
  #base = 1;

  /**
   * Compresses `source`, at most 1 GiB, to `target` from `start` on and returns the end there.
   * @throws RangeError if `target` has less than `lz4Bound(source.length)` bytes from `start`
   */
  compress(source: Uint8Array, target: Uint8Array, start: number): number {
    const length = source.length;
    if (target.length - start < lz4Bound(length)) throw new RangeError("the target is shorter than lz4Bound");
    if (length > POSITION_MAX - 1) throw new RangeError("a block is at most 1 GiB");
    if (this.#base > POSITION_MAX - length) {
      this.#table.fill(0);
      this.#base = 1;
    }
    const base = this.#base;
    this.#base = base + length;
    return compressBlock(source, target, start, this.#table, base);
  }
}

function compressBlock(
  source: Uint8Array,
  target: Uint8Array,
  start: number,
  table: Int32Array,
  base: number,
): number {
  const length = source.length;
  const view = new DataView(source.buffer, source.byteOffset, length);
  const searchEnd = length - MATCH_FIND_LIMIT;
  const matchEnd = length - LAST_LITERALS;
  let out = start;
  let anchor = 0;
  let position = 0;
  let misses = 1 << SKIP_TRIGGER;

  while (position <= searchEnd) {
    const word = view.getInt32(position, true);
    const slot = Math.imul(word, 0x9e37_79b1) >>> (32 - HASH_BITS);
    let candidate = table[slot]! - base;
    table[slot] = position + base;
    if (candidate < 0 || position - candidate > OFFSET_MAX || view.getInt32(candidate, true) !== word) {
      position += misses++ >>> SKIP_TRIGGER;
      continue;
    }
    misses = 1 << SKIP_TRIGGER;
    const distance = position - candidate;
    let matched = position + MATCH_MIN;
    while (position > anchor && candidate > 0 && source[position - 1] === source[candidate - 1]) {
      position--;
      candidate--;
    }
    while (
      matched + 4 <= matchEnd &&
      view.getInt32(matched, true) === view.getInt32(matched - distance, true)
    ) {
      matched += 4;
    }
    while (matched < matchEnd && source[matched] === source[matched - distance]) matched++;

    const literals = position - anchor;
    const matchCode = matched - position - MATCH_MIN;
    target[out] = (literals < 15 ? literals << 4 : 0xf0) | (matchCode < 15 ? matchCode : 15);
    out = putLiterals(source, anchor, literals, target, out + 1);
    target[out++] = distance;
    target[out++] = distance >>> 8;
    if (matchCode >= 15) out = putLength(matchCode - 15, target, out);
    position = matched;
    anchor = matched;
    if (position <= searchEnd) {
      table[Math.imul(view.getInt32(position - 2, true), 0x9e37_79b1) >>> (32 - HASH_BITS)] =
        position - 2 + base;
    }
  }
  const literals = length - anchor;
  target[out] = literals < 15 ? literals << 4 : 0xf0;
  return putLiterals(source, anchor, literals, target, out + 1);
}

/** Writes what is left of a length whose nibble is 15. */
function putLength(rest: number, target: Uint8Array, out: number): number {
  while (rest >= 255) {
    target[out++] = 255;
    rest -= 255;
  }
  target[out++] = rest;
  return out;
}

function putLiterals(
  source: Uint8Array,
  from: number,
  count: number,
  target: Uint8Array,
  out: number,
): number {
  if (count >= 15) out = putLength(count - 15, target, out);
  if (count > 64) {
    target.set(source.subarray(from, from + count), out);
  } else {
    for (let index = 0; index < count; index++) target[out + index] = source[from + index]!;
  }
  return out + count;
}
