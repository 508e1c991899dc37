// AssemblyScript. How often two tokens stand at a distance from one another in a document: their positions there,
// of as many bits each, are compared all at once or merged.

import { spend } from "./pace";
import { numberAt } from "./positions";
import { behind } from "./room";

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

export function layOutPositions(at: usize): usize {
  lanes = at;
  return behind(at, (LANES_ENTRIES + 9) * LANES_BYTES);
}

export function fillLanes(): void {
  for (let bits: u32 = 0; bits <= COMPARED_BITS_MAX; bits++) {
    for (let start: u32 = 0; start < 8; start++) {
      const at = lanes + <usize>((bits << 3) + start) * LANES_BYTES;
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
      const at = lanes + LANES_ENTRIES * LANES_BYTES + <usize>((count << 4) + (lane << 1));
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

/**
 * How many of the second's positions stand `distance`, 0 or more, behind one of the first's. Both take `bits`
 * each, and there is at least one of each.
 */
function countMerged(
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

/** How many of the second's positions stand `distance` behind one of the first's, however many and great they are. */
export function countAny(
  base: usize,
  start: u32,
  freq: i32,
  otherBase: usize,
  otherStart: u32,
  otherFreq: i32,
  bits: u32,
  distance: i32,
): i32 {
  spend(freq + otherFreq);
  return distance < 0
    ? countMerged(otherBase, otherStart, otherFreq, base, start, freq, bits, -distance)
    : countMerged(base, start, freq, otherBase, otherStart, otherFreq, bits, distance);
}
