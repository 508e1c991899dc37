// AssemblyScript. Posting lists of tokens that have been sorted by term.

import {
  addPosting,
  beginList,
  DENSE,
  DONE,
  endList,
  fits,
  isFull,
  isListOpen,
  PAUSED,
  putPositions,
  TOO_MANY,
  widthOf,
} from "./posting-lists";
import { Sorted } from "./sorted-tokens";

/** Where the open list's tokens end. */
let listEnd: u32 = 0;

/** Writes lists from where the last call stopped, about as many as `tokens` are in. */
export function writePostings(sorted: Sorted, tokens: u32): i32 {
  const entries = sorted.tokens;
  let at = sorted.at;
  const stop = at + tokens;
  while (true) {
    if (!isListOpen) {
      if (sorted.rank == sorted.endRank) {
        sorted.at = at;
        return DONE;
      }
      if (at >= stop || isFull()) break;
      beginTerm(sorted, at);
    }
    const end = listEnd;
    while (at < end) {
      if (at >= stop || isFull()) {
        sorted.at = at;
        return PAUSED;
      }
      const doc = load<u32>(entries + (<usize>at << 3));
      const from = at;
      do at++;
      while (at < end && load<u32>(entries + (<usize>at << 3)) == doc);
      if (!fits(doc, at - from)) return TOO_MANY;
      addPosting(doc, at - from);
      putPositions(entries + (<usize>from << 3) + 4, at - from, widthOf(doc));
    }
    const isDense = endTerm(sorted);
    sorted.rank++;
    if (isDense) {
      sorted.at = at;
      return DENSE;
    }
  }
  sorted.at = at;
  return PAUSED;
}

function beginTerm(sorted: Sorted, at: u32): void {
  const term = load<u32>(sorted.order + (<usize>sorted.rank << 2));
  listEnd = load<u32>(sorted.places + (<usize>term << 2)) - sorted.first;
  const entries = sorted.tokens;
  const isSingle = load<u32>(entries + (<usize>at << 3)) == load<u32>(entries + (<usize>(listEnd - 1) << 3));
  beginList(isSingle ? 1 : max(listEnd - at, 2));
}

function endTerm(sorted: Sorted): bool {
  const term = load<u32>(sorted.order + (<usize>sorted.rank << 2));
  const place = sorted.starts + (<usize>term << 2);
  const start = load<u32>(place);
  return endList(sorted.bytes + start, load<u32>(place + 4) - start);
}
