// AssemblyScript. Documents that are scored before a search, as lists of it: see `PostingList.shortness`.

import { BLOCK_SIZE, BOUND_SCALE, NO_DOC, NO_SCORE } from "./posting-list";

/**
 * Takes doc ids and their scores, with room for four more of each; notes each block's last document and
 * bound. Returns the greatest score; -1 if one is too small to be told from none.
 */
export function sealScored(docs: usize, scores: usize, count: i32, lastDocs: usize, bounds: usize): f32 {
  let greatest: f32 = 0;
  let least: f32 = Infinity;
  for (let at = 0; at < count; at++) {
    const score = load<f32>(scores + (<usize>at << 2));
    greatest = max(greatest, score);
    least = min(least, score);
  }
  if (!(least > 1e-20)) return -1;
  for (let at = count; at < count + 4; at++) {
    store<i32>(docs + (<usize>at << 2), NO_DOC);
    store<f32>(scores + (<usize>at << 2), NO_SCORE);
  }
  const unit = greatest / BOUND_SCALE;
  for (let block = 0; block << 7 < count; block++) {
    const end = min(count, (block << 7) + BLOCK_SIZE);
    let best: f32 = 0;
    for (let at = block << 7; at < end; at++) best = max(best, load<f32>(scores + (<usize>at << 2)));
    store<i32>(lastDocs + (<usize>block << 2), load<i32>(docs + (<usize>(end - 1) << 2)));
    store<u16>(bounds + (<usize>block << 1), <u16>min<f32>(BOUND_SCALE, ceil(best / unit)));
  }
  return greatest;
}
