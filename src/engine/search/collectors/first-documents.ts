import { nextSetBit, testBit } from "../../bytes/bitset.js";
import { imageMemoryOf } from "../../kernels/image-memory.js";
import type { NumberOrder, SegmentKernels } from "../../kernels/segment-kernels.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { OrderKeys } from "./order-keys.js";

const INITIAL_CAPACITY = 64;
/** Typed arrays cost more to make than many searches. */
const NONE = new Uint32Array(0);
/** Documents up to which kernels put them in order: they move those behind one by one. */
const KERNEL_LIMIT_MAX = 64;
/** Matches that kernels take in the time of a step of walking the values in order. */
const KERNEL_ADVANTAGE = 4;

/** Keeps the first documents of one segment in some order, ties in insertion order. */
export interface DocumentQueue {
  /** Documents kept. */
  readonly length: number;
  /** Takes a window's matches; windows ascend from call to call. Not to be called after `sort`. */
  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void;
  /** Takes all matches of the segment at once, where scores don't matter. @param kernels what has them in its memory */
  collectAll(matches: DocBits, count: number, kernels: SegmentKernels): void;
  /** First one first, in place. */
  sort(): void;
  docIdAt(place: number): DocId;
  /** 1 where the order doesn't depend on it. */
  scoreAt(place: number): number;
}

/**
 * Keeps the first k documents by the rank of their value, ascending or descending, documents without a
 * value last, ties in insertion order; 8 bytes each. Once k are kept they are a binary heap with the
 * last one on top; `sort` puts them in order.
 */
export class FirstDocuments implements DocumentQueue {
  readonly #keys: OrderKeys | null;
  readonly #descending: boolean;
  readonly #limit: number;
  #length = 0;
  /** Whether kernels have put the documents in order, whose places aren't here. */
  #isSorted = false;
  /** What the order is by: 0xffffffff without a value. */
  #places: Uint32Array = NONE;
  #docIds: Uint32Array = NONE;

  /** @param keys null if no document of the segment has a value */
  constructor(keys: OrderKeys | null, descending: boolean, limit: number) {
    this.#keys = keys;
    this.#descending = descending;
    this.#limit = limit;
  }

  get length(): number {
    return this.#length;
  }

