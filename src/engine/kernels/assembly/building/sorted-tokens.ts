// AssemblyScript. Sorts the tokens of a stream by term, one range of terms after the other.

import { Piece, pieceData } from "./heap";
import { countTokens } from "./read-words";
import { DOCUMENT, LONG_WORD, NEXT_DOCUMENT, Words } from "./words";

/** In place of a term's place: its list has been written. */
const WRITTEN: u32 = 0xffff_ffff;
/** `positionBits` of entries of 8 bytes. */
export const WIDE: u32 = 32;

/** What `writePostings` goes through; TypeScript fills in the first part. */
@unmanaged
export class Sorted {
  /** By word of the stream its term; 0: words are terms. */
  termOfWord: usize;
  /** Terms by rank, and what each is: `bytes[starts[term]]` up to where the next starts. */
  order: usize;
  starts: usize;
  bytes: usize;
  /** By term: its tokens' number, then the first of their places among all, then the one after the last. */
  places: usize;
  /**
   * Document and position of those from place `first` on: in a u32, of which positions take the lower
   * `positionBits`, or if those are `WIDE` in a u32 each.
   */
  tokens: usize;
  positionBits: u32;

  first: u32;
  end: u32;
  /** The range's terms. */
  firstRank: u32;
  endRank: u32;
  /** What has been written: terms, tokens. */
  rank: u32;
  at: u32;
  /** How far the stream has been read. */
  piece: usize;
  doc: u32;
  position: u32;
}

/** To be called before each reading of the stream. */
export function beginStream(sorted: Sorted, words: Words): void {
  sorted.piece = changetype<usize>(words.firstStream);
  sorted.doc = -1;
  sorted.position = 0;
}

/** Finds each term's place among all tokens; places are 0 before. */
export function placeTerms(sorted: Sorted, words: Words, termCount: u32): void {
  countTokens(words, sorted.termOfWord, sorted.places);
  let sum: u32 = 0;
  for (let rank: u32 = 0; rank < termCount; rank++) {
    const place = sorted.places + (<usize>load<u32>(sorted.order + (<usize>rank << 2)) << 2);
    const count = load<u32>(place);
    store<u32>(place, sum);
    sum += count;
  }
  sorted.firstRank = 0;
  sorted.endRank = 0;
  sorted.end = 0;
}

/**
 * Takes as the next range the terms that have up to `tokens` tokens together, or one term; returns how
 * many these are, 0 if there are no more terms.
 */
export function nextRange(sorted: Sorted, termCount: u32, tokenCount: u32, tokens: u32): u32 {
  const order = sorted.order;
  const places = sorted.places;
  for (let rank = sorted.firstRank; rank < sorted.endRank; rank++) {
    store<u32>(places + (<usize>load<u32>(order + (<usize>rank << 2)) << 2), WRITTEN);
  }
  const from = sorted.endRank;
  if (from == termCount) return 0;
  const first = sorted.end;
  let to = from;
  let end = first;
  while (to < termCount) {
    const next = to + 1 < termCount ? load<u32>(places + (<usize>load<u32>(order + (<usize>(to + 1) << 2)) << 2)) : tokenCount;
    if (to > from && next - first > tokens) break;
    end = next;
    to++;
  }
  sorted.first = first;
  sorted.end = end;
  sorted.firstRank = from;
  sorted.rank = from;
  sorted.endRank = to;
  sorted.at = 0;
  return end - first;
}

/** Puts the range's tokens of one piece into their places; false at the end of the stream. */
export function scatterPiece(sorted: Sorted): bool {
  return sorted.positionBits == WIDE ? scatter<u64>(sorted) : scatter<u32>(sorted);
}

function scatter<Entry>(sorted: Sorted): bool {
  const piece = changetype<Piece>(sorted.piece);
  const places = sorted.places;
  const termOfWord = sorted.termOfWord;
  const tokens = sorted.tokens;
  const positionBits = sorted.positionBits;
  const first = sorted.first;
  const count = sorted.end - first;
  let doc = sorted.doc;
  let position = sorted.position;
  const end = piece.end;
  let at = pieceData(piece);
  while (at < end) {
    let word = <u32>load<u16>(at);
    at += 2;
    if (word >= LONG_WORD) {
      if (word < NEXT_DOCUMENT) {
        word = ((word - LONG_WORD) << 16) | <u32>load<u16>(at);
        at += 2;
      } else {
        if (word == NEXT_DOCUMENT) {
          doc++;
          position = 0;
        } else {
          const value = load<u32>(at);
          at += 4;
          position = word == DOCUMENT ? 0 : value;
          if (word == DOCUMENT) doc = value;
        }
        continue;
      }
    }
    if (termOfWord != 0) word = load<u32>(termOfWord + (<usize>word << 2));
    const place = places + (<usize>word << 2);
    const index = load<u32>(place) - first;
    if (index < count) {
      store<u32>(place, index + first + 1);
      if (sizeof<Entry>() == 8) store<u64>(tokens + (<usize>index << 3), <u64>doc | (<u64>position << 32));
      else store<u32>(tokens + (<usize>index << 2), (doc << positionBits) | position);
    }
    position++;
  }
  sorted.doc = doc;
  sorted.position = position;
  sorted.piece = piece.next;
  return piece.next != 0;
}
