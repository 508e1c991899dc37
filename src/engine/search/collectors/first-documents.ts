import { nextSetBit, testBit } from "../../bytes/bitset.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { OrderKeys } from "./order-keys.js";

/** One key of an order, in one segment. */
export interface SegmentKey {
  /** Null for the score, and where no document of the segment has a value. */
  readonly keys: OrderKeys | null;
  readonly isScore: boolean;
  readonly descending: boolean;
}

const INITIAL_CAPACITY = 64;
/** Typed arrays cost more to make than many searches. */
const NONE = new Uint32Array(0);
/** The rank of a document without a value: behind every other. */
const NO_VALUE = 0xffff_ffff;
/** Matches whose ranks are compared in the time of a step of walking the values in order. */
const RANKS_PER_STEP = 2;

/**
 * Keeps the first k documents of one segment by keys, each ascending or descending, documents without a value last, ties
 * by the next key, and in the end in insertion order. Once k are kept they are a binary heap with the last one on top;
 * `sort` puts them in order. Every document has one place a key, 4 bytes each:
 *
 * ```
 * places  | key 0 | key 1 | key 0 | key 1 | …
 * docIds  |   document 0  |   document 1  | …
 * ```
 */
export class FirstDocuments {
  readonly #keys: readonly SegmentKey[];
  readonly #stride: number;
  readonly #limit: number;
  /** Which key is the score; -1 if none is. */
  readonly #scoreKey: number;
  /** Whether the documents came in order, and without their places. */
  #isSorted = false;
  #length = 0;
  #places: Uint32Array = NONE;
  #docIds: Uint32Array = NONE;
  /** Places of the document that is being put in. */
  readonly #candidate: number[];
  /** One number, as a float and as the bits that it is written with; of orders by score. */
  readonly #float: Float32Array;
  readonly #bits: Uint32Array;

  /** @param keys at least one */
  constructor(keys: readonly SegmentKey[], limit: number) {
    this.#keys = keys;
    this.#stride = keys.length;
    this.#limit = limit;
    this.#scoreKey = keys.findIndex(({ isScore }) => isScore);
    this.#candidate = keys.map(() => 0);
    this.#bits = this.#scoreKey < 0 ? NONE : new Uint32Array(1);
    this.#float = new Float32Array(this.#bits.buffer);
  }

  /** Documents kept. */
  get length(): number {
    return this.#length;
  }

