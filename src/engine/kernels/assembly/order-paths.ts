// AssemblyScript. Paths that have been counted, put in the order in which they are answered: preorder, siblings by
// count descending, then by path. A segment's ordinals are in the order of its paths.

/** Counts are below. */
const COUNT_LIMIT: u64 = 0x8000_0000;
/** Shell's method begins with this step; what makes the next ones of it, down to 1 by way of 133, 59, 26, 11 and 4. */
const GAP_MAX: i32 = 301;
const GAP_FACTOR: i32 = 4;
const GAP_DIVISOR: i32 = 9;

let counts: usize = 0;
/** Two i32 by ordinal, each an ordinal + 1 or 0: the last child, and the sibling before. */
let links: usize = 0;
/** u64, as many as paths: siblings being put in order, those of a child behind its parent's; the least comes first. */
let keys: usize = 0;
let keysEnd: usize = 0;
/** Three i32 for each path: ordinal, count, and how many paths are above it. */
let out: usize = 0;

/**
 * @param counted ordinals of the counted paths, in any order, those above each among them; `length` of them
 * @param parents -1 for roots; they may lie where the link to the sibling before is written, which then takes their place
 * @param parentShift the logarithm of the bytes from one parent to the next
 * @param linkBuffer, keyBuffer scratch, whatever is in it
 */
export function orderPaths(
  counted: usize,
  length: i32,
  pathCounts: usize,
  parents: usize,
  parentShift: i32,
  linkBuffer: usize,
  keyBuffer: usize,
  entries: usize,
): void {
  counts = pathCounts;
  links = linkBuffer;
  keys = keyBuffer;
  keysEnd = keyBuffer;
  out = entries;
  for (let index = 0; index < length; index++) setLastChild(load<i32>(counted + (<usize>index << 2)), 0);
  let lastRoot = 0;
  for (let index = 0; index < length; index++) {
    const ordinal = load<i32>(counted + (<usize>index << 2));
    const parent = load<i32>(parents + (<usize>ordinal << parentShift));
    if (parent < 0) {
      setPrevious(ordinal, lastRoot);
      lastRoot = ordinal + 1;
    } else {
      setPrevious(ordinal, lastChildOf(parent));
      setLastChild(parent, ordinal + 1);
    }
  }
  list(lastRoot, 0);
}

/** Lists siblings, the last of which is given, each with all below it. Recursion is as deep as the longest path. */
function list(last: i32, depth: i32): void {
  const start = keysEnd;
  for (let sibling = last; sibling != 0; sibling = previousOf(sibling - 1)) {
    const ordinal = sibling - 1;
    store<u64>(keysEnd, ((COUNT_LIMIT - <u64>countOf(ordinal)) << 32) | <u64>ordinal);
    keysEnd += 8;
  }
  const end = keysEnd;
  sort(start, <i32>((end - start) >>> 3));
  for (let at = start; at < end; at += 8) {
    const ordinal = load<i32>(at);
    store<i32>(out, ordinal);
    store<i32>(out, countOf(ordinal), 4);
    store<i32>(out, depth, 8);
    out += 12;
    const child = lastChildOf(ordinal);
    if (child != 0) list(child, depth + 1);
  }
  keysEnd = start;
}

/** Ascending. */
function sort(start: usize, length: i32): void {
  for (let gap = GAP_MAX; gap > 0; gap = (gap * GAP_FACTOR) / GAP_DIVISOR) {
    if (gap >= length) continue;
    for (let place = gap; place < length; place++) {
      const key = keyAt(start, place);
      let hole = place;
      for (; hole >= gap && keyAt(start, hole - gap) > key; hole -= gap) {
        store<u64>(start + (<usize>hole << 3), keyAt(start, hole - gap));
      }
      store<u64>(start + (<usize>hole << 3), key);
    }
  }
}

function keyAt(start: usize, place: i32): u64 {
  return load<u64>(start + (<usize>place << 3));
}

function countOf(ordinal: i32): i32 {
  return load<i32>(counts + (<usize>ordinal << 2));
}

function lastChildOf(ordinal: i32): i32 {
  return load<i32>(links + (<usize>ordinal << 3));
}

function setLastChild(ordinal: i32, link: i32): void {
  store<i32>(links + (<usize>ordinal << 3), link);
}

function previousOf(ordinal: i32): i32 {
  return load<i32>(links + (<usize>ordinal << 3), 4);
}

function setPrevious(ordinal: i32, link: i32): void {
  store<i32>(links + (<usize>ordinal << 3), link, 4);
}
