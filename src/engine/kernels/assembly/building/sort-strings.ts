// AssemblyScript. Sorts strings of bytes or wider symbols without making objects of them: shorter first where one is a
// prefix of the other. Multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings",
// SODA 1997) that looks at eight bytes at once, cached beside the strings' numbers.

const INSERTION_MAX: i32 = 12;
/** Ranges still to sort, 16 bytes each: their start, end, depth, and what their keys are. */
const RANGE_BYTES: usize = 16;

/** Not there yet. */
const UNLOADED: i32 = 0;
const LOADED: i32 = 1;
/** Strings with equal keys are equal. */
const LAST: i32 = 2;
/** Keys are in order, and strings that share one are still to sort. */
const SORTED: i32 = 3;
/** Being sorted by bytes of their keys; added to it the byte that is next, and whether strings are in `spare`. */
const BY_BYTES: i32 = 16;
const IS_SPARE: i32 = 8;

/** Shorter ranges are sorted sooner by comparing. */
const BY_BYTES_MIN: i32 = 1024;
const KEY_BYTES: i32 = 8;
/** By byte of the key and its value: how many keys have it. */
const counts = memory.data(8192, 16);
const COUNTS_BYTES: usize = 1024;

let order: usize = 0;
let keys: usize = 0;
/** Room for as many keys, and behind them as many strings. */
let spareKeys: usize = 0;
let spareOrder: usize = 0;
let symbols: usize = 0;
let starts: usize = 0;
/** 0: bytes; 1: u16 above 0. */
let widthBits: usize = 0;
let ranges: usize = 0;
let pending: i32 = 0;

/**
 * Begins to sort `count` strings, numbered in `order`. `keysAt` has room for a u64 for each, `spareAt` for 12 bytes for
 * each, `rangesAt` for as many ranges as may wait: they share no string, and have two at least. Eight bytes behind the
 * symbols are read.
 */
export function beginSort(
  orderAt: usize,
  keysAt: usize,
  spareAt: usize,
  symbolsAt: usize,
  startsAt: usize,
  isWide: i32,
  rangesAt: usize,
  count: i32,
): void {
  order = orderAt;
  keys = keysAt;
  spareKeys = spareAt;
  spareOrder = spareAt + (<usize>count << 3);
  symbols = symbolsAt;
  starts = startsAt;
  widthBits = isWide != 0 ? 1 : 0;
  ranges = rangesAt;
  pending = 0;
  push(0, count, 0, UNLOADED);
}

/** Goes on until it is done, which it returns, or about `budget` strings have been looked at. */
export function sortOn(budget: i32): bool {
  while (pending > 0) {
    if (budget < 0) return false;
    const range = ranges + <usize>(--pending) * RANGE_BYTES;
    let from = load<i32>(range);
    let to = load<i32>(range + 4);
    const depth = load<u32>(range + 8);
    const kind = load<i32>(range + 12);
    if (kind == SORTED) {
      budget -= nextEqual(from, to, depth);
      continue;
    }
    if (kind >= BY_BYTES) {
      sortByByte(from, to, depth, kind);
      budget -= to - from;
      continue;
    }
    if (kind == UNLOADED) {
      loadKeys(from, to, depth);
      if (to - from >= BY_BYTES_MIN) {
        countBytes(from, to);
        push(from, to, depth, BY_BYTES);
        budget -= to - from;
        continue;
      }
    }
    // Every turn takes at least the pivot's strings out of the range.
    while (to - from > INSERTION_MAX) {
      budget -= to - from;
      const pivot = medianOfThree(keyAt(from), keyAt((from + to) >>> 1), keyAt(to - 1));
      // Invariant: keys in [from, low) are below the pivot, in [low, i) equal, in [high, to) above.
      let low = from;
      let high = to;
      for (let i = from; i < high; ) {
        const key = keyAt(i);
        if (key == pivot) i++;
        else if (key < pivot) swap(i++, low++);
        else swap(i, --high);
      }
      // The longer side waits, so that few do; what is equal is done at once, so that there are fewer still.
      if (low - from < to - high) {
        if (to - high > 1) push(high, to, depth, kind == LAST ? LAST : LOADED);
        if (high - low > 1 && kind != LAST) pushEqual(low, high, depth);
        to = low;
      } else {
        if (low - from > 1) push(from, low, depth, kind == LAST ? LAST : LOADED);
        if (high - low > 1 && kind != LAST) pushEqual(low, high, depth);
        from = high;
      }
    }
    budget -= to - from;
    sortByInsertion(from, to, depth, kind == LAST);
  }
  return true;
}

