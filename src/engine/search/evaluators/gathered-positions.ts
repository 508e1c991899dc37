import type { DocId } from "../../schema/document.js";
import type { FieldTerms, PostingCursor } from "../../segment/segment-reader.js";
import type { CandidateStretch } from "./candidate-stretch.js";
import { WINDOW_SIZE } from "./evaluator.js";
import type { HeldRoom } from "./held-room.js";
import type { OccurrenceList } from "./occurrence-list.js";
import type { PositionSource } from "./position-sources.js";
import { sortInSteps } from "./sort-in-steps.js";
import { GATHERING_BUFFER, type WindowPool } from "./window-pool.js";

/** Postings and positions gone through between two looks at the clock. */
const STEPS_PER_CHECK = 1 << 16;

/** Occurrences that are gathered at once, where there is room for them, and where there is none. */
const OCCURRENCES_MAX = 1 << 20;
const OCCURRENCES_LEAST = 1 << 13;

/** An occurrence's position, and where its document's begin. */
const BYTES_PER_OCCURRENCE = 8;

/** Positions of one document that are sorted one by one: a typed array's own sorting takes longer to begin. */
const SORTED_ONE_BY_ONE = 24;

const NONE: Uint32Array = new Uint32Array(0);

/**
 * Positions of any of a range of terms, gathered for as many of the candidate documents at a time as have a bounded
 * number of occurrences together: the terms are walked once if that is all of them.
 */
export class GatheredPositions implements PositionSource {
  positions: Uint32Array = NONE;
  length = 0;
  readonly #terms: FieldTerms;
  readonly #range: { readonly first: number; readonly end: number };
  readonly #candidates: CandidateStretch;
  readonly #pool: WindowPool;
  readonly #room: HeldRoom;
  /** Documents that positions are gathered for, from the first to before the end, all candidates of one stretch. */
  #firstDoc: DocId = 0;
  #endDoc: DocId = 0;
  /** Where among the candidates the first document is. */
  #firstRank = 0;
  /** By candidate: where its positions start; one entry more than there are candidates. */
  #starts: Uint32Array = NONE;
  #gathered: Uint32Array = NONE;
  #heldBytes = 0;
  /** Candidates that are likely to have no more occurrences than can be gathered at once. */
  #likelyMax = Number.POSITIVE_INFINITY;
  /** Steps until the interrupt is asked next. */
  #left = STEPS_PER_CHECK;

  /** @param range of the terms' ordinals */
  constructor(
    terms: FieldTerms,
    range: { readonly first: number; readonly end: number },
    candidates: CandidateStretch,
    pool: WindowPool,
  ) {
    this.#terms = terms;
    this.#range = range;
    this.#candidates = candidates;
    this.#pool = pool;
    this.#room = pool.room;
  }

