// AssemblyScript. Values of documents: which documents have one in a range, and how often each occurs.

import { setBit } from "./matches";
import { numberOf } from "./ranking";

/** Marks the documents of a list. */
export function markDocs(target: usize, docs: usize, count: i32): void {
  for (let index = 0; index < count; index++) setBit(target, load<u32>(docs + (<usize>index << 2)));
}

/** Marks the documents whose number, `width` bytes each, is from `first` up to, not including, `end`; both above 0. */
export function markNumbers(target: usize, numbers: usize, width: i32, first: u32, end: u32, maxDoc: i32): void {
  let doc = 0;
  if (width == 1) doc = markBytes(target, numbers, first, end, maxDoc);
  else if (width == 2) doc = markShorts(target, numbers, first, end, maxDoc);
  else doc = markWords(target, numbers, first, end, maxDoc);
  for (; doc < maxDoc; doc++) {
    const number = numberOf(numbers, width, doc);
    if (number < first || number >= end) continue;
    setBit(target, doc);
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
      const doc = (word << 5) + <i32>ctz(rest);
      const number = numberOf(numbers, width, doc);
      if (number == 0) continue;
      add(counts, number - 1, 1);
    }
  }
}

/**
 * Counts documents, which are bits or, if these are no words, a list, at each of their paths, less one at the deepest
 * common ancestor of every two neighbours in preorder: summed over a subtree that leaves 1 for a document with any path
 * there.
 *
 * @param words of the bits, 32 each and even; 0: none
 * @param count of the list, u32; 0 for bits
 * @param size paths of the column
 * @param rootEnds room for a number for each: the end of the subtree of its root
 */
export function countPaths(
  docs: usize,
  words: i32,
  count: i32,
  starts: usize,
  ordinals: usize,
  parents: usize,
  subtreeEnds: usize,
  counts: usize,
  size: i32,
  rootEnds: usize,
): void {
  fillRootEnds(subtreeEnds, size, rootEnds);
  for (let word = 0; word < words; word += 2) {
    let rest = load<u64>(docs + (<usize>word << 2));
    for (; rest != 0; rest &= rest - 1) {
      addPathsOnce((word << 5) + <i32>ctz(rest), starts, ordinals, parents, subtreeEnds, counts, rootEnds);
    }
  }
  for (let index = 0; index < count; index++) {
    const doc = load<i32>(docs + (<usize>index << 2));
    addPathsOnce(doc, starts, ordinals, parents, subtreeEnds, counts, rootEnds);
  }
}

function fillRootEnds(subtreeEnds: usize, size: i32, rootEnds: usize): void {
  let end = 0;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (ordinal >= end) end = load<i32>(subtreeEnds + (<usize>ordinal << 2));
    store<i32>(rootEnds + (<usize>ordinal << 2), end);
  }
}

/** Adds a document for `countPaths`. Most neighbours have different roots, which one comparison tells. */
@inline
function addPathsOnce(
  doc: i32,
  starts: usize,
  ordinals: usize,
  parents: usize,
  subtreeEnds: usize,
  counts: usize,
  rootEnds: usize,
): void {
  const end = load<u32>(starts + (<usize>doc << 2), 4);
  let previous = 0;
  let rootEnd = 0;
  for (let entry = load<u32>(starts + (<usize>doc << 2)); entry < end; entry++) {
    const ordinal = load<i32>(ordinals + (<usize>entry << 2));
    add(counts, ordinal, 1);
    if (ordinal < rootEnd) {
      let ancestor = previous;
      while (load<i32>(subtreeEnds + (<usize>ancestor << 2)) <= ordinal) {
        ancestor = load<i32>(parents + (<usize>ancestor << 2));
      }
      add(counts, ancestor, -1);
    } else {
      rootEnd = load<i32>(rootEnds + (<usize>ordinal << 2));
    }
    previous = ordinal;
  }
}

/**
 * Counts each of a list's few documents at its paths and all above them, where `countPaths` leaves that to
 * `sumPaths`. `counts` are 0 but for what this counts; lists the paths that have a count, returns how many.
 */
export function countListedPaths(
  docs: usize,
  count: i32,
  starts: usize,
  ordinals: usize,
  parents: usize,
  subtreeEnds: usize,
  counts: usize,
  counted: usize,
): i32 {
  let end = counted;
  for (let index = 0; index < count; index++) {
    const doc = load<i32>(docs + (<usize>index << 2));
    end = addPathsOf(doc, starts, ordinals, parents, subtreeEnds, counts, end);
  }
  return <i32>((end - counted) >>> 2);
}

function addPathsOf(
  doc: i32,
  starts: usize,
  ordinals: usize,
  parents: usize,
  subtreeEnds: usize,
  counts: usize,
  counted: usize,
): usize {
  let end = counted;
  const entryEnd = load<u32>(starts + (<usize>doc << 2), 4);
  let previous: i32 = -1;
  for (let entry = load<u32>(starts + (<usize>doc << 2)); entry < entryEnd; entry++) {
    const ordinal = load<i32>(ordinals + (<usize>entry << 2));
    // What the document is counted at already.
    let known = previous;
    while (known >= 0 && load<i32>(subtreeEnds + (<usize>known << 2)) <= ordinal) {
      known = load<i32>(parents + (<usize>known << 2));
    }
    end = addUpTo(known, ordinal, parents, counts, end);
    previous = ordinal;
  }
  return end;
}

/** As `countListedPaths`, by numbers as `countNumbers` takes them. */
export function countListedNumbers(
  docs: usize,
  count: i32,
  numbers: usize,
  width: i32,
  parents: usize,
  counts: usize,
  counted: usize,
): i32 {
  let end = counted;
  for (let index = 0; index < count; index++) {
    const number = numberOf(numbers, width, load<i32>(docs + (<usize>index << 2)));
    if (number != 0) end = addUpTo(-1, <i32>(number - 1), parents, counts, end);
  }
  return <i32>((end - counted) >>> 2);
}

/** Adds each path's count to that of the path above, and lists those that aren't 0; returns how many. */
export function sumPaths(counts: usize, parents: usize, size: i32, counted: usize): i32 {
  for (let ordinal = size - 1; ordinal >= 0; ordinal--) {
    const count = load<i32>(counts + (<usize>ordinal << 2));
    if (count == 0) continue;
    const parent = load<i32>(parents + (<usize>ordinal << 2));
    // In preorder every descendant comes after its ancestor.
    if (parent >= 0) add(counts, parent, count);
  }
  let end = counted;
  for (let ordinal = 0; ordinal < size; ordinal++) {
    if (load<i32>(counts + (<usize>ordinal << 2)) == 0) continue;
    store<i32>(end, ordinal);
    end += 4;
  }
  return <i32>((end - counted) >>> 2);
}

/** Counts a path and those above it but for `known`, which is one of them or -1, and those above that. */
function addUpTo(known: i32, ordinal: i32, parents: usize, counts: usize, end: usize): usize {
  for (let at = ordinal; at != known; at = load<i32>(parents + (<usize>at << 2))) {
    const place = counts + (<usize>at << 2);
    const count = load<i32>(place);
    if (count == 0) {
      store<i32>(end, at);
      end += 4;
    }
    store<i32>(place, count + 1);
  }
  return end;
}

function add(counts: usize, ordinal: i32, change: i32): void {
  const count = counts + (<usize>ordinal << 2);
  store<i32>(count, load<i32>(count) + change);
}
