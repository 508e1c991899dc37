// AssemblyScript. What comes out of a field's words, in the order of their numbers.

import { Piece, pieceData } from "./heap";
import { ENTRY_HEADER, ENTRY_TOKENS, entryBytes, Words } from "./words";

/** Adds up the tokens of each word's term; `termOfWord` is 0 where words are terms. */
export function countTokens(words: Words, termOfWord: usize, counts: usize): void {
  let piece: Piece | null = words.firstEntries;
  while (piece != null) {
    const end = piece.end;
    let entry = pieceData(piece);
    while (entry < end) {
      let term = load<u32>(entry);
      if (termOfWord != 0) term = load<u32>(termOfWord + (<usize>term << 2));
      const count = counts + (<usize>term << 2);
      store<u32>(count, load<u32>(count) + load<u32>(entry, ENTRY_TOKENS));
      entry += entryBytes(load<u32>(entry, 4));
    }
    piece = changetype<Piece | null>(piece.next);
  }
}

/** Address of the next entry that hasn't been asked for; 0 at the end. */
export function nextNewWord(words: Words): usize {
  let entry = words.newEntry;
  while (entry == words.newEntries.end) {
    if (words.newEntries.next == 0) return 0;
    words.newEntries = changetype<Piece>(words.newEntries.next);
    entry = pieceData(words.newEntries);
    words.newEntry = entry;
  }
  words.newEntry = entry + entryBytes(load<u32>(entry + 4));
  return entry;
}

/** Lays all words end to end, by number, and where each starts, and the last ends. */
export function layWords(words: Words, bytes: usize, starts: usize): void {
  let target = bytes;
  let piece: Piece | null = words.firstEntries;
  while (piece != null) {
    const end = piece.end;
    let entry = pieceData(piece);
    while (entry < end) {
      const length = load<u32>(entry + 4);
      store<u32>(starts, <u32>(target - bytes));
      starts += 4;
      memory.copy(target, entry + ENTRY_HEADER, length);
      target += length;
      entry += entryBytes(length);
    }
    piece = changetype<Piece | null>(piece.next);
  }
  store<u32>(starts, <u32>(target - bytes));
}
