// AssemblyScript. A greedy encoder of LZ4 blocks (`engine/bytes/lz4.ts` draws them) with one hash table entry per
// four-byte prefix, and wide comparisons and copies.

const MATCH_MIN: usize = 4;
const LAST_LITERALS: usize = 5;
const MATCH_FIND_LIMIT: usize = 12;
const OFFSET_MAX: u32 = 65_535;
const HASH_BITS: u32 = 13;
const SKIP_TRIGGER: u32 = 6;
const STEP: usize = 16;

/**
 * Compresses `length` bytes and returns the end of what it writes. `table` has a u32 for each of 2^13
 * hashes: places in all blocks so far, of which those of this one begin at `base`. Up to 16 bytes behind
 * the source and what is written may be read and overwritten.
 */
export function compressLz4(source: usize, length: u32, target: usize, table: usize, base: u32): usize {
  return compress<u32>(source, length, target, table, base);
}

/**
 * Compresses at most 64 KiB, with a table of u16 that is cleared here: half as long, it leaves room in the
 * processor's nearest cache for what is compressed.
 */
export function compressShortLz4(source: usize, length: u32, target: usize, table: usize): usize {
  memory.fill(table, 0, sizeof<u16>() << HASH_BITS);
  return compress<u16>(source, length, target, table, 0);
}

/** @param base of places in the table, 0 where they are u16 */
@inline
function compress<Place>(source: usize, length: u32, target: usize, table: usize, base: u32): usize {
  const end = source + length;
  const matchEnd = end - LAST_LITERALS;
  let out = target;
  let anchor = source;
  let at = source;
  let misses: u32 = 1 << SKIP_TRIGGER;
  // What a place in the table means, modulo 2^32.
  const origin = <u32>source - base;
  // 0 in a cleared table is the first place: its word has a slot of its own, so others don't take it for theirs.
  if (sizeof<Place>() == 2 && at + MATCH_FIND_LIMIT <= end) at += misses++ >>> SKIP_TRIGGER;

  while (at + MATCH_FIND_LIMIT <= end) {
    const word = load<u32>(at);
    const slot = table + <usize>hashOf(word) * sizeof<Place>();
    const place = <u32>load<Place>(slot);
    store<Place>(slot, <Place>(<u32>at - origin));
    let candidate = <usize>(place + origin);
    const isFar = sizeof<Place>() == 4 && (place < base || <u32>(at - candidate) > OFFSET_MAX);
    if (isFar || load<u32>(candidate) != word) {
      at += misses++ >>> SKIP_TRIGGER;
      continue;
    }
    misses = 1 << SKIP_TRIGGER;
    const distance = at - candidate;
    let matched = at + MATCH_MIN;
    while (at > anchor && candidate > source && load<u8>(at - 1) == load<u8>(candidate - 1)) {
      at--;
      candidate--;
    }
    matched = endOfMatch(matched, distance, matchEnd);

    const literals = at - anchor;
    const matchCode = matched - at - MATCH_MIN;
    store<u8>(out, (literals < 15 ? literals << 4 : 0xf0) | (matchCode < 15 ? matchCode : 15));
    out = putLiterals(anchor, literals, out + 1);
    store<u16>(out, <u16>distance);
    out += 2;
    if (matchCode >= 15) out = putLength(matchCode - 15, out);
    at = matched;
    anchor = matched;
    if (at + MATCH_FIND_LIMIT <= end) {
      const before = table + <usize>hashOf(load<u32>(at - 2)) * sizeof<Place>();
      store<Place>(before, <Place>(<u32>(at - 2) - origin));
    }
  }
  const literals = end - anchor;
  store<u8>(out, literals < 15 ? literals << 4 : 0xf0);
  return putLiterals(anchor, literals, out + 1);
}

@inline
function hashOf(word: u32): u32 {
  return (word * 0x9e37_79b1) >>> (32 - HASH_BITS);
}

@inline
function endOfMatch(at: usize, distance: usize, end: usize): usize {
  while (at + 8 <= end) {
    const difference = load<u64>(at) ^ load<u64>(at - distance);
    if (difference != 0) return at + <usize>(ctz(difference) >>> 3);
    at += 8;
  }
  while (at < end && load<u8>(at) == load<u8>(at - distance)) at++;
  return at;
}

function putLength(rest: usize, out: usize): usize {
  while (rest >= 255) {
    store<u8>(out++, 255);
    rest -= 255;
  }
  store<u8>(out++, <u8>rest);
  return out;
}

@inline
function putLiterals(from: usize, count: usize, out: usize): usize {
  if (count >= 15) out = putLength(count - 15, out);
  const end = out + count;
  for (; out < end; out += STEP, from += STEP) v128.store(out, v128.load(from));
  return end;
}
