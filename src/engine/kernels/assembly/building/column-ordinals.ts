// AssemblyScript. Loops over all values of a column (`segment/columns/column-writer.ts`, `column-sections.ts`), and
// over all texts in order (`segment/text-order/text-order-writer.ts`): each runs once for a segment, and V8 took
// longer to compile it than it took.

/** A document's values are sorted by insertion up to so many. */
const INSERTED_MAX: u32 = 32;
/** A text's entry equals the one before. */
const EQUALS_PREVIOUS: u32 = 0x8000_0000;

@inline
function at(array: usize, index: u32): usize {
  return array + (<usize>index << 2);
}

/**
 * Puts the ordinals of documents `from` to `to - 1` of those with a value behind `length` others, ascending, each
 * once; returns how many there are then. Their ids are `ids[firsts[i]]` to `ids[firsts[i + 1] - 1]`. Notes in
 * `starts` where those of each doc id begin.
 */
export function placeOrdinals(
  docs: usize,
  firsts: usize,
  ids: usize,
  ordinalOfId: usize,
  from: u32,
  to: u32,
  starts: usize,
  ordinals: usize,
  length: u32,
): u32 {
  let end = length;
  let doc: u32 = from == 0 ? 0 : load<u32>(at(docs, from - 1)) + 1;
  for (let i = from; i < to; i++) {
    const owner = load<u32>(at(docs, i));
    for (; doc <= owner; doc++) store<u32>(at(starts, doc), end);
    const start = end;
    const last = load<u32>(at(firsts, i + 1));
    for (let value = load<u32>(at(firsts, i)); value < last; value++) {
      store<u32>(at(ordinals, end++), load<u32>(at(ordinalOfId, load<u32>(at(ids, value)))));
    }
    if (end - start > 1) end = sortDistinct(ordinals, start, end);
  }
  return end;
}

/** Sorts a document's ordinals in place and moves the distinct ones to the front; returns their end. */
function sortDistinct(ordinals: usize, start: u32, end: u32): u32 {
  if (end - start > INSERTED_MAX) sortByHeap(at(ordinals, start), end - start);
  else {
    for (let i = start + 1; i < end; i++) {
      const ordinal = load<u32>(at(ordinals, i));
      let place = i;
      for (; place > start && load<u32>(at(ordinals, place - 1)) > ordinal; place--) {
        store<u32>(at(ordinals, place), load<u32>(at(ordinals, place - 1)));
      }
      store<u32>(at(ordinals, place), ordinal);
    }
  }
  let distinct = start + 1;
  for (let i = start + 1; i < end; i++) {
    const ordinal = load<u32>(at(ordinals, i));
    if (ordinal != load<u32>(at(ordinals, distinct - 1))) store<u32>(at(ordinals, distinct++), ordinal);
  }
  return distinct;
}

function sortByHeap(numbers: usize, count: u32): void {
  for (let root = count >>> 1; root > 0; root--) sink(numbers, root - 1, count);
  for (let end = count - 1; end > 0; end--) {
    const greatest = load<u32>(numbers);
    store<u32>(numbers, load<u32>(at(numbers, end)));
    store<u32>(at(numbers, end), greatest);
    sink(numbers, 0, end);
  }
}

/** Makes a heap of `root` and the two below it. */
function sink(numbers: usize, root: u32, count: u32): void {
  const number = load<u32>(at(numbers, root));
  while (true) {
    let child = (root << 1) + 1;
    if (child >= count) break;
    if (child + 1 < count && load<u32>(at(numbers, child + 1)) > load<u32>(at(numbers, child))) child++;
    const below = load<u32>(at(numbers, child));
    if (below <= number) break;
    store<u32>(at(numbers, root), below);
    root = child;
  }
  store<u32>(at(numbers, root), number);
}

/**
 * Documents by ordinal, ascending: those of ordinal i are `docs[docStarts[i]]` to `docs[docStarts[i + 1] - 1]`.
 * `docStarts` holds zeros, `next` has room for as many.
 */
