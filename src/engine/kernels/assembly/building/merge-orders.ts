// AssemblyScript. Merges the ranks that several segments gave to the texts of a field, by how the texts begin
// (`member-beginnings.ts` wrote that, `segment/text-order/text-order-merge.ts` knows the order of the calls).

const DONE: i32 = 0;
const PAUSED: i32 = 1;
/** Different texts begin alike: TypeScript is to rank them. */
const ALIKE: i32 = 2;

/** A segment, and a cursor over those of its ranks that have an entry. */
@unmanaged
export class OrderInput {
  /** By rank: the address of the entry, 0 if there is none; once the cursor is past it, the new rank. */
  entries: usize;
  /** The greatest rank. */
  rankCount: u32;
  /** The cursor; 0 at the end. */
  rank: u32;
  /** If it is one of several that begin alike: the first rank that doesn't. Else 0. */
  alikeEnd: u32;
  entry: usize;
  /** The first eight bytes of the text at the cursor, the first uppermost, zeros behind its end. */
  key: u64;
}

let inputs: usize = 0;
let inputCount: i32 = 0;
let beginningBytes: u32 = 0;
let newRank: u32 = 0;

export function beginOrders(inputsAt: usize, count: i32, bytes: u32): void {
  inputs = inputsAt;
  inputCount = count;
  beginningBytes = bytes;
  newRank = 0;
  for (let i = 0; i < count; i++) moveTo(inputAt(i), 1);
}

/** The last rank that was given, 0 if none was. */
export function lastOrderRank(): u32 {
  return newRank;
}

/** Goes on behind the texts that began alike, to which TypeScript has given ranks up to this one. */
export function resumeOrders(rank: u32): void {
  newRank = rank;
  for (let i = 0; i < inputCount; i++) {
    const input = inputAt(i);
    if (input.alikeEnd == 0) continue;
    moveTo(input, input.alikeEnd);
    input.alikeEnd = 0;
  }
}

/** Gives new ranks, about so many. */
export function mergeOrders(ranks: i32): i32 {
  for (; ranks > 0; ranks--) {
    let least: OrderInput | null = null;
    let isShared = false;
    let isAlike = false;
    for (let i = 0; i < inputCount; i++) {
      const input = inputAt(i);
      if (input.rank == 0) continue;
      const order = least == null ? -1 : compare(input, least);
      if (order > 0) continue;
      if (order < 0) {
        least = input;
        isShared = false;
        isAlike = false;
        continue;
      }
      isShared = true;
      if (isCut(input.entry) && hashOf(input.entry) != hashOf(least!.entry)) isAlike = true;
    }
    if (least == null) return DONE;
    if (isAlike) {
      markAlike(least);
      return ALIKE;
    }
    newRank++;
    if (!isShared) {
      take(least);
      continue;
    }
    const key = least.key;
    const entry = least.entry;
    for (let i = 0; i < inputCount; i++) {
      const input = inputAt(i);
      if (input.rank != 0 && input.key == key && compareEntries(input.entry, entry) == 0) take(input);
    }
  }
  return PAUSED;
}

@inline
function inputAt(index: i32): OrderInput {
  return changetype<OrderInput>(inputs + <usize>index * offsetof<OrderInput>());
}

@inline
function take(input: OrderInput): void {
  store<u32>(input.entries + (<usize>input.rank << 2), newRank);
  moveTo(input, input.rank + 1);
}

/** Moves the cursor to the first rank from here on that has an entry. */
function moveTo(input: OrderInput, from: u32): void {
  let rank = from;
  let entry: usize = 0;
  while (rank <= input.rankCount) {
    entry = <usize>load<u32>(input.entries + (<usize>rank << 2));
    if (entry != 0) break;
    rank++;
  }
  if (entry == 0) {
    input.rank = 0;
    return;
  }
  input.rank = rank;
  input.entry = entry;
  input.key = keyOf(entry + 1, <u32>load<u8>(entry));
}

/** The first eight of so many bytes. */
@inline
function keyOf(bytes: usize, length: u32): u64 {
  if (length == 0) return 0;
  const key = bswap(load<u64>(bytes));
  return length >= 8 ? key : key & ~(<u64>-1 >>> <u64>(length << 3));
}

@inline
function isCut(entry: usize): bool {
  return <u32>load<u8>(entry) == beginningBytes;
}

@inline
function hashOf(entry: usize): u64 {
  return load<u64>(entry + 1 + beginningBytes);
}

@inline
function compare(a: OrderInput, b: OrderInput): i32 {
  if (a.key != b.key) return a.key < b.key ? -1 : 1;
  return compareEntries(a.entry, b.entry);
}

/** Order of how two texts begin. */
function compareEntries(a: usize, b: usize): i32 {
  let aLeft = <u32>load<u8>(a++);
  let bLeft = <u32>load<u8>(b++);
  while (true) {
    const aKey = keyOf(a, aLeft);
    const bKey = keyOf(b, bLeft);
    if (aKey != bKey) return aKey < bKey ? -1 : 1;
    if (aLeft <= 8 || bLeft <= 8) return <i32>aLeft - <i32>bLeft;
    a += 8;
    b += 8;
    aLeft -= 8;
    bLeft -= 8;
  }
}

/** Tells of each input at whose cursor a text begins like this one how far such texts go. */
function markAlike(least: OrderInput): void {
  const entry = least.entry;
  for (let i = 0; i < inputCount; i++) {
    const input = inputAt(i);
    if (input.rank == 0 || compareEntries(input.entry, entry) != 0) continue;
    let end = input.rank + 1;
    for (; end <= input.rankCount; end++) {
      const other = <usize>load<u32>(input.entries + (<usize>end << 2));
      if (other != 0 && compareEntries(other, entry) != 0) break;
    }
    input.alikeEnd = end;
  }
}
