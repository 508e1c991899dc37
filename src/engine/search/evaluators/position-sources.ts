import { nextSetBit, popcount } from "../../bytes/bitset.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits, FieldTerms, PostingCursor } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { sortInSteps } from "./sort-in-steps.js";

/** Where one phrase token stands, document by document. */
export interface PositionSource {
  /** Positions in the current document, ascending; entries 0 to `length - 1`. */
  readonly positions: Uint32Array;
  readonly length: number;
  /** Moves to a document that holds the token; documents ascend from call to call. */
  moveTo(docId: DocId): void;
}

/** Positions of one term. */
export class TermPositions implements PositionSource {
  positions: Uint32Array = new Uint32Array(16);
  length = 0;
  readonly #cursor: PostingCursor;
  #index = 0;

  constructor(cursor: PostingCursor) {
    this.#cursor = cursor;
  }

  moveTo(docId: DocId): void {
    const cursor = this.#cursor;
    if (cursor.block < 0 || cursor.lastDoc(cursor.block) < docId) {
      cursor.loadBlock(cursor.seekBlock(docId));
      cursor.loadFreqs();
      this.#index = 0;
    }
    const docs = cursor.docs;
    let index = this.#index;
    while (docs[index]! < docId) index++;
    this.#index = index;
    const freq = cursor.freqs[index]!;
    if (freq > this.positions.length) this.positions = new Uint32Array(freq * 2);
    this.length = cursor.positions(index, this.positions);
  }
}

/** Postings and positions gone through between two looks at the clock. */
const STEPS_PER_CHECK = 1 << 16;

/** Positions of any of a range of terms, gathered beforehand for the candidate documents. */
export class CollectedPositions implements PositionSource {
  positions: Uint32Array = new Uint32Array(0);
  length = 0;
  readonly #candidates: DocBits;
  /** Candidates before each word of the bitset. */
  readonly #ranks: Uint32Array;
  /** By candidate: where its positions start; one entry more than there are candidates. */
  readonly #starts: Uint32Array;
  readonly #positions: Uint32Array;
  readonly #interrupt: SearchInterrupt;
  /** Steps until the interrupt is asked next. */
  #left = STEPS_PER_CHECK;

  /**
   * Walks the postings of the terms `first` to before `end` once. Memory: a number per occurrence in
   * a candidate.
   *
   * @throws FindlingError `search_timeout`
   */
  constructor(
    terms: FieldTerms,
    { first, end }: { readonly first: number; readonly end: number },
    candidates: DocBits,
    interrupt: SearchInterrupt,
  ) {
    this.#candidates = candidates;
    this.#interrupt = interrupt;
    this.#ranks = new Uint32Array(candidates.length + 1);
    for (let word = 0; word < candidates.length; word++) {
      this.#ranks[word + 1] = this.#ranks[word]! + popcount(candidates[word]!);
    }
    const occurrences = new OccurrenceList();
    for (let ordinal = first; ordinal < end; ordinal++) {
      interrupt.check();
      this.#collect(terms.postings(ordinal), occurrences);
    }
    const candidateCount = this.#ranks[candidates.length]!;
    this.#starts = new Uint32Array(candidateCount + 1);
    this.#positions = new Uint32Array(occurrences.length);
    this.#sort(occurrences);
  }

  moveTo(docId: DocId): void {
    const rank = this.#rankOf(docId);
    this.positions = this.#positions.subarray(this.#starts[rank], this.#starts[rank + 1]);
    this.length = this.positions.length;
  }

  /** The candidates at which at least one of the terms stands. */
  docs(): DocBits {
    const found = new Uint32Array(this.#candidates.length);
    let docId = nextSetBit(this.#candidates, 0);
    for (let rank = 0; docId >= 0; rank++) {
      if (this.#starts[rank + 1]! > this.#starts[rank]!) found[docId >>> 5]! |= 1 << (docId & 31);
      docId = nextSetBit(this.#candidates, docId + 1);
    }
    return found;
  }

  #rankOf(docId: DocId): number {
    const word = docId >>> 5;
    return this.#ranks[word]! + popcount(this.#candidates[word]! & ((1 << (docId & 31)) - 1));
  }

  #pace(steps: number): void {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = STEPS_PER_CHECK;
    this.#interrupt.check();
  }

  #collect(cursor: PostingCursor, occurrences: OccurrenceList): void {
    const candidates = this.#candidates;
    let scratch = new Uint32Array(16);
    let target = nextSetBit(candidates, 0);
    while (target >= 0) {
      const block = cursor.seekBlock(target);
      if (block >= cursor.blockCount) return;
      cursor.loadBlock(block);
      cursor.loadFreqs();
      this.#pace(cursor.length);
      for (let index = 0; index < cursor.length; index++) {
        const docId = cursor.docs[index]!;
        if (((candidates[docId >>> 5]! >>> (docId & 31)) & 1) === 0) continue;
        const freq = cursor.freqs[index]!;
        if (freq > scratch.length) scratch = new Uint32Array(freq * 2);
        const count = cursor.positions(index, scratch);
        this.#pace(count);
        const rank = this.#rankOf(docId);
        for (let i = 0; i < count; i++) occurrences.push(rank, scratch[i]!);
      }
      target = nextSetBit(candidates, cursor.lastDoc(block) + 1);
    }
  }

  /** Counting sort by candidate, then each candidate's positions. */
  #sort(occurrences: OccurrenceList): void {
    const { ranks, positions, length } = occurrences;
    const starts = this.#starts;
    for (let from = 0; from < length; from += STEPS_PER_CHECK) {
      const end = Math.min(from + STEPS_PER_CHECK, length);
      for (let i = from; i < end; i++) starts[ranks[i]! + 1]!++;
      this.#interrupt.check();
    }
    for (let rank = 1; rank < starts.length; rank++) starts[rank]! += starts[rank - 1]!;
    const next = starts.slice();
    for (let from = 0; from < length; from += STEPS_PER_CHECK) {
      const end = Math.min(from + STEPS_PER_CHECK, length);
      for (let i = from; i < end; i++) this.#positions[next[ranks[i]!]!++] = positions[i]!;
      this.#interrupt.check();
    }
    const pace = (steps: number): void => this.#pace(steps);
    for (let rank = 0; rank + 1 < starts.length; rank++) {
      const count = starts[rank + 1]! - starts[rank]!;
      if (count > 1) sortInSteps(this.#positions.subarray(starts[rank], starts[rank + 1]), pace);
    }
  }
}

/** A growing list of (candidate rank, position). */
class OccurrenceList {
  length = 0;
  ranks: Uint32Array = new Uint32Array(256);
  positions: Uint32Array = new Uint32Array(256);

  push(rank: number, position: number): void {
    if (this.length === this.ranks.length) {
      this.ranks = doubled(this.ranks);
      this.positions = doubled(this.positions);
    }
    this.ranks[this.length] = rank;
    this.positions[this.length] = position;
    this.length++;
  }
}

function doubled(array: Uint32Array): Uint32Array {
  const larger = new Uint32Array(array.length * 2);
  larger.set(array);
  return larger;
}
