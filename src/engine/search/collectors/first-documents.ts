import type { DocId } from "../../schema/document.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import { lowestBit } from "../evaluators/window-bits.js";
import type { OrderKeys } from "./order-keys.js";

const INITIAL_CAPACITY = 64;

/**
 * Keeps the first k documents of one segment by the rank of their value, ascending or descending,
 * documents without a value last, ties in insertion order. A binary heap with the last one on top.
 */
export class FirstDocuments {
  readonly #keys: OrderKeys | null;
  readonly #descending: boolean;
  readonly #limit: number;
  #length = 0;
  /** What the order is by: 0xffffffff without a value. */
  #places: Uint32Array = new Uint32Array(0);
  #docIds: Uint32Array = new Uint32Array(0);

  /** @param keys null if no document of the segment has a value */
  constructor(keys: OrderKeys | null, descending: boolean, limit: number) {
    this.#keys = keys;
    this.#descending = descending;
    this.#limit = limit;
    this.#grow(Math.min(limit, INITIAL_CAPACITY));
  }

  /** Takes a window's matches; windows ascend from call to call. */
  collect(windowStart: DocId, matches: WindowBits): void {
    if (this.#limit === 0) return;
    for (let word = 0; word < matches.length; word++) {
      let rest = matches[word]!;
      while (rest !== 0) {
        const docId = windowStart + (word << 5) + lowestBit(rest);
        const place = this.#placeOf(docId);
        if (this.#length < this.#limit) this.#push(place, docId);
        else if (place < this.#places[0]!) this.#replaceLast(place, docId);
        rest &= rest - 1;
      }
    }
  }

  /** What was kept, first one first. */
  sorted(): DocId[] {
    const order = Array.from({ length: this.#length }, (_, i) => i);
    order.sort((a, b) => this.#places[a]! - this.#places[b]! || this.#docIds[a]! - this.#docIds[b]!);
    return order.map((i) => this.#docIds[i]!);
  }

  #placeOf(docId: DocId): number {
    const rank = this.#keys === null ? 0 : this.#keys.rankOf(docId);
    if (rank === 0) return 0xffff_ffff;
    return this.#descending ? 0xffff_fffe - rank : rank;
  }

  #push(place: number, docId: DocId): void {
    if (this.#length === this.#places.length) this.#grow(Math.min(this.#limit, this.#length * 2));
    let hole = this.#length++;
    while (hole > 0) {
      const parent = (hole - 1) >>> 1;
      if (!this.#isAfter(place, docId, parent)) break;
      this.#places[hole] = this.#places[parent]!;
      this.#docIds[hole] = this.#docIds[parent]!;
      hole = parent;
    }
    this.#places[hole] = place;
    this.#docIds[hole] = docId;
  }

  #replaceLast(place: number, docId: DocId): void {
    const length = this.#length;
    let hole = 0;
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
