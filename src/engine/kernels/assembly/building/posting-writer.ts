// AssemblyScript. Posting lists of tokens that have been sorted by term.

import {
  addPosting,
  addTokens,
  beginList,
  DENSE,
  docOf,
  DONE,
  endList,
  fits,
  isFull,
  isListOpen,
  isSingle,
  NO_ROOM,
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
      const first = docOf<Entry>(entries + <usize>at * sizeof<Entry>(), positionBits);
      const last = docOf<Entry>(entries + <usize>(listEnd - 1) * sizeof<Entry>(), positionBits);
      beginList(first == last ? 1 : max(listEnd - at, 2));
    }
    if (isSingle) {
      if (!addSingle<Entry>(entries + <usize>at * sizeof<Entry>(), listEnd - at, positionBits)) return TOO_MANY;
      at = listEnd;
    } else {
      const next = addTokens<Entry>(entries, at, listEnd, stop, positionBits);
      if (next == NO_ROOM) return TOO_MANY;
      at = next;
      if (at < listEnd) break;
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

/** False if its positions find no room. */
@inline
function addSingle<Entry>(entry: usize, freq: u32, positionBits: u32): bool {
  const doc = docOf<Entry>(entry, positionBits);
  if (!fits(doc, freq)) return false;
  addPosting(doc, freq);
  if (sizeof<Entry>() == 8) putPositions<u64>(entry + 4, freq, widthOf(doc), -1);
  else putPositions<u32>(entry, freq, widthOf(doc), (1 << positionBits) - 1);
  return true;
}

function endTerm(sorted: Sorted): bool {
  const term = load<u32>(sorted.order + (<usize>sorted.rank << 2));
  const place = sorted.starts + (<usize>term << 2);
  const start = load<u32>(place);
  return endList(sorted.bytes + start, load<u32>(place + 4) - start);
}
