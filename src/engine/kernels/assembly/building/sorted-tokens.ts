// AssemblyScript. Sorts the tokens of a stream by term, one range of terms after the other.

import { Piece, pieceData } from "./heap";
import { DOCUMENT, JUMP, Words } from "./words";

const POSITION_MAX: u32 = 0x7fff_ffff;
/** In place of a term's place: its list has been written. */
const WRITTEN: u32 = 0xffff_ffff;

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
  /** Document and position, both u32, of those from place `first` on. */
  tokens: usize;

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

export function beginStream(sorted: Sorted, words: Words): void {
  sorted.piece = changetype<usize>(words.firstStream);
  sorted.doc = 0;
  sorted.position = 0;
}

/** Counts the tokens of one piece by term; false at the end of the stream. */
export function countPiece(sorted: Sorted): bool {
  const piece = changetype<Piece>(sorted.piece);
  const places = sorted.places;
  const termOfWord = sorted.termOfWord;
  const end = piece.end;
  for (let at = pieceData(piece); at < end; at += 4) {
    let word = load<u32>(at);
    if (word >= DOCUMENT) {
      // Behind the mark of a document stands its number.
      if (word < JUMP) at += 4;
      continue;
    }
    if (termOfWord != 0) word = load<u32>(termOfWord + (<usize>word << 2));
    const place = places + (<usize>word << 2);
    store<u32>(place, load<u32>(place) + 1);
  }
  sorted.piece = piece.next;
  return piece.next != 0;
}

/** Makes places of numbers. */
export function sumCounts(sorted: Sorted, termCount: u32): void {
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
  const piece = changetype<Piece>(sorted.piece);
  const places = sorted.places;
  const termOfWord = sorted.termOfWord;
  const tokens = sorted.tokens;
  const first = sorted.first;
  const count = sorted.end - first;
  let doc = sorted.doc;
  let position = sorted.position;
  const end = piece.end;
  for (let at = pieceData(piece); at < end; at += 4) {
    let word = load<u32>(at);
    if (word >= DOCUMENT) {
      if (word >= JUMP) position = word & POSITION_MAX;
      else {
        at += 4;
        doc = load<u32>(at);
        position = 0;
      }
      continue;
    }
    if (termOfWord != 0) word = load<u32>(termOfWord + (<usize>word << 2));
    const place = places + (<usize>word << 2);
    const index = load<u32>(place) - first;
    if (index < count) {
      store<u32>(place, index + first + 1);
      store<u64>(tokens + (<usize>index << 3), <u64>doc | (<u64>position << 32));
    }
    position++;
  }
  sorted.doc = doc;
  sorted.position = position;
  sorted.piece = piece.next;
  return piece.next != 0;
}
