import { BLOCK_SIZE } from "../../src/engine/bytes/bit-packing.js";

const ROWS = BLOCK_SIZE / 4;

/** Packs 128 values below 2^bits into `words` from `wordIndex` on. The target words must be 0. */
export function packVertical(values: Uint32Array, bits: number, words: Uint32Array, wordIndex: number): void {
  if (bits === 0) return;
  for (let row = 0; row < ROWS; row++) {
    const bit = row * bits;
    const shift = bit & 31;
    const target = wordIndex + 4 * (bit >>> 5);
    const source = 4 * row;
    const spills = shift + bits > 32;
    for (let lane = 0; lane < 4; lane++) {
      const value = values[source + lane]!;
      words[target + lane] = words[target + lane]! | (value << shift);
      if (spills) words[target + 4 + lane] = value >>> (32 - shift);
    }
  }
}

/**
 * Writes `count` values below 2^bits, from `values[from]` on, as a stream at byte `offset`. The
 * target bytes must be 0.
 */
export function writeStream(
  values: Uint32Array,
  from: number,
  count: number,
  bits: number,
  bytes: Uint8Array,
  offset: number,
): void {
  writeBits(values, from, count, bits, bytes, offset, 0);
}

/**
 * Writes values below 2^bits, `count` of them from `values[from]` on, at bit `bit` behind byte `offset`. The
 * target bits must be 0; bits are counted below 2^32.
 */
export function writeBits(
  values: Uint32Array,
  from: number,
  count: number,
  bits: number,
  bytes: Uint8Array,
  offset: number,
  bit: number,
): void {
  let at = offset + (bit >>> 3);
  // `pending` holds the bits of the byte at `at`, of which there are always fewer than 8.
  let pendingBits = bit & 7;
  let pending = pendingBits === 0 ? 0 : bytes[at]!;
  for (let i = from; i < from + count; i++) {
    let value = values[i]!;
    let left = bits;
    while (pendingBits + left >= 8) {
      bytes[at++] = pending | (value << pendingBits);
      value >>>= 8 - pendingBits;
      left -= 8 - pendingBits;
      pending = 0;
      pendingBits = 0;
    }
    if (left > 0) {
      pending |= value << pendingBits;
      pendingBits += left;
    }
  }
  if (pendingBits > 0) bytes[at] = pending;
}
