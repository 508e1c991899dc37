import type { SlicedWork } from "../../src/engine/segment/sliced-work.js";

/** Ranges this short are sorted by insertion. */
const INSERTION_MAX = 8;

/** Strings looked at between two pauses. */
const STRINGS_PER_STEP = 4096;

/**
 * Sorts strings of numbers, such as the bytes or the letters of terms, without making objects of
 * them: `order` holds indices of strings, string i being `symbols[starts[i]]` up to, not including,
 * `symbols[starts[i + 1]]`. Shorter first where one is a prefix of the other. Symbols of two bytes
 * must be below 65535.
 *
 * Multikey quicksort (Bentley and Sedgewick, "Fast algorithms for sorting and searching strings",
 * SODA 1997) that looks at several symbols at once, cached beside the indices as one 32-bit key.
 */
export function* sortSymbolStrings(
  order: Uint32Array,
  symbols: Uint8Array | Uint16Array,
  starts: Uint32Array,
): SlicedWork {
  // In base 257 (65536) three bytes (two wider symbols) and "past the end" as 0 fit 32 bits.
  const wide = symbols.BYTES_PER_ELEMENT === 2;
  const base = wide ? 0x1_0000 : 257;
  const symbolsPerKey = wide ? 2 : 3;
  const keys = new Uint32Array(order.length);

  const loadKeys = (from: number, to: number, depth: number): void => {
    for (let i = from; i < to; i++) {
      const string = order[i]!;
      const end = starts[string + 1]!;
      let at = starts[string]! + depth;
      let key = 0;
      for (let k = 0; k < symbolsPerKey; k++, at++) key = key * base + (at < end ? symbols[at]! + 1 : 0);
      keys[i] = key;
    }
  };

  const comesBefore = (a: number, b: number, depth: number): boolean => {
    const aEnd = starts[a + 1]!;
    const bEnd = starts[b + 1]!;
    let aAt = starts[a]! + depth;
    let bAt = starts[b]! + depth;
    while (aAt < aEnd && bAt < bEnd) {
      const difference = symbols[aAt++]! - symbols[bAt++]!;
      if (difference !== 0) return difference < 0;
    }
    return aAt >= aEnd && bAt < bEnd;
  };

  const sortByInsertion = (from: number, to: number, depth: number): void => {
    for (let i = from + 1; i < to; i++) {
      const string = order[i]!;
      let at = i;
      while (at > from && comesBefore(string, order[at - 1]!, depth)) {
        order[at] = order[at - 1]!;
        at--;
      }
      order[at] = string;
    }
  };

  // Ranges still to sort, as triples (from, to, depth); the strings of a range share `depth` symbols.
  // An explicit stack, because long common prefixes would exhaust the call stack.
  const pending: number[] = [0, order.length, 0];
  const loaded: boolean[] = [false];
  let strings = 0;
  while (pending.length > 0) {
    const depth = pending.pop()!;
    let to = pending.pop()!;
    let from = pending.pop()!;
    if (!loaded.pop()! && to - from > INSERTION_MAX) loadKeys(from, to, depth);
    // Every turn takes at least the pivot's strings out of the range.
    while (to - from > INSERTION_MAX) {
      strings += to - from;
      if (strings >= STRINGS_PER_STEP) {
        strings = 0;
        yield;
      }
      const pivot = medianOfThree(keys[from]!, keys[(from + to) >>> 1]!, keys[to - 1]!);
      // Invariant: keys in [from, low) are below the pivot, in [low, i) equal, in [high, to) above.
      let low = from;
      let high = to;
      for (let i = from; i < high; ) {
        const key = keys[i]!;
        if (key === pivot) {
          i++;
          continue;
        }
        const other = key < pivot ? low++ : --high;
        const string = order[i]!;
        order[i] = order[other]!;
        order[other] = string;
        keys[i] = keys[other]!;
        keys[other] = key;
        if (key < pivot) i++;
      }
      // A key that ends in "past the end" leaves nothing to compare: those strings are equal.
      if (high - low > 1 && pivot % base !== 0) {
        pending.push(low, high, depth + symbolsPerKey);
        loaded.push(false);
      }
      // The longer side waits, so that the stack stays logarithmic.
      if (low - from < to - high) {
        pending.push(high, to, depth);
        loaded.push(true);
        to = low;
      } else {
        pending.push(from, low, depth);
        loaded.push(true);
        from = high;
      }
    }
    strings += to - from;
    sortByInsertion(from, to, depth);
  }
}

function medianOfThree(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}