/** Counts the values of each byte of the keys: no other range is sorted by bytes before this one is done. */
function countBytes(from: i32, to: i32): void {
  memory.fill(counts, 0, COUNTS_BYTES * KEY_BYTES);
  for (let i = from; i < to; i++) {
    const key = keyAt(i);
    for (let byte = 0; byte < KEY_BYTES; byte++) {
      const count = counts + <usize>byte * COUNTS_BYTES + ((<usize>(key >>> <u64>(byte << 3)) & 0xff) << 2);
      store<u32>(count, load<u32>(count) + 1);
    }
  }
}

/** Sorts a range, in which lower bytes of the keys are in order, by the next one that isn't the same in all. */
function sortByByte(from: i32, to: i32, depth: u32, kind: i32): void {
  let isSpare = (kind & IS_SPARE) != 0;
  let byte = kind & (KEY_BYTES - 1);
  const firstKey = load<u64>((isSpare ? spareKeys : keys) + (<usize>from << 3));
  while (byte < KEY_BYTES) {
    const value = <usize>(firstKey >>> <u64>(byte << 3)) & 0xff;
    if (load<u32>(counts + <usize>byte * COUNTS_BYTES + (value << 2)) != <u32>(to - from)) break;
    byte++;
  }
  if (byte < KEY_BYTES) {
    if (isSpare) scatter(from, to, byte, spareKeys, spareOrder, keys, order);
    else scatter(from, to, byte, keys, order, spareKeys, spareOrder);
    isSpare = !isSpare;
    byte++;
  }
  if (byte < KEY_BYTES) {
    push(from, to, depth, BY_BYTES | (isSpare ? IS_SPARE : 0) | byte);
    return;
  }
  if (isSpare) {
    memory.copy(keys + (<usize>from << 3), spareKeys + (<usize>from << 3), <usize>(to - from) << 3);
    memory.copy(order + (<usize>from << 2), spareOrder + (<usize>from << 2), <usize>(to - from) << 2);
  }
  push(from, to, depth, SORTED);
}

/** Puts keys and strings elsewhere in the order of one byte of the keys; those that share it stay in order. */
function scatter(
  from: i32,
  to: i32,
  byte: i32,
  keysFrom: usize,
  orderFrom: usize,
  keysTo: usize,
  orderTo: usize,
): void {
  const places = counts + <usize>byte * COUNTS_BYTES;
  let place = <u32>from;
  for (let value: usize = 0; value < COUNTS_BYTES; value += 4) {
    const count = load<u32>(places + value);
    store<u32>(places + value, place);
    place += count;
  }
  const shift = <u64>(byte << 3);
  for (let i = from; i < to; i++) {
    const key = load<u64>(keysFrom + (<usize>i << 3));
    const next = places + ((<usize>(key >>> shift) & 0xff) << 2);
    const target = <usize>load<u32>(next);
    store<u32>(next, <u32>target + 1);
    store<u64>(keysTo + (target << 3), key);
    store<u32>(orderTo + (target << 2), load<u32>(orderFrom + (<usize>i << 2)));
  }
}

/** Finds the next strings that share a key, to be sorted before those behind them; returns how many it looked at. */
function nextEqual(from: i32, to: i32, depth: u32): i32 {
  let start = from;
  while (start + 1 < to) {
    const key = keyAt(start);
    let end = start + 1;
    while (end < to && keyAt(end) == key) end++;
    if (end - start > 1) {
      if (end + 1 < to) push(end, to, depth, SORTED);
      pushEqual(start, end, depth);
      return end - from;
    }
    start = end;
  }
  return to - from;
}

