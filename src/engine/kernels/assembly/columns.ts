// AssemblyScript. Values of documents: which documents have one in a range, and how often each occurs.

/** Marks the documents of a list. */
export function markDocs(target: usize, docs: usize, count: i32): void {
  for (let index = 0; index < count; index++) {
    const doc = load<u32>(docs + (<usize>index << 2));
    const word = target + (<usize>(doc >>> 5) << 2);
    store<i32>(word, load<i32>(word) | (1 << (doc & 31)));
  }
}

/** Marks the documents whose number, `width` bytes each, is from `first` up to, not including, `end`; both above 0. */
export function markNumbers(target: usize, numbers: usize, width: i32, first: u32, end: u32, maxDoc: i32): void {
  let doc = 0;
  if (width == 1) doc = markBytes(target, numbers, first, end, maxDoc);
  else if (width == 2) doc = markShorts(target, numbers, first, end, maxDoc);
  else doc = markWords(target, numbers, first, end, maxDoc);
  for (; doc < maxDoc; doc++) {
    const number =
      width == 1
        ? <u32>load<u8>(numbers + <usize>doc)
        : width == 2
          ? <u32>load<u16>(numbers + (<usize>doc << 1))
          : load<u32>(numbers + (<usize>doc << 2));
    if (number < first || number >= end) continue;
    const word = target + (<usize>(doc >>> 5) << 2);
    store<i32>(word, load<i32>(word) | (1 << (doc & 31)));
  }
}

/** 16 at a time; returns the first document that is left. */
function markBytes(target: usize, numbers: usize, first: u32, end: u32, maxDoc: i32): i32 {
  const least = i8x16.splat(<i8>first);
  const greatest = i8x16.splat(<i8>min<u32>(end - 1, 255));
  let doc = 0;
  for (; doc + 16 <= maxDoc; doc += 16) {
    const values = v128.load(numbers + <usize>doc);
    const inRange = v128.and(i8x16.ge_u(values, least), i8x16.le_u(values, greatest));
    const at = target + (<usize>doc >>> 3);
    store<u16>(at, load<u16>(at) | <u16>i8x16.bitmask(inRange));
  }
  return doc;
}

/** 8 at a time. */
function markShorts(target: usize, numbers: usize, first: u32, end: u32, maxDoc: i32): i32 {
  const least = i16x8.splat(<i16>first);
  const greatest = i16x8.splat(<i16>min<u32>(end - 1, 65535));
  let doc = 0;
  for (; doc + 8 <= maxDoc; doc += 8) {
    const values = v128.load(numbers + (<usize>doc << 1));
    const inRange = v128.and(i16x8.ge_u(values, least), i16x8.le_u(values, greatest));
    const at = target + (<usize>doc >>> 3);
    store<u8>(at, load<u8>(at) | <u8>i16x8.bitmask(inRange));
  }
  return doc;
}

/** 8 at a time. */
function markWords(target: usize, numbers: usize, first: u32, end: u32, maxDoc: i32): i32 {
  const least = i32x4.splat(first);
  const greatest = i32x4.splat(end - 1);
  let doc = 0;
  for (; doc + 8 <= maxDoc; doc += 8) {
    const low = v128.load(numbers + (<usize>doc << 2));
    const high = v128.load(numbers + (<usize>doc << 2), 16);
    const lowBits = i32x4.bitmask(v128.and(i32x4.ge_u(low, least), i32x4.le_u(low, greatest)));
    const highBits = i32x4.bitmask(v128.and(i32x4.ge_u(high, least), i32x4.le_u(high, greatest)));
    const at = target + (<usize>doc >>> 3);
    store<u8>(at, load<u8>(at) | <u8>(lowBits | (highBits << 4)));
  }
  return doc;
}

/** Counts the marked documents by number less one, `width` bytes each; 0 is no number. `counts`: i32. */
export function countNumbers(bits: usize, words: i32, numbers: usize, width: i32, counts: usize): void {
  for (let word = 0; word < words; word += 2) {
    let rest = load<u64>(bits + (<usize>word << 2));
    for (; rest != 0; rest &= rest - 1) {
      const doc = <usize>(word << 5) + <usize>ctz(rest);
      const number =
        width == 1
          ? <u32>load<u8>(numbers + doc)
          : width == 2
            ? <u32>load<u16>(numbers + (doc << 1))
            : load<u32>(numbers + (doc << 2));
      if (number == 0) continue;
      const count = counts + (<usize>(number - 1) << 2);
      store<i32>(count, load<i32>(count) + 1);
    }
  }
}

/** Counts the marked documents by ordinal where each has one; u32 by doc id. */
export function countOrdinals(bits: usize, words: i32, ordinals: usize, counts: usize): void {
  for (let word = 0; word < words; word += 2) {
    let rest = load<u64>(bits + (<usize>word << 2));
    for (; rest != 0; rest &= rest - 1) {
      add(counts, load<i32>(ordinals + (<usize>((word << 5) + <i32>ctz(rest)) << 2)), 1);
    }
  }
}

/**
 * Counts the marked documents at each of their paths, less one at the deepest common ancestor of every
 * two neighbours in preorder: summed over a subtree that leaves 1 for a document with any path there.
 */
export function countPaths(
  bits: usize,
  words: i32,
  starts: usize,
  ordinals: usize,
  parents: usize,
  subtreeEnds: usize,
  counts: usize,
): void {
  for (let word = 0; word < words; word += 2) {
    let rest = load<u64>(bits + (<usize>word << 2));
    for (; rest != 0; rest &= rest - 1) {
      const doc = (word << 5) + <i32>ctz(rest);
      const end = load<u32>(starts + (<usize>doc << 2), 4);
      let previous: i32 = -1;
      for (let entry = load<u32>(starts + (<usize>doc << 2)); entry < end; entry++) {
        const ordinal = load<i32>(ordinals + (<usize>entry << 2));
        add(counts, ordinal, 1);
        let ancestor = previous;
        while (ancestor >= 0 && load<i32>(subtreeEnds + (<usize>ancestor << 2)) <= ordinal) {
          ancestor = load<i32>(parents + (<usize>ancestor << 2));
        }
        if (ancestor >= 0) add(counts, ancestor, -1);
        previous = ordinal;
      }
    }
  }
}

function add(counts: usize, ordinal: i32, change: i32): void {
  const count = counts + (<usize>ordinal << 2);
  store<i32>(count, load<i32>(count) + change);
}
