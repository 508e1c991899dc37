// AssemblyScript. Where a document's positions are in a list: FORMAT.md says how they lie in the image.

import { loadDocs, loadFreqs, PostingList } from "./posting-list";

/** A document's positions in one list: `count` numbers of `bits` each, from bit `start` of the bytes at `base`. */
@unmanaged
export class PositionRun {
  base: usize;
  start: u32;
  bits: u32;
  count: i32;
}

/** Decodes all of a block that leads to its positions. */
export function openBlock(list: PostingList, block: i32): void {
  loadDocs(list, block);
  loadFreqs(list, block);
}

/** Address of a block's positions. */
export function positionBytes(list: PostingList, block: i32): usize {
  return list.positionData + <usize>load<u32>(list.positionOffsets + (<usize>block << 2));
}

/**
 * Address of the bits of an open block's positions before each entry, u32; 0: not summed up, which
 * `bitsBefore` does for one of them.
 */
export function positionStarts(list: PostingList, block: i32, isCrowded: bool): usize {
  if (!isCrowded && list.summedBlock != block && list.positionGroups != 0) return 0;
  sumBlock(list, block);
  return list.positionSums;
}

/** A position of a run: it may start at any bit and spans at most 32. */
export function positionAt(run: PositionRun, index: i32): i32 {
  return numberAt(run.base, run.start + <u32>index * run.bits, run.bits);
}

/** Bits that a position may take for eight to be compared at once, and how far apart tokens may stand for that. */
export const COMPARED_BITS_MAX: u32 = 9;
export const COMPARED_DISTANCE_MAX: i32 = 1024;
/** Positions that are compared at once. */
export const COMPARED_MAX: i32 = 8;

/**
 * By bits that positions take and the bit of a byte at which they begin: where the two bytes of each of eight
 * are, and what moves each to its lane's upper end. Behind these, by number of positions, lanes that have none.
 */
let lanes: usize = 0;
const LANES_BYTES: usize = 32;
const LANES_ENTRIES: usize = 80;

/** @param buffer 2,704 bytes */
export function attachPositions(buffer: usize): void {
  lanes = buffer;
  for (let bits: u32 = 0; bits <= COMPARED_BITS_MAX; bits++) {
    for (let start: u32 = 0; start < 8; start++) {
      const at = buffer + <usize>((bits << 3) + start) * LANES_BYTES;
      for (let lane: u32 = 0; lane < 8; lane++) {
        const bit = start + lane * bits;
        const place = at + <usize>(lane << 1);
        store<u8>(place, <u8>(bit >>> 3));
        store<u8>(place, <u8>((bit >>> 3) + 1), 1);
        store<u16>(place, <u16>(bits == 0 ? 0 : (<u32>1) << (16 - bits - (bit & 7))), 16);
      }
    }
  }
  for (let count = 0; count <= COMPARED_MAX; count++) {
    for (let lane = 0; lane < COMPARED_MAX; lane++) {
      const at = buffer + LANES_ENTRIES * LANES_BYTES + <usize>((count << 4) + (lane << 1));
      store<u16>(at, <u16>(lane < count ? 0 : 0xffff));
    }
  }
}

/** The first eight positions, whether there are as many or not. */
@inline
function eightAt(base: usize, start: u32, bits: u32): v128 {
  const at = lanes + <usize>((bits << 3) + (start & 7)) * LANES_BYTES;
  const bytes = v128.swizzle(v128.load(base + <usize>(start >>> 3)), v128.load(at));
  return i16x8.shr_u(i16x8.mul(bytes, v128.load(at, 16)), 16 - <i32>bits);
}

/** Lanes behind so many positions, all ones. */
@inline
function lanesBehind(count: i32): v128 {
  return v128.load(lanes + LANES_ENTRIES * LANES_BYTES + (<usize>count << 4));
}

