import type { DocId } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { DocumentQueue } from "./first-documents.js";
import type { OrderKeys } from "./order-keys.js";

/** One key of an order, in one segment. */
export interface SegmentKey {
  /** Null for the score, and where no document of the segment has a value. */
  readonly keys: OrderKeys | null;
  readonly isScore: boolean;
  readonly descending: boolean;
}

const INITIAL_CAPACITY = 64;

/** Of a document without a value: behind every other. */
const NO_VALUE = 0xffff_ffff;

/**
 * Keeps the first k documents by several keys, each ascending or descending, documents without a value
 * last, ties by the next key, and in the end in insertion order. A binary heap with the last one on top
 * once k are kept, as `FirstDocuments`; every document has one place a key, 4 bytes each:
 *
 * ```
 * places  | key 0 | key 1 | key 0 | key 1 | …
 * docIds  |   document 0  |   document 1  | …
 * ```
 */
export class FirstDocumentsByKeys implements DocumentQueue {
  readonly #keys: readonly SegmentKey[];
  readonly #stride: number;
  readonly #limit: number;
  /** Which key is the score; -1 if none is. */
  readonly #scoreKey: number;
  #length = 0;
  #places: Uint32Array = new Uint32Array(0);
  #docIds: Uint32Array = new Uint32Array(0);
  /** Places of the document that is being put in. */
  readonly #candidate: Uint32Array;
  /** One number, as a float and as the bits that it is written with. */
  readonly #float: Float32Array = new Float32Array(1);
  readonly #bits: Uint32Array = new Uint32Array(this.#float.buffer);

  constructor(keys: readonly SegmentKey[], limit: number) {
    this.#keys = keys;
    this.#stride = keys.length;
    this.#limit = limit;
    this.#scoreKey = keys.findIndex(({ isScore }) => isScore);
    this.#candidate = new Uint32Array(keys.length);
    this.#grow(Math.min(limit, INITIAL_CAPACITY));
  }

  get length(): number {
    return this.#length;
  }

  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const offset = (word << 5) + lowestBit(rest);
        this.#offer(windowStart + offset, scores === null ? 1 : scores[offset]!);
        rest &= rest - 1;
      }
    }
  }

  collectAll(matches: DocBits): void {
    this.collect(0, matches, null);
  }

  sort(): void {
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
    if (this.#length === this.#docIds.length) this.#grow(Math.min(this.#limit, this.#length * 2));
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