export function invertOrdinals(
  starts: usize,
  ordinals: usize,
  maxDoc: u32,
  valueCount: u32,
  docStarts: usize,
  next: usize,
  docs: usize,
): void {
  const count = load<u32>(at(starts, maxDoc));
  for (let i: u32 = 0; i < count; i++) {
    const place = at(docStarts, load<u32>(at(ordinals, i)) + 1);
    store<u32>(place, load<u32>(place) + 1);
  }
  for (let ordinal: u32 = 0; ordinal < valueCount; ordinal++) {
    const place = at(docStarts, ordinal + 1);
    store<u32>(place, load<u32>(place) + load<u32>(place - 4));
  }
  memory.copy(next, docStarts, (<usize>valueCount + 1) << 2);
  let i: u32 = 0;
  for (let doc: u32 = 0; doc < maxDoc; doc++) {
    for (const end = load<u32>(at(starts, doc + 1)); i < end; i++) {
      const place = at(next, load<u32>(at(ordinals, i)));
      const to = load<u32>(place);
      store<u32>(place, to + 1);
      store<u32>(at(docs, to), doc);
    }
  }
}

/**
 * Goes through sorted byte strings from `from`, which begins a run of equal ones, to `stop`, of `count`; returns
 * where it stopped. Strings of `cut` bytes or more are equal only as far as they go: of their runs of two and more,
 * starts and ends are noted behind `runs`, whose first word says how many words there are. In other runs all
 * but the first are marked.
 */
export function markAlike(
  order: usize,
  from: u32,
  stop: u32,
  count: u32,
  symbols: usize,
  starts: usize,
  cut: u32,
  runs: usize,
): u32 {
  let noted = load<u32>(runs);
  let i = from;
  while (i < stop) {
    const place = at(starts, load<u32>(at(order, i)));
    const start = load<u32>(place);
    const length = load<u32>(place + 4) - start;
    let end = i + 1;
    while (end < count && equals(symbols, start, length, starts, load<u32>(at(order, end)))) end++;
    if (end - i > 1 && length >= cut) {
      store<u32>(at(runs, ++noted), i);
      store<u32>(at(runs, ++noted), end);
    } else {
      for (let same = i + 1; same < end; same++) {
        store<u32>(at(order, same), load<u32>(at(order, same)) | EQUALS_PREVIOUS);
      }
    }
    i = end;
  }
  store<u32>(runs, noted);
  return i;
}

@inline
function equals(symbols: usize, start: u32, length: u32, starts: usize, other: u32): bool {
  const place = at(starts, other);
  const otherStart = load<u32>(place);
  if (load<u32>(place + 4) - otherStart != length) return false;
  let a = symbols + <usize>start;
  let b = symbols + <usize>otherStart;
  const end = a + <usize>length;
  for (; a + 8 <= end; a += 8, b += 8) if (load<u64>(a) != load<u64>(b)) return false;
  for (; a < end; a++, b++) if (load<u8>(a) != load<u8>(b)) return false;
  return true;
}

/** Gives each value's document its rank, from 1 on: one more than the value's before it, but where it is marked. */
export function rankValues(order: usize, docs: usize, count: u32, ranks: usize): void {
  let rank: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const value = load<u32>(at(order, i));
    if ((value & EQUALS_PREVIOUS) == 0) rank++;
    store<u32>(at(ranks, load<u32>(at(docs, value & ~EQUALS_PREVIOUS))), rank);
  }
}

/** Packs numbers below 2^bits one behind the other into zeros, lowest bits first; up to 8 bytes behind may be overwritten. */
export function packStream(values: usize, count: u32, bits: u32, target: usize): void {
  let pending: u64 = 0;
  let pendingBits: u32 = 0;
  for (let i: u32 = 0; i < count; i++) {
    pending |= <u64>load<u32>(at(values, i)) << <u64>pendingBits;
    pendingBits += bits;
    if (pendingBits >= 32) {
      store<u32>(target, <u32>pending);
      target += 4;
      pending >>>= 32;
      pendingBits -= 32;
    }
  }
  if (pendingBits > 0) store<u32>(target, <u32>pending);
}
