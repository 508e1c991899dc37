/**
 * Bits over numbers from 0: bit `index & 31` of word `index >>> 5`. Whoever makes a bitset keeps the
 * bits at and above its size 0; the functions here preserve that.
 */
export type Bitset = Uint32Array;

/** Words that a bitset of `size` bits needs. */
export function bitsetWords(size: number): number {
  return (size + 31) >>> 5;
}

/** `size` bits, all 0. */
export function emptyBitset(size: number): Bitset {
  return new Uint32Array(bitsetWords(size));
}

export function setBit(bits: Bitset, index: number): void {
  bits[index >>> 5]! |= 1 << (index & 31);
}

/** Whether a bit is 1; false past the last word. */
export function testBit(bits: Bitset, index: number): boolean {
  return ((bits[index >>> 5]! >>> (index & 31)) & 1) === 1;
}

/** Number of 1 bits in a 32-bit word (Warren, "Hacker's Delight", figure 5-2). */
export function popcount(word: number): number {
  let count = word - ((word >>> 1) & 0x5555_5555);
  count = (count & 0x3333_3333) + ((count >>> 2) & 0x3333_3333);
  return Math.imul((count + (count >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Number of 1 bits. */
export function countBits(bits: Bitset): number {
  let count = 0;
  for (let word = 0; word < bits.length; word++) count += popcount(bits[word]!);
  return count;
}

/** First 1 bit at or after `from`, or -1. */
export function nextSetBit(bits: Bitset, from: number): number {
  let word = from >>> 5;
  if (word >= bits.length) return -1;
  let rest = bits[word]! & (0xffff_ffff << (from & 31));
  while (rest === 0) {
    if (++word === bits.length) return -1;
    rest = bits[word]!;
  }
  return word * 32 + (31 - Math.clz32(rest & -rest));
}

/** Keeps in `target` the bits that `other`, of the same size, has too. */
export function andInto(target: Bitset, other: Bitset): void {
  for (let word = 0; word < target.length; word++) target[word]! &= other[word]!;
}

/** Adds to `target` the bits of `other`, of the same size. */
export function orInto(target: Bitset, other: Bitset): void {
  for (let word = 0; word < target.length; word++) target[word]! |= other[word]!;
}

/** Takes from `target` the bits of `other`, of the same size. */
export function andNotInto(target: Bitset, other: Bitset): void {
  for (let word = 0; word < target.length; word++) target[word]! &= ~other[word]!;
}
