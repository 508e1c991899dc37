/**
 * Integers in as few bits as the largest of a group needs, in two layouts.
 *
 * Vertical blocks hold 128 integers so that one SIMD instruction unpacks four of them (SIMD-BP128;
 * Lemire and Boytsov, "Decoding billions of integers per second through vectorization", 2015):
 * value i stands in lane `i % 4`, row `i / 4`; each lane is a bit stream, least significant bit
 * first, through its own 32-bit words, and the words of the four lanes alternate.
 *
 *     word      0      1      2      3      4      5    ...   4 * bits - 1
 *             lane 0 lane 1 lane 2 lane 3 lane 0 lane 1 ...
 *
 * Streams hold any number of integers one after the other, least significant bit first. Both
 * layouts give value i an address, so that a single one is read without unpacking the others.
 */

/** Integers in a vertical block. */
export const BLOCK_SIZE = 128;

const ROWS = BLOCK_SIZE / 4;

/** Bits needed for a value: 0 for 0, up to 32. */
export function bitWidth(value: number): number {
  return 32 - Math.clz32(value);
}

/** 32-bit words of a vertical block. */
export function verticalWordCount(bits: number): number {
  return 4 * bits;
}

/** Unpacks a vertical block into `values[0..127]`. */
export function unpackVertical(
  words: Uint32Array,
  wordIndex: number,
  bits: number,
  values: Uint32Array,
): void {
  if (bits === 0) {
    values.fill(0, 0, BLOCK_SIZE);
    return;
  }
  const mask = 0xffff_ffff >>> (32 - bits);
  for (let row = 0; row < ROWS; row++) {
    const bit = row * bits;
    const shift = bit & 31;
    const source = wordIndex + 4 * (bit >>> 5);
    const target = 4 * row;
    if (shift + bits <= 32) {
      values[target] = (words[source]! >>> shift) & mask;
      values[target + 1] = (words[source + 1]! >>> shift) & mask;
      values[target + 2] = (words[source + 2]! >>> shift) & mask;
      values[target + 3] = (words[source + 3]! >>> shift) & mask;
    } else {
      const rest = 32 - shift;
      values[target] = ((words[source]! >>> shift) | (words[source + 4]! << rest)) & mask;
      values[target + 1] = ((words[source + 1]! >>> shift) | (words[source + 5]! << rest)) & mask;
      values[target + 2] = ((words[source + 2]! >>> shift) | (words[source + 6]! << rest)) & mask;
      values[target + 3] = ((words[source + 3]! >>> shift) | (words[source + 7]! << rest)) & mask;
    }
  }
}

/** Bytes of a stream of `count` values. */
export function streamByteLength(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
}

/** Value `index` of a stream. Bytes past the end of the array read as 0. */
export function readStreamAt(bytes: Uint8Array, bits: number, index: number): number {
  if (bits === 0) return 0;
  // index * bits may pass 2^32, so eighths of the index give the byte.
  const bitInRow = (index & 7) * bits;
  const at = (index >>> 3) * bits + (bitInRow >>> 3);
  const shift = bitInRow & 7;
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  let value = low >>> shift;
  if (shift + bits > 32) value |= bytes[at + 4]! << (32 - shift);
  return (value & (0xffff_ffff >>> (32 - bits))) >>> 0;
}

/** Reads `count` values of `bits` bits each from bit `bit` behind byte `offset` into `values` from `at` on. */
export function readBits(
  bytes: Uint8Array,
  offset: number,
  bit: number,
  bits: number,
  count: number,
  values: Uint32Array,
  at: number,
): void {
  if (bits === 0) {
    values.fill(0, at, at + count);
    return;
  }
  const mask = 0xffff_ffff >>> (32 - bits);
  let next = bit;
  for (let i = at; i < at + count; i++) {
    const byte = offset + (next >>> 3);
    const shift = next & 7;
    const low = bytes[byte]! | (bytes[byte + 1]! << 8) | (bytes[byte + 2]! << 16) | (bytes[byte + 3]! << 24);
    let value = low >>> shift;
    if (shift + bits > 32) value |= bytes[byte + 4]! << (32 - shift);
    values[i] = (value & mask) >>> 0;
    next += bits;
  }
}
