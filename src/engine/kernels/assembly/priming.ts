// AssemblyScript. A threshold to begin with. Every block has a document that reaches the block's bound,
// so the k-th greatest bound of a list's blocks is a score that k documents reach: what scores less is
// not among the best k (threshold estimation; Mallia, Siedlaczek, Suel and Torres 2020).

import { PostingList } from "./posting-list";
import { listAt, listCount } from "./ranking";

/** Finding the k-th greatest costs more than it spares for more hits than these. */
const HITS_MAX: i32 = 64;

/** u16 × 64: the greatest bounds so far, ascending. */
let greatest: usize = 0;

export function attachPriming(bounds: usize): void {
  greatest = bounds;
}

/** A score that at least k documents exceed or reach; -1 if none is known. Right while every document counts. */
export function primedThreshold(k: i32): f32 {
  if (k > HITS_MAX) return -1;
  let best: f32 = -1;
  for (let index = 0; index < listCount; index++) {
    const list = listAt(index);
    if (list.endBlock - list.firstBlock < k) continue;
    best = max(best, list.floorBase + list.floorUnit * <f32>(kthGreatestBound(list, k) - 1));
  }
  return best;
}

function kthGreatestBound(list: PostingList, k: i32): i32 {
  const bounds = list.bounds;
  for (let place = 0; place < k; place++) {
    insert(place, <i32>load<u16>(bounds + (<usize>(list.firstBlock + place) << 1)));
  }
  let block = list.firstBlock + k;
  let limits = i16x8.splat(<i16>load<u16>(greatest));
  for (; block + 8 <= list.endBlock; block += 8) {
    let above = i16x8.bitmask(i16x8.gt_u(v128.load(bounds + (<usize>block << 1)), limits));
    if (above == 0) continue;
    for (; above != 0; above &= above - 1) replaceLeast(k, <i32>load<u16>(bounds + (<usize>(block + ctz(above)) << 1)));
    limits = i16x8.splat(<i16>load<u16>(greatest));
  }
  for (; block < list.endBlock; block++) replaceLeast(k, <i32>load<u16>(bounds + (<usize>block << 1)));
  return <i32>load<u16>(greatest);
}

/** Adds one of the first k. */
function insert(length: i32, bound: i32): void {
  let hole = length;
  for (; hole > 0 && <i32>load<u16>(greatest + (<usize>(hole - 1) << 1)) > bound; hole--) {
    store<u16>(greatest + (<usize>hole << 1), load<u16>(greatest + (<usize>(hole - 1) << 1)));
  }
  store<u16>(greatest + (<usize>hole << 1), <u16>bound);
}

function replaceLeast(k: i32, bound: i32): void {
  if (bound <= <i32>load<u16>(greatest)) return;
  let hole = 0;
  for (; hole + 1 < k && <i32>load<u16>(greatest + (<usize>(hole + 1) << 1)) < bound; hole++) {
    store<u16>(greatest + (<usize>hole << 1), load<u16>(greatest + (<usize>(hole + 1) << 1)));
  }
  store<u16>(greatest + (<usize>hole << 1), <u16>bound);
}