/**
 * `countMerged` of at most eight positions of few bits each: all pairs are compared.
 *
 * @param ahead, behind what is added to the first's positions and to the second's
 */
@inline
export function countCompared(
  firstBase: usize,
  firstStart: u32,
  firstCount: i32,
  secondBase: usize,
  secondStart: u32,
  secondCount: i32,
  bits: u32,
  ahead: v128,
  behind: v128,
): i32 {
  // What isn't a position is greater than all that are, and another number on either side.
  const first = v128.or(i16x8.add(eightAt(firstBase, firstStart, bits), ahead), lanesBehind(firstCount));
  const second = i16x8.max_u(
    i16x8.add(eightAt(secondBase, secondStart, bits), behind),
    i16x8.shl(lanesBehind(secondCount), 1),
  );
  let equal = i16x8.eq(first, second);
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 1, 2, 3, 4, 5, 6, 7, 0), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 2, 3, 4, 5, 6, 7, 0, 1), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 3, 4, 5, 6, 7, 0, 1, 2), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 4, 5, 6, 7, 0, 1, 2, 3), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 5, 6, 7, 0, 1, 2, 3, 4), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 6, 7, 0, 1, 2, 3, 4, 5), second));
  equal = v128.or(equal, i16x8.eq(v128.shuffle<i16>(first, first, 7, 0, 1, 2, 3, 4, 5, 6), second));
  return popcnt(i16x8.bitmask(equal));
}

/** Bits that a position may take for four to be read at once. */
export const FOLDED_BITS_MAX: u32 = 14;

/** Positions, less all but their last six bits, as bits. Four at a time, whether there are as many or not. */
@inline
export function foldedBits(base: usize, start: u32, width: u32, count: i32): u64 {
  const bits = foldedFour(load<u64>(base + <usize>(start >>> 3)) >>> <u64>(start & 7), width, count);
  return count <= 4 ? bits : bits | foldedRest(base, start + (width << 2), width, count - 4);
}

@inline
function foldedFour(positions: u64, width: u32, count: i32): u64 {
  const mask = <u64>min<u32>(((<u32>1) << width) - 1, 63);
  let bits = (<u64>1) << (positions & mask);
  bits |= (<u64>(count > 1)) << ((positions >>> <u64>width) & mask);
  bits |= (<u64>(count > 2)) << ((positions >>> <u64>(2 * width)) & mask);
  return bits | ((<u64>(count > 3)) << ((positions >>> <u64>(3 * width)) & mask));
}

function foldedRest(base: usize, from: u32, width: u32, count: i32): u64 {
  let bits: u64 = 0;
  for (let start = from; count > 0; count -= 4) {
    bits |= foldedFour(load<u64>(base + <usize>(start >>> 3)) >>> <u64>(start & 7), width, count);
    start += width << 2;
  }
  return bits;
}

/**
 * How many of the second's positions stand `distance`, 0 or more, behind one of the first's. Both take `bits`
 * each, and there is at least one of each.
 */
export function countMerged(
  firstBase: usize,
  firstStart: u32,
  firstCount: i32,
  secondBase: usize,
  secondStart: u32,
  secondCount: i32,
  bits: u32,
  distance: i32,
): i32 {
  let count = 0;
  let left = 1;
  let right = 1;
  let wanted = numberAt(firstBase, firstStart, bits) + distance;
  let found = numberAt(secondBase, secondStart, bits);
  while (true) {
    if (found < wanted) {
      if (right == secondCount) break;
      found = numberAt(secondBase, secondStart + bits * right++, bits);
      continue;
    }
    if (found == wanted) count++;
    if (left == firstCount) break;
    wanted = numberAt(firstBase, firstStart + bits * left++, bits) + distance;
  }
  return count;
}

/** A number of so many bits, 32 at most, from any bit on. */
function numberAt(base: usize, start: u32, bits: u32): i32 {
  const value = load<u64>(base + <usize>(start >>> 3)) >>> <u64>(start & 7);
  return <i32>(value & (((<u64>1) << bits) - 1));
}

