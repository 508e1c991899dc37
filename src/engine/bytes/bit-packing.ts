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

/** Value `index` of a vertical block. */
export function unpackVerticalAt(words: Uint32Array, wordIndex: number, bits: number, index: number): number {
  if (bits === 0) return 0;
  const bit = (index >>> 2) * bits;
  const shift = bit & 31;
  const source = wordIndex + 4 * (bit >>> 5) + (index & 3);
  let value = words[source]! >>> shift;
  if (shift + bits > 32) value |= words[source + 4]! << (32 - shift);
  return (value & (0xffff_ffff >>> (32 - bits))) >>> 0;
}

/** Bytes of a stream of `count` values. */
export function streamByteLength(count: number, bits: number): number {
  return Math.ceil((count * bits) / 8);
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

/** Value `index` of the stream at byte `offset`. Bytes past the end of the array read as 0. */
export function readStreamAt(bytes: Uint8Array, offset: number, bits: number, index: number): number {
  if (bits === 0) return 0;
  // index * bits may pass 2^32, so eighths of the index give the byte.
  const bitInRow = (index & 7) * bits;
  const at = offset + (index >>> 3) * bits + (bitInRow >>> 3);
  const shift = bitInRow & 7;
  const low = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  let value = low >>> shift;
  if (shift + bits > 32) value |= bytes[at + 4]! << (32 - shift);
  return (value & (0xffff_ffff >>> (32 - bits))) >>> 0;
}

/** Writes the stream's values `from` to `from + count - 1` into `values[0..count - 1]`. */
export function readStream(
  bytes: Uint8Array,
  offset: number,
  bits: number,
  from: number,
  count: number,
  values: Uint32Array,
): void {
  for (let i = 0; i < count; i++) values[i] = readStreamAt(bytes, offset, bits, from + i);
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

/**
 * Copies `count` bits from bit `from` behind byte `sourceOffset` of `source` to bit `bit` behind byte `offset` of `bytes`, where they
 * must be 0.
 */
export function copyBits(
  source: Uint8Array,
  sourceOffset: number,
  from: number,
  count: number,
  bytes: Uint8Array,
  offset: number,
  bit: number,
): void {
  let left = count;
  let read = from;
  let written = bit;
  // Each turn copies up to 24 bits, which with those before them in a byte fit 32.
  while (left > 0) {
    const size = left < 24 ? left : 24;
    const readByte = sourceOffset + (read >>> 3);
    const low =
      source[readByte]! |
      (source[readByte + 1]! << 8) |
      (source[readByte + 2]! << 16) |
      (source[readByte + 3]! << 24);
    const value = (low >>> (read & 7)) & ((1 << size) - 1);
    const shift = written & 7;
    let at = offset + (written >>> 3);
    let rest = value << shift;
    bytes[at] = bytes[at]! | rest;
    for (let done = 8; done < shift + size; done += 8) {
      rest >>>= 8;
      bytes[++at] = rest;
    }
    left -= size;
    read += size;
    written += size;
  }
}
