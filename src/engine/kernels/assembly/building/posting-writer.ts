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
import { Sorted, WIDE } from "./sorted-tokens";

/** Where the open list's tokens end. */
let listEnd: u32 = 0;

/** Writes lists from where the last call stopped, about as many as `tokens` are in. */
export function writePostings(sorted: Sorted, tokens: u32): i32 {
  return sorted.positionBits == WIDE ? write<u64>(sorted, tokens) : write<u32>(sorted, tokens);
}

function write<Entry>(sorted: Sorted, tokens: u32): i32 {
  const entries = sorted.tokens;
  const positionBits = sorted.positionBits;
  let at = sorted.at;
  const stop = at + tokens;
  while (true) {
    if (!isListOpen) {
      if (sorted.rank == sorted.endRank) {
        sorted.at = at;
        return DONE;
      }
      if (at >= stop || isFull()) break;
      const term = load<u32>(sorted.order + (<usize>sorted.rank << 2));
      listEnd = load<u32>(sorted.places + (<usize>term << 2)) - sorted.first;
      const last = docOf<Entry>(entries, listEnd - 1, positionBits);
      beginList(docOf<Entry>(entries, at, positionBits) == last ? 1 : max(listEnd - at, 2));
    }
    const end = listEnd;
    while (at < end) {
      if (at >= stop || isFull()) {
        sorted.at = at;
        return PAUSED;
      }
      const doc = docOf<Entry>(entries, at, positionBits);
      const from = at;
      do at++;
      while (at < end && docOf<Entry>(entries, at, positionBits) == doc);
      if (!fits(doc, at - from)) return TOO_MANY;
      addPosting(doc, at - from);
      if (sizeof<Entry>() == 8) putPositions<u64>(entries + (<usize>from << 3) + 4, at - from, widthOf(doc), -1);
      else putPositions<u32>(entries + (<usize>from << 2), at - from, widthOf(doc), (1 << positionBits) - 1);
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

@inline
function docOf<Entry>(entries: usize, index: u32, positionBits: u32): u32 {
  if (sizeof<Entry>() == 8) return load<u32>(entries + (<usize>index << 3));
  return load<u32>(entries + (<usize>index << 2)) >>> positionBits;
}

function endTerm(sorted: Sorted): bool {
  const term = load<u32>(sorted.order + (<usize>sorted.rank << 2));
  const place = sorted.starts + (<usize>term << 2);
  const start = load<u32>(place);
  return endList(sorted.bytes + start, load<u32>(place + 4) - start);
}
