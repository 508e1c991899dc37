// AssemblyScript. Matches as bits over doc ids, and their numbers. A bitset has whole groups of 512
// bits, and those at and above maxDoc are 0.

import { docAt, loadDocs } from "./posting-block";
import { acceptedBits, accepts, listAt } from "./ranking";

export function setBit(bits: usize, doc: u32): void {
  const word = bits + (<usize>(doc >>> 5) << 2);
  store<i32>(word, load<i32>(word) | (1 << (doc & 31)));
}

/** Adds a list's documents. */
export function orList(target: usize, bytes: i32, index: i32): void {
  const list = listAt(index);
  if (list.denseBits != 0) {
    orBits(target, list.denseBits, bytes);
    return;
  }
  for (let block = list.firstBlock; block < list.endBlock; block++) {
    loadDocs(list, block);
    for (let entry = 0; entry < list.count; entry++) setBit(target, docAt(list, entry));
  }
}

export function orBits(target: usize, other: usize, bytes: i32): void {
  for (let at: usize = 0; at < <usize>bytes; at += 16) {
    v128.store(target + at, v128.or(v128.load(target + at), v128.load(other + at)));
  }
}

export function andBits(target: usize, other: usize, bytes: i32): void {
  for (let at: usize = 0; at < <usize>bytes; at += 16) {
    v128.store(target + at, v128.and(v128.load(target + at), v128.load(other + at)));
  }
}

export function andNotBits(target: usize, other: usize, bytes: i32): void {
  for (let at: usize = 0; at < <usize>bytes; at += 16) {
    v128.store(target + at, v128.andnot(v128.load(target + at), v128.load(other + at)));
  }
}

export function copyBits(target: usize, source: usize, bytes: i32): void {
  memory.copy(target, source, <usize>bytes);
}

export function clearBits(target: usize, bytes: i32): void {
  memory.fill(target, 0, <usize>bytes);
}

export function countBits(bits: usize, bytes: i32): i32 {
  return countCommon(bits, bits, bytes);
}

/**
 * Address of the first 64 bits from `at` on, a multiple of 64 bits, that aren't all 0; `end` if there are none, which
 * is where a group of 512 ends. Empty groups are passed as a whole.
 */
export function nextMarked(at: usize, end: usize): usize {
  while (at < end) {
    if (((end - at) & 63) == 0 && !isMarked(at)) {
      at += 64;
      continue;
    }
    if (load<u64>(at) != 0) return at;
    at += 8;
  }
  return at;
}

/** Whether any of 512 bits is set. */
function isMarked(group: usize): bool {
  return v128.any_true(
    v128.or(
      v128.or(v128.load(group), v128.load(group, 16)),
      v128.or(v128.load(group, 32), v128.load(group, 48)),
    ),
  );
}

/** Writes the documents among the bits, at most `limit`; returns how many there are. */
export function docsOfBits(bits: usize, bytes: i32, docs: usize, limit: i32): i32 {
  const end = bits + <usize>bytes;
  let count = 0;
  for (let at = nextMarked(bits, end); at < end; at = nextMarked(at + 8, end)) {
    const first = <i32>((at - bits) << 3);
    for (let rest = load<u64>(at); rest != 0; rest &= rest - 1) {
      if (count == limit) return count;
      store<i32>(docs + (<usize>count << 2), first + <i32>ctz(rest));
      count++;
    }
  }
  return count;
}

/** For each group of 512 bits how many are set before it, u32. */
export function rankBits(bits: usize, ranks: usize, bytes: i32): void {
  let rank = 0;
  for (let group: i32 = 0; group << 6 < bytes; group++) {
    store<i32>(ranks + (<usize>group << 2), rank);
    rank += countBits(bits + (<usize>group << 6), 64);
  }
}

/** Bits that both have. */
export function countCommon(bits: usize, other: usize, bytes: i32): i32 {
  let lanes = i32x4.splat(0);
  for (let at: usize = 0; at < <usize>bytes; ) {
    let counts = i8x16.splat(0);
    const end = min(at + 256, <usize>bytes);
    for (; at < end; at += 16) {
      counts = i8x16.add(counts, i8x16.popcnt(v128.and(v128.load(bits + at), v128.load(other + at))));
    }
    lanes = i32x4.add(lanes, sumBytes(counts));
  }
  return sumLanes(lanes);
}

/** Documents that both have and that count; not to be asked while numbers decide. */
export function countAcceptedCommon(bits: usize, other: usize, bytes: i32): i32 {
  const among = acceptedBits();
  if (among == 0) return countCommon(bits, other, bytes);
  let count: i64 = 0;
  for (let at: usize = 0; at < <usize>bytes; at += 8) {
    count += popcnt<i64>(load<i64>(bits + at) & load<i64>(other + at) & load<i64>(among + at));
  }
  return <i32>count;
}

/** 16 bytes of at most 128 each, as four sums. */
function sumBytes(counts: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(counts));
}

function sumLanes(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

/** Documents of the only list that count; adds them to bits unless `target` is 0. */
export function countAccepted(target: usize): i32 {
  const list = listAt(0);
  let count = 0;
  for (let block = list.firstBlock; block < list.endBlock; block++) {
    loadDocs(list, block);
    for (let entry = 0; entry < list.count; entry++) {
      const doc = docAt(list, entry);
      if (!accepts(doc)) continue;
      count++;
      if (target != 0) setBit(target, doc);
    }
  }
  return count;
}