/** Strings that share a key: first those that end with it, by length, then the others by what follows. */
function pushEqual(from: i32, to: i32, depth: u32): void {
  const keySymbols = <u32>8 >>> <u32>widthBits;
  let longer = to;
  for (let i = from; i < longer; ) {
    const rest = restOf(load<u32>(order + (<usize>i << 2)), depth);
    if (rest > keySymbols) {
      swap(i, --longer);
      continue;
    }
    store<u64>(keys + (<usize>i << 3), rest);
    i++;
  }
  if (to - longer > 1) push(longer, to, depth + keySymbols, UNLOADED);
  if (longer - from > 1) push(from, longer, depth, LAST);
}

function push(from: i32, to: i32, depth: u32, kind: i32): void {
  const range = ranges + <usize>(pending++) * RANGE_BYTES;
  store<i32>(range, from);
  store<i32>(range + 4, to);
  store<u32>(range + 8, depth);
  store<i32>(range + 12, kind);
}

@inline
function keyAt(index: i32): u64 {
  return load<u64>(keys + (<usize>index << 3));
}

@inline
function swap(a: i32, b: i32): void {
  const keyA = keys + (<usize>a << 3);
  const keyB = keys + (<usize>b << 3);
  const key = load<u64>(keyA);
  store<u64>(keyA, load<u64>(keyB));
  store<u64>(keyB, key);
  const orderA = order + (<usize>a << 2);
  const orderB = order + (<usize>b << 2);
  const string = load<u32>(orderA);
  store<u32>(orderA, load<u32>(orderB));
  store<u32>(orderB, string);
}

function medianOfThree(a: u64, b: u64, c: u64): u64 {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}

/** Symbols of a string from a depth on. */
@inline
function restOf(string: u32, depth: u32): u32 {
  const at = starts + (<usize>string << 2);
  return load<u32>(at + 4) - load<u32>(at) - depth;
}

/** The next eight bytes of a string, the first uppermost, zeros behind its end. */
@inline
function keyOf(string: u32, depth: u32): u64 {
  const start = load<u32>(starts + (<usize>string << 2)) + depth;
  const rest = restOf(string, depth) << <u32>widthBits;
  if (rest == 0) return 0;
  let key = bswap(load<u64>(symbols + (<usize>start << widthBits)));
  if (widthBits == 1) key = ((key & 0x00ff_00ff_00ff_00ff) << 8) | ((key >>> 8) & 0x00ff_00ff_00ff_00ff);
  return rest >= 8 ? key : key & ~(<u64>-1 >>> <u64>(rest << 3));
}

function loadKeys(from: i32, to: i32, depth: u32): void {
  for (let i = from; i < to; i++) {
    store<u64>(keys + (<usize>i << 3), keyOf(load<u32>(order + (<usize>i << 2)), depth));
  }
}

function comesBefore(a: u32, b: u32, depth: u32): bool {
  const keySymbols = <u32>8 >>> <u32>widthBits;
  while (true) {
    const keyA = keyOf(a, depth);
    const keyB = keyOf(b, depth);
    if (keyA != keyB) return keyA < keyB;
    const restA = restOf(a, depth);
    const restB = restOf(b, depth);
    if (restA <= keySymbols || restB <= keySymbols) return restA < restB;
    depth += keySymbols;
  }
}

function sortByInsertion(from: i32, to: i32, depth: u32, isLast: bool): void {
  for (let i = from + 1; i < to; i++) {
    const key = keyAt(i);
    const string = load<u32>(order + (<usize>i << 2));
    let at = i;
    while (at > from) {
      const before = keyAt(at - 1);
      if (before < key) break;
      const other = load<u32>(order + (<usize>(at - 1) << 2));
      if (before == key && (isLast || !comesBefore(string, other, depth))) break;
      store<u64>(keys + (<usize>at << 3), before);
      store<u32>(order + (<usize>at << 2), other);
      at--;
    }
    store<u64>(keys + (<usize>at << 3), key);
    store<u32>(order + (<usize>at << 2), string);
  }
}