/** Sums up the bits of a block's positions before each entry, and behind the last one. Its documents and frequencies are loaded. */
function sumBlock(list: PostingList, block: i32): void {
  if (list.summedBlock == block) return;
  list.summedBlock = block;
  const widths = list.positionWidths;
  let doc = list.docs;
  let freq = list.freqs;
  let sum = list.positionSums;
  let bits: u32 = 0;
  const end = doc + (<usize>list.count << 2);
  for (; doc + 16 <= end; doc += 16) {
    store<u32>(sum, bits);
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    store<u32>(sum, bits, 4);
    bits += load<u32>(freq, 4) * widthOf(widths, load<u32>(doc, 4));
    store<u32>(sum, bits, 8);
    bits += load<u32>(freq, 8) * widthOf(widths, load<u32>(doc, 8));
    store<u32>(sum, bits, 12);
    bits += load<u32>(freq, 12) * widthOf(widths, load<u32>(doc, 12));
    freq += 16;
    sum += 16;
  }
  for (; doc < end; doc += 4) {
    store<u32>(sum, bits);
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    freq += 4;
    sum += 4;
  }
  // Where the last entry's end, as often as eight values are read at a time.
  v128.store(sum, i32x4.splat(<i32>bits));
  v128.store(sum, i32x4.splat(<i32>bits), 16);
}

/** The same for one entry of a list that has groups. */
export function bitsBefore(list: PostingList, block: i32, entry: i32): u32 {
  const group = entry >>> 5;
  const widths = list.positionWidths;
  let bits: u32 = group == 0 ? 0 : load<u32>(list.positionGroups + (<usize>(block * 3 + group - 1) << 2));
  let doc = list.docs + (<usize>group << 7);
  let freq = list.freqs + (<usize>group << 7);
  for (const end = list.docs + (<usize>entry << 2); doc < end; doc += 4) {
    bits += load<u32>(freq) * widthOf(widths, load<u32>(doc));
    freq += 4;
  }
  return bits;
}

/**
 * The same for a list with bits, of which only the frequencies need to be decoded: the documents of the entries
 * between this one and the nearer end of its group are read from the bits.
 */
export function bitsBeforeDense(list: PostingList, block: i32, entry: i32, doc: i32): u32 {
  const within = entry & 31;
  const group = block * 3 + (entry >>> 5);
  const widths = list.positionWidths;
  let freq = list.freqs + (<usize>entry << 2);
  let at = list.denseBits + (<usize>(doc >>> 6) << 3);
  let first = doc & ~63;
  const own = <u64>1 << <u64>(doc & 63);
  // Nothing says where the last group ends, and the last block's may end before they are full.
  if (within > 16 && entry < 96 && block < list.endBlock - 1) {
    let bits = load<u32>(list.positionGroups + (<usize>group << 2));
    let word = load<u64>(at) & (0 - own);
    for (let left = 32 - within; left > 0; left--) {
      while (word == 0) {
        at += 8;
        first += 64;
        word = load<u64>(at);
      }
      bits -= load<u32>(freq) * widthOf(widths, first + <i32>ctz(word));
      word &= word - 1;
      freq += 4;
    }
    return bits;
  }
  let bits: u32 = entry < 32 ? 0 : load<u32>(list.positionGroups + (<usize>(group - 1) << 2));
  let word = load<u64>(at) & (own - 1);
  for (let left = within; left > 0; left--) {
    while (word == 0) {
      at -= 8;
      first -= 64;
      word = load<u64>(at);
    }
    const last = 63 - <i32>clz(word);
    freq -= 4;
    bits += load<u32>(freq) * widthOf(widths, first + last);
    word ^= <u64>1 << <u64>last;
  }
  return bits;
}

function widthOf(widths: usize, doc: u32): u32 {
  return <u32>load<u8>(widths + <usize>doc);
}
