// AssemblyScript. The preorder arrays of a trie of distinct strings in ascending order, some thousand terms at a time.
// A string's leaf hangs where it parts from both neighbours; above it are inner nodes, of which those deeper than what
// it shares with the string before are new.

const LEAF: u32 = 0x8000_0000;
const DEPTH_MAX: u32 = 255;

/** Open inner nodes by depth; those below `openCount` are ancestors of the next leaf. */
const open = memory.data(1024, 4);
let openCount: u32 = 0;
let sharedBefore: u32 = 0;
let node: u32 = 0;
let place: u32 = 0;

let order: usize = 0;
let letters: usize = 0;
let starts: usize = 0;
let termCount: u32 = 0;

/** `order` are numbers of terms, `letters` u16; a term's letters start where `starts` says, and end where the next one's do. */
export function beginTrie(orderAt: usize, lettersAt: usize, startsAt: usize, terms: u32): void {
  order = orderAt;
  letters = lettersAt;
  starts = startsAt;
  termCount = terms;
  openCount = 0;
  sharedBefore = 0;
  node = 0;
  place = 0;
}

/**
 * Goes on with so many terms. Returns -1 if there are more; else how many nodes there are, one more than
 * `nodesMax` if there are more than that, or the order isn't one.
 */
export function growTrie(labels: usize, depths: usize, values: usize, nodesMax: u32, terms: u32): i32 {
  const end = min(place + terms, termCount);
  for (; place < end; place++) {
    const term = load<u32>(order + (<usize>place << 2));
    if (term >= termCount) return nodesMax + 1;
    const start = load<u32>(starts + (<usize>term << 2));
    const length = load<u32>(starts + (<usize>term << 2), 4) - start;
    let sharedAfter: u32 = 0;
    if (place + 1 < termCount) {
      const next = load<u32>(order + (<usize>place << 2), 4);
      if (next >= termCount) return nodesMax + 1;
      sharedAfter = sharedPrefix(start, length, next);
    }
    closeTo(sharedBefore, values);
    const depth = max(sharedBefore, sharedAfter);
    if (depth > DEPTH_MAX || node + depth - min(openCount, depth) >= nodesMax) return nodesMax + 1;
    const spelled = letters + (<usize>start << 1);
    while (openCount < sharedAfter) {
      store<u32>(open + (<usize>openCount << 2), node);
      store<u16>(labels + (<usize>node << 1), load<u16>(spelled + (<usize>openCount << 1)));
      store<u8>(depths + <usize>node, <u8>openCount);
      node++;
      openCount++;
    }
    store<u16>(labels + (<usize>node << 1), depth == length ? 0 : load<u16>(spelled + (<usize>depth << 1)));
    store<u8>(depths + <usize>node, <u8>depth);
    store<u32>(values + (<usize>node << 2), LEAF | term);
    node++;
    sharedBefore = sharedAfter;
  }
  if (place < termCount) return -1;
  closeTo(0, values);
  return node;
}

@inline
function closeTo(depth: u32, values: usize): void {
  while (openCount > depth) {
    openCount--;
    store<u32>(values + (<usize>load<u32>(open + (<usize>openCount << 2)) << 2), node);
  }
}

@inline
function sharedPrefix(start: u32, length: u32, other: u32): u32 {
  const otherStart = load<u32>(starts + (<usize>other << 2));
  const limit = min(length, load<u32>(starts + (<usize>other << 2), 4) - otherStart);
  const a = letters + (<usize>start << 1);
  const b = letters + (<usize>otherStart << 1);
  let shared: u32 = 0;
  while (shared < limit && load<u16>(a + (<usize>shared << 1)) == load<u16>(b + (<usize>shared << 1))) shared++;
  return shared;
}