  /** Takes a window's matches; windows ascend from call to call. Not to be called after `sort`. */
  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        this.#offer(windowStart + offset, scores === null ? 1 : scores[offset]!);
      }
    }
  }

  /**
   * Takes all matches of the segment at once, where scores don't matter: by walking the values in order, or one match
   * after the other.
   *
   * @param count of the matches
   */
  collectAll(matches: DocBits, count: number): void {
    const ranks = this.#stride > 1 ? undefined : this.#keys[0]!.keys?.ranks;
    const docIds = this.#walked(matches, count, ranks === undefined ? count : count / RANKS_PER_STEP);
    if (docIds === null) {
      if (ranks === undefined) this.collect(0, matches, null);
      else this.#collectByRanks(matches, ranks);
      return;
    }
    this.#docIds = docIds;
    this.#length = docIds.length;
    this.#isSorted = true;
  }

  /** Looks at no more than its rank of a document that is behind the last one, as most are. */
  #collectByRanks(matches: DocBits, ranks: Uint8Array | Uint16Array | Uint32Array): void {
    if (this.#limit === 0) return;
    const { descending } = this.#keys[0]!;
    let least = 0;
    let most = NO_VALUE;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const docId = (word << 5) + lowestBit(rest);
        const rank = ranks[docId]!;
        if (rank < least || rank > most) continue;
        this.#offer(docId, 1);
        if (this.#length < this.#limit) continue;
        const last = this.#places[0]!;
        if (last === NO_VALUE) continue;
        least = descending ? NO_VALUE - 1 - last : 1;
        if (!descending) most = last;
      }
    }
  }

  /**
   * The first matches by walking all documents in order, where the matches are so many that they are expected soon;
   * null: they aren't, or are too far behind. A filter by what the order is by may leave the last ones only, so that
   * what is expected says nothing. A walk is given up when it has taken as long as going through the matches does: then
   * both take twice as long as the better one would have.
   *
   * @param stepsMax documents that are passed at most
   */
  #walked(matches: DocBits, count: number, stepsMax: number): Uint32Array | null {
    const { keys, descending } = this.#keys[0]!;
    const inverted = keys?.inverted;
    if (this.#stride > 1 || inverted === undefined) return null;
    if ((this.#limit * matches.length * 32) / count > stepsMax) return null;
    const { valueCount, docStarts, docs } = inverted;
    const first = new Uint32Array(Math.min(this.#limit, count));
    let found = 0;
    let left = stepsMax;
    for (let step = 0; step < valueCount && found < first.length; step++) {
      const ordinal = descending ? valueCount - 1 - step : step;
      const end = docStarts[ordinal + 1]!;
      for (let entry = docStarts[ordinal]!; entry < end && found < first.length; entry++) {
        if (left-- <= 0) return null;
        if (testBit(matches, docs[entry]!)) first[found++] = docs[entry]!;
      }
    }
    // The rest has no value.
    for (let docId = 0; found < first.length; docId++) {
      docId = nextSetBit(matches, docId);
      if (keys!.rankOf(docId) === 0) first[found++] = docId;
    }
    return first;
  }

  /** First one first, in place. */
  sort(): void {
    if (this.#isSorted) return;
    if (this.#length < this.#limit) this.#makeHeap();
    for (let end = this.#length - 1; end > 0; end--) {
      const docId = this.#take(end);
      this.#move(0, end);
      this.#sink(0, end, docId);
    }
  }

  docIdAt(place: number): DocId {
    return this.#docIds[place]!;
  }

  /** 1 where the order doesn't depend on it. */
  scoreAt(place: number): number {
    if (this.#scoreKey < 0) return 1;
    const bits = this.#places[place * this.#stride + this.#scoreKey]!;
    this.#bits[0] = this.#keys[this.#scoreKey]!.descending ? ~bits : bits;
    return this.#float[0]!;
  }

  #offer(docId: DocId, score: number): void {
    const candidate = this.#candidate;
    const first = this.#placeOf(0, docId, score);
    const isFull = this.#length === this.#limit;
    // Most documents are far behind the last one, which their first key tells.
    if (isFull && first > this.#places[0]!) return;
    candidate[0] = first;
    for (let key = 1; key < candidate.length; key++) candidate[key] = this.#placeOf(key, docId, score);
    if (!isFull) this.#append(docId);
    else if (!this.#isAfter(docId, 0)) this.#sink(0, this.#length, docId);
  }

  #placeOf(key: number, docId: DocId, score: number): number {
    const { keys, isScore, descending } = this.#keys[key]!;
    if (isScore) {
      // The bits of floats that aren't negative are in the order of the numbers.
      this.#float[0] = score;
      return descending ? ~this.#bits[0]! >>> 0 : this.#bits[0]!;
    }
    const rank = keys === null ? 0 : keys.rankOf(docId);
    if (rank === 0) return NO_VALUE;
    return descending ? NO_VALUE - 1 - rank : rank;
  }

  #append(docId: DocId): void {
    if (this.#length === this.#docIds.length)
      this.#grow(Math.min(this.#limit, Math.max(INITIAL_CAPACITY, this.#length * 2)));
    this.#set(this.#length++, docId);
    if (this.#length === this.#limit) this.#makeHeap();
  }

  #makeHeap(): void {
    for (let hole = (this.#length >>> 1) - 1; hole >= 0; hole--) {
      const docId = this.#take(hole);
      this.#sink(hole, this.#length, docId);
    }
  }

  /** Lets the candidate sink from a hole to where it belongs in the heap of the first `length` documents. */
  #sink(from: number, length: number, docId: DocId): void {
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isAfterAt(child + 1, child)) child++;
      if (this.#isAfter(docId, child)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#set(hole, docId);
  }

  /** Whether the candidate comes after the document at a place of the heap. */
  #isAfter(docId: DocId, heapIndex: number): boolean {
    const candidate = this.#candidate;
    const start = heapIndex * this.#stride;
    for (let key = 0; key < candidate.length; key++) {
      const place = candidate[key]!;
      const other = this.#places[start + key]!;
      if (place !== other) return place > other;
    }
    return docId > this.#docIds[heapIndex]!;
  }

  #isAfterAt(heapIndex: number, otherIndex: number): boolean {
    const start = heapIndex * this.#stride;
    const otherStart = otherIndex * this.#stride;
    for (let key = 0; key < this.#stride; key++) {
      const place = this.#places[start + key]!;
      const other = this.#places[otherStart + key]!;
      if (place !== other) return place > other;
    }
    return this.#docIds[heapIndex]! > this.#docIds[otherIndex]!;
  }

  /** Makes the document at a place the candidate. */
  #take(heapIndex: number): DocId {
    const start = heapIndex * this.#stride;
    for (let key = 0; key < this.#stride; key++) this.#candidate[key] = this.#places[start + key]!;
    return this.#docIds[heapIndex]!;
  }

  #set(heapIndex: number, docId: DocId): void {
    const start = heapIndex * this.#stride;
    for (let key = 0; key < this.#stride; key++) this.#places[start + key] = this.#candidate[key]!;
    this.#docIds[heapIndex] = docId;
  }

  #move(from: number, to: number): void {
    const start = from * this.#stride;
    const target = to * this.#stride;
    for (let key = 0; key < this.#stride; key++) this.#places[target + key] = this.#places[start + key]!;
    this.#docIds[to] = this.#docIds[from]!;
  }

  #grow(capacity: number): void {
    const places = new Uint32Array(capacity * this.#stride);
    const docIds = new Uint32Array(capacity);
    places.set(this.#places);
    docIds.set(this.#docIds);
    this.#places = places;
    this.#docIds = docIds;
  }
}