  /**
   * @param docId a candidate of the stretch; none of the terms may stand there
   * @throws FindlingError `search_timeout`
   */
  moveTo(docId: DocId): void {
    if (docId >= this.#endDoc) this.#gather(docId);
    const at = this.#candidates.rankOf(docId) - this.#firstRank;
    const start = this.#starts[at]!;
    const end = this.#starts[at + 1]!;
    this.length = end - start;
    if (end > start) this.positions = this.#gathered.subarray(start, end);
  }

  endWindow(windowStart: DocId): void {
    const windowEnd = windowStart + WINDOW_SIZE;
    if (this.#heldBytes === 0 || this.#endDoc <= windowEnd) this.#letGo();
    this.#candidates.endWindow(windowStart);
  }

  release(): void {
    this.#letGo();
    this.#candidates.release();
  }

  #letGo(): void {
    this.#room.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
    this.#endDoc = 0;
    this.#starts = NONE;
    this.#gathered = NONE;
    this.positions = NONE;
  }

  #pace(steps: number): void {
    this.#left -= steps;
    if (this.#left > 0) return;
    this.#left = STEPS_PER_CHECK;
    this.#pool.interrupt.check();
  }

  /** @param docId the first document */
  #gather(docId: DocId): void {
    this.#letGo();
    const candidates = this.#candidates;
    const share = this.#room.share;
    const occurrencesMax = Math.max(
      OCCURRENCES_LEAST,
      Math.min(OCCURRENCES_MAX, Math.floor(share / BYTES_PER_OCCURRENCE)),
    );
    this.#firstDoc = docId;
    this.#firstRank = candidates.rankOf(docId);
    const rest = candidates.count - this.#firstRank;
    const occurrences = this.#pool.occurrences;
    const wanted = Math.min(rest, occurrencesMax, this.#likelyMax);
    occurrences.begin(wanted, occurrencesMax);
    this.#endDoc = candidates.docAt(this.#firstRank + occurrences.end);
    for (let ordinal = this.#range.first; ordinal < this.#range.end; ordinal++) {
      this.#pool.interrupt.check();
      this.#collect(this.#terms.postings(ordinal), occurrences);
    }
    this.#sort(occurrences);
    this.#likelyMax = occurrences.length > occurrencesMax / 2 ? occurrences.end : 4 * wanted;
    occurrences.clear();
    const bytes = (this.#starts.length + this.#gathered.length) * Uint32Array.BYTES_PER_ELEMENT;
    if (bytes > share) return;
    this.#heldBytes = bytes;
    this.#room.take(bytes);
  }

  #collect(cursor: PostingCursor, occurrences: OccurrenceList): void {
    const candidates = this.#candidates;
    let target = this.#firstDoc;
    while (target >= 0 && target < this.#endDoc) {
      const block = cursor.seekBlock(target);
      if (block >= cursor.blockCount) return;
      cursor.loadBlock(block);
      cursor.loadFreqs();
      this.#pace(cursor.length);
      const { docs, freqs, length } = cursor;
      for (let index = 0; index < length; index++) {
        const docId = docs[index]!;
        if (docId < this.#firstDoc) continue;
        if (docId >= this.#endDoc) return;
        if (!candidates.has(docId)) continue;
        const freq = freqs[index]!;
        const positions = this.#pool.positionBuffer(GATHERING_BUFFER, freq);
        const count = cursor.positions(index, positions);
        this.#pace(count);
        this.#add(candidates.rankOf(docId) - this.#firstRank, positions, count, occurrences);
      }
      const next = cursor.lastDoc(block) + 1;
      target = next < this.#endDoc ? candidates.nextCandidate(next) : -1;
    }
  }

  #add(rank: number, positions: Uint32Array, count: number, occurrences: OccurrenceList): void {
    const { end, length } = occurrences;
    occurrences.add(rank, positions, count);
    if (occurrences.end === end) return;
    this.#pace(length);
    this.#endDoc = this.#candidates.docAt(this.#firstRank + occurrences.end);
  }

  /** Counting sort by candidate, then each candidate's positions. */
  #sort({ ranks, positions, length, end: candidateCount }: OccurrenceList): void {
    const { interrupt } = this.#pool;
    const starts = new Uint32Array(candidateCount + 1);
    for (let from = 0; from < length; from += STEPS_PER_CHECK) {
      const end = Math.min(from + STEPS_PER_CHECK, length);
      for (let i = from; i < end; i++) starts[ranks[i]! + 1]!++;
      interrupt.check();
    }
    for (let rank = 1; rank < starts.length; rank++) starts[rank]! += starts[rank - 1]!;
    const sorted = new Uint32Array(length);
    const next = starts.slice();
    for (let from = 0; from < length; from += STEPS_PER_CHECK) {
      const end = Math.min(from + STEPS_PER_CHECK, length);
      for (let i = from; i < end; i++) sorted[next[ranks[i]!]!++] = positions[i]!;
      interrupt.check();
    }
    const pace = (steps: number): void => this.#pace(steps);
    for (let rank = 0; rank < candidateCount; rank++) {
      const start = starts[rank]!;
      const end = starts[rank + 1]!;
      if (end - start > SORTED_ONE_BY_ONE) sortInSteps(sorted.subarray(start, end), pace);
      else sortOneByOne(sorted, start, end);
    }
    this.#starts = starts;
    this.#gathered = sorted;
  }
}

/** Insertion sort of some entries, which takes a step for each if they are in order. */
function sortOneByOne(numbers: Uint32Array, start: number, end: number): void {
  for (let at = start + 1; at < end; at++) {
    const number = numbers[at]!;
    let to = at;
    for (; to > start && numbers[to - 1]! > number; to--) numbers[to] = numbers[to - 1]!;
    numbers[to] = number;
  }
}