  collect(windowStart: DocId, matches: WindowBits): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const docId = windowStart + (word << 5) + lowestBit(rest);
        const place = this.#placeOf(docId);
        if (this.#length < this.#limit) this.#append(place, docId);
        else if (place < this.#places[0]!) this.#sink(0, this.#length, place, docId);
        rest &= rest - 1;
      }
    }
  }

  /** The order for kernels; null where they don't help. */
  get #numberOrder(): NumberOrder | null {
    const numbers = this.#keys?.ranks;
    if (numbers === undefined || this.#limit === 0 || this.#limit > KERNEL_LIMIT_MAX) return null;
    // A segment has but one kernel memory.
    if (imageMemoryOf(numbers) === null) return null;
    return { numbers, descending: this.#descending, limit: this.#limit };
  }

  /**
   * Whether so many matches are so many that the first ones are expected to be found by walking the values in order
   * sooner than all are taken one by one.
   *
   * @param maxDoc doc ids issued in the segment
   */
  #walksFor(count: number, maxDoc: number, inKernels: boolean): boolean {
    const expected = (this.#limit * maxDoc) / count;
    return this.#keys?.inverted !== undefined && expected <= stepsFor(count, inKernels);
  }

  /**
   * Takes all matches of the segment at once: by walking the values in order, or one match after the other.
   *
   * @param count of the matches
   */
  collectAll(matches: DocBits, count: number, kernels: SegmentKernels): void {
    const order = this.#numberOrder;
    const inKernels = order !== null;
    if (
      this.#walksFor(count, matches.length * 32, inKernels) &&
      this.#walk(this.#keys!.inverted!, matches, count, stepsFor(count, inKernels))
    )
      return;
    if (order !== null) {
      this.#takeFirst(kernels.firstByNumbers(matches, order));
    } else {
      this.collect(0, matches);
    }
  }

  /** Takes what kernels have found: all documents that are to be kept, in order. */
  #takeFirst(docIds: Uint32Array): void {
    this.#docIds = docIds;
    this.#length = docIds.length;
    this.#isSorted = true;
  }

  /**
   * Takes the first matches by walking all documents in order; false: they are too far behind, and none is taken.
   * A filter by what the order is by may leave the last ones only, so that what is expected says nothing. A walk is
   * given up when it has taken as long as going through the matches does: then both take twice as long as the
   * better one would have.
   *
   * @param stepsMax documents that are passed at most
   */
  #walk(
    inverted: NonNullable<OrderKeys["inverted"]>,
    matches: DocBits,
    count: number,
    stepsMax: number,
  ): boolean {
    const { valueCount, docStarts, docs } = inverted;
    const wanted = Math.min(this.#limit, count);
    let left = stepsMax;
    for (let step = 0; step < valueCount && this.#length < wanted; step++) {
      const ordinal = this.#descending ? valueCount - 1 - step : step;
      const place = this.#descending ? 0xffff_fffe - (ordinal + 1) : ordinal + 1;
      const end = docStarts[ordinal + 1]!;
      for (let entry = docStarts[ordinal]!; entry < end && this.#length < wanted; entry++) {
        if (left-- <= 0) {
          this.#length = 0;
          return false;
        }
        if (testBit(matches, docs[entry]!)) this.#append(place, docs[entry]!);
      }
    }
    // The rest has no value.
    for (let docId = 0; this.#length < wanted; docId++) {
      docId = nextSetBit(matches, docId);
      if (this.#placeOf(docId) === 0xffff_ffff) this.#append(0xffff_ffff, docId);
    }
    return true;
  }

  sort(): void {
    if (this.#isSorted) return;
    if (this.#length < this.#limit) this.#makeHeap();
    for (let end = this.#length - 1; end > 0; end--) {
      const place = this.#places[end]!;
      const docId = this.#docIds[end]!;
      this.#places[end] = this.#places[0]!;
      this.#docIds[end] = this.#docIds[0]!;
      this.#sink(0, end, place, docId);
    }
  }

  docIdAt(place: number): DocId {
    return this.#docIds[place]!;
  }

  scoreAt(): number {
    return 1;
  }

  #placeOf(docId: DocId): number {
    const rank = this.#keys === null ? 0 : this.#keys.rankOf(docId);
    if (rank === 0) return 0xffff_ffff;
    return this.#descending ? 0xffff_fffe - rank : rank;
  }

  #append(place: number, docId: DocId): void {
    if (this.#length === this.#places.length)
      this.#grow(Math.min(this.#limit, Math.max(INITIAL_CAPACITY, this.#length * 2)));
    this.#places[this.#length] = place;
    this.#docIds[this.#length++] = docId;
    if (this.#length === this.#limit) this.#makeHeap();
  }

  #makeHeap(): void {
    for (let hole = (this.#length >>> 1) - 1; hole >= 0; hole--) {
      this.#sink(hole, this.#length, this.#places[hole]!, this.#docIds[hole]!);
    }
  }

  /** Lets a document sink from a hole to where it belongs in the heap of the first `length` ones. */
  #sink(from: number, length: number, place: number, docId: DocId): void {
    let hole = from;
    for (;;) {
      let child = 2 * hole + 1;
      if (child >= length) break;
      if (child + 1 < length && this.#isAfter(this.#places[child + 1]!, this.#docIds[child + 1]!, child))
        child++;
      if (this.#isAfter(place, docId, child)) break;
      this.#places[hole] = this.#places[child]!;
      this.#docIds[hole] = this.#docIds[child]!;
      hole = child;
    }
    this.#places[hole] = place;
    this.#docIds[hole] = docId;
  }

  #isAfter(place: number, docId: DocId, heapIndex: number): boolean {
    const other = this.#places[heapIndex]!;
    return place !== other ? place > other : docId > this.#docIds[heapIndex]!;
  }

  #grow(capacity: number): void {
    const places = new Uint32Array(capacity);
    const docIds = new Uint32Array(capacity);
    places.set(this.#places);
    docIds.set(this.#docIds);
    this.#places = places;
    this.#docIds = docIds;
  }
}

/** Documents that are passed in order in the time that so many matches are taken in. */
function stepsFor(count: number, inKernels: boolean): number {
  return inKernels ? count / KERNEL_ADVANTAGE : count;
}
