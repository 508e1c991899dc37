import { compareBytes } from "../../schema/compare-bytes.js";
import type { FacetPaths } from "./facet-paths.js";

const NONE = -1;
/** Counts are below, and places that go into a key with one: together they are exact in a double. */
const COUNT_LIMIT = 2 ** 31;
const PACKED_PLACES = 2 ** 21;
/** Siblings up to this number are put in order by their keys; more by a sort that no order of them makes slow. */
const PACKED_MAX = 1024;
/** Of Shell's method (Ciura 2001). */
const STEPS = [701, 301, 132, 57, 23, 10, 4, 1];
const ORDER_LEAST = 256;

/** What paths are told apart by whose counts are the same. */
export interface PathPlaces {
  /** By path's number: where it stands in the order of paths. */
  readonly places: Int32Array;
  /** By path's number; places compare where these are equal. Null: all do. */
  readonly turns: Int32Array | null;
}

/** Puts counted paths in order, without kernels: preorder, siblings by count descending, then by path. */
export class PathSorter {
  readonly #paths: FacetPaths;
  #counts = new Int32Array(0);
  #places: Int32Array = new Int32Array(0);
  #turns: Int32Array | null = null;
  /** Lists of those that are counted: the last child added, and the sibling added before. */
  #lastChild = new Int32Array(0);
  #previous = new Int32Array(0);
  /** Scratch: lists of siblings being put in order, those of a child behind its parent's; `#siblings` of them. */
  #order = new Int32Array(0);
  /** Of each of them, what comes first is the least: the greater count, then the lesser place. */
  #keys = new Float64Array(0);
  #siblings = 0;

  constructor(paths: FacetPaths) {
    this.#paths = paths;
  }

  /**
   * Three numbers for each path: its number, its count, and how many paths are above it.
   *
   * @param counted numbers of the paths, those above each among them
   * @param counts by path's number
   */
  entriesOf(counted: Int32Array, counts: Int32Array<ArrayBuffer>, { places, turns }: PathPlaces): number[] {
    this.#counts = counts;
    this.#places = places;
    this.#turns = turns;
    const entries = new Array<number>(3 * counted.length);
    this.#siblings = 0;
    this.#list(entries, 0, this.#link(counted), 0);
    return entries;
  }

  /** Returns the root that was added last. */
  #link(counted: Int32Array): number {
    if (this.#previous.length < this.#counts.length) {
      this.#lastChild = new Int32Array(this.#counts.length);
      this.#previous = new Int32Array(this.#counts.length);
    }
    const lastChild = this.#lastChild;
    const previous = this.#previous;
    let lastRoot = NONE;
    for (let i = 0; i < counted.length; i++) lastChild[counted[i]!] = NONE;
    for (let i = 0; i < counted.length; i++) {
      const number = counted[i]!;
      const parent = this.#paths.parentOf(number);
      if (parent < 0) {
        previous[number] = lastRoot;
        lastRoot = number;
      } else {
        previous[number] = lastChild[parent]!;
        lastChild[parent] = number;
      }
    }
    return lastRoot;
  }

  /**
   * Lists siblings, the last of which is given, each with all below it. Recursion is as deep as the longest path.
   *
   * @param at place of the first entry
   * @returns place behind the last one
   */
  #list(entries: number[], at: number, last: number, depth: number): number {
    const start = this.#siblings;
    let end = start;
    const turns = this.#turns;
    let isPacked = true;
    for (let number = last; number !== NONE; number = this.#previous[number]!) {
      if (end === this.#order.length) this.#growOrder();
      const place = this.#places[number]!;
      isPacked &&= place < PACKED_PLACES && (turns === null || turns[number] === turns[last]);
      this.#order[end] = number;
      this.#keys[end++] = (COUNT_LIMIT - this.#counts[number]!) * PACKED_PLACES + place;
    }
    this.#siblings = end;
    if (end - start < 2) {
      // In order.
    } else if (isPacked && end - start <= PACKED_MAX) this.#sortByKeys(start, end);
    else this.#order.subarray(start, end).sort((a, b) => this.#compare(a, b));
    for (let place = start; place < end; place++) {
      const number = this.#order[place]!;
      entries[at++] = number;
      entries[at++] = this.#counts[number]!;
      entries[at++] = depth;
      const child = this.#lastChild[number]!;
      if (child !== NONE) at = this.#list(entries, at, child, depth + 1);
    }
    this.#siblings = start;
    return at;
  }

  /** Ascending, by Shell's method: in place, without a call for two of them. */
  #sortByKeys(start: number, end: number): void {
    const keys = this.#keys;
    const order = this.#order;
    for (let step = 0; step < STEPS.length; step++) {
      const gap = STEPS[step]!;
      if (gap >= end - start) continue;
      for (let place = start + gap; place < end; place++) {
        const key = keys[place]!;
        const number = order[place]!;
        let hole = place;
        for (; hole >= start + gap && keys[hole - gap]! > key; hole -= gap) {
          keys[hole] = keys[hole - gap]!;
          order[hole] = order[hole - gap]!;
        }
        keys[hole] = key;
        order[hole] = number;
      }
    }
  }

  #growOrder(): void {
    const length = Math.max(ORDER_LEAST, 2 * this.#order.length);
    const order = new Int32Array(length);
    const keys = new Float64Array(length);
    order.set(this.#order);
    keys.set(this.#keys);
    this.#order = order;
    this.#keys = keys;
  }

  /** By count descending, then by path. */
  #compare(a: number, b: number): number {
    const difference = this.#counts[b]! - this.#counts[a]!;
    if (difference !== 0) return difference;
    if (this.#turns === null || this.#turns[a] === this.#turns[b]) return this.#places[a]! - this.#places[b]!;
    return compareBytes(this.#paths.bytesOf(a), this.#paths.bytesOf(b));
  }
}
