import type { KernelFunctions } from "../../kernels/kernel-functions.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { FacetCounts } from "../search-types.js";
import type { FacetPaths, PathColumn } from "./facet-paths.js";
import type { PathCounts } from "./path-counts.js";

const NONE = -1;
/** Counts are below, and ordinals that go into a key with one: together they are exact in a double. */
const COUNT_LIMIT = 2 ** 31;
const PACKED_ORDINALS = 2 ** 21;
/** Siblings up to this number are put in order by their keys; more by a sort that no order of them makes slow. */
const PACKED_MAX = 1024;
/** Of Shell's method (Ciura 2001). */
const STEPS = [701, 301, 132, 57, 23, 10, 4, 1];
const ORDER_LEAST = 256;

/**
 * Adds up the facet counts of several segments by path. Serves one search after the other, so that a search
 * takes time for the paths that it counts, not for all that there are.
 */
export class FacetTree {
  readonly #paths: FacetPaths;
  /** By path's number: documents at or under it. 0 where `#counted` doesn't name it. */
  #counts = new Int32Array(0);
  /** Lists of those that are counted: the last child added, and the sibling added before. */
  #lastChild = new Int32Array(0);
  #previous = new Int32Array(0);
  /** The first segment that has counted the path, by its turn, and its ordinal there. */
  #turns = new Int32Array(0);
  #ordinals = new Int32Array(0);
  #lastRoot = NONE;
  readonly #counted: number[] = [];
  #turn = 0;
  /** Scratch: lists of siblings being put in order, those of a child behind its parent's; `#siblings` of them. */
  #order = new Int32Array(0);
  /** Of each of them, what comes first is the least: the greater count, then the lesser ordinal. */
  #keys = new Float64Array(0);
  #siblings = 0;

  constructor(paths: FacetPaths) {
    this.#paths = paths;
  }

  /** Forgets what has been counted, if it was read or not. */
  begin(): void {
    const counted = this.#counted;
    for (let i = 0; i < counted.length; i++) {
      this.#counts[counted[i]!] = 0;
      this.#lastChild[counted[i]!] = NONE;
    }
    counted.length = 0;
    this.#lastRoot = NONE;
    this.#turn = 0;
  }

  /** Of each path that it counts it counts those above, too. */
  add(column: PathColumn, counted: PathCounts): void {
    const { ordinals, ordinalsStart, length, counts: segmentCounts } = counted;
    const numbers = this.#paths.numbersOf(column, counted);
    this.#reserve(this.#paths.count);
    const counts = this.#counts;
    for (let i = ordinalsStart; i < ordinalsStart + length; i++) {
      const ordinal = ordinals[i]!;
      const number = numbers[ordinal]! - 1;
      if (counts[number] === 0) this.#link(number, ordinal);
      counts[number]! += segmentCounts[ordinal]!;
    }
    this.#turn++;
  }

  facetCounts(): FacetCounts {
    const entries = new Array<number>(3 * this.#counted.length);
    this.#siblings = 0;
    this.#list(entries, 0, this.#lastRoot, 0);
    return { paths: this.#paths, entries };
  }

  /**
   * What `add` and `facetCounts` would give of one segment alone, ordered by kernels; null where they can't. What was
   * added before doesn't matter, and stays.
   */
  countsOf(column: PathColumn, counted: PathCounts, functions: KernelFunctions): FacetCounts | null {
    const { room, length } = counted;
    if (room === null || !room.order(functions, length, column.facetParents!.byteOffset)) return null;
    const numbers = this.#paths.numbersOf(column, counted);
    const { words, entriesStart } = room;
    const entries = new Array<number>(3 * length);
    for (let at = 0; at < 3 * length; at += 3) {
      entries[at] = numbers[words[entriesStart + at]!]! - 1;
      entries[at + 1] = words[entriesStart + at + 1]!;
      entries[at + 2] = words[entriesStart + at + 2]!;
    }
    return { paths: this.#paths, entries };
  }

  #link(number: number, ordinal: number): void {
    this.#counted.push(number);
    this.#turns[number] = this.#turn;
    this.#ordinals[number] = ordinal;
    const parent = this.#paths.parentOf(number);
    if (parent < 0) {
      this.#previous[number] = this.#lastRoot;
      this.#lastRoot = number;
    } else {
      this.#previous[number] = this.#lastChild[parent]!;
      this.#lastChild[parent] = number;
    }
  }

  #reserve(size: number): void {
    if (this.#counts.length >= size) return;
    const length = Math.max(size, 2 * this.#counts.length);
    this.#counts = grown(this.#counts, length, 0);
    this.#lastChild = grown(this.#lastChild, length, NONE);
    this.#previous = grown(this.#previous, length, NONE);
    this.#turns = grown(this.#turns, length, 0);
    this.#ordinals = grown(this.#ordinals, length, 0);
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
    const turn = last === NONE ? 0 : this.#turns[last]!;
    let isPacked = true;
    for (let number = last; number !== NONE; number = this.#previous[number]!) {
      if (end === this.#order.length) this.#growOrder();
      const ordinal = this.#ordinals[number]!;
      isPacked &&= ordinal < PACKED_ORDINALS && this.#turns[number] === turn;
      this.#order[end] = number;
      this.#keys[end++] = (COUNT_LIMIT - this.#counts[number]!) * PACKED_ORDINALS + ordinal;
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
    this.#order = grown(this.#order, length, 0);
    const keys = new Float64Array(length);
    keys.set(this.#keys);
    this.#keys = keys;
  }

  /** By count descending, then by path. */
  #compare(a: number, b: number): number {
    const difference = this.#counts[b]! - this.#counts[a]!;
    if (difference !== 0) return difference;
    // A segment's ordinals are in the order of its paths.
    if (this.#turns[a] === this.#turns[b]) return this.#ordinals[a]! - this.#ordinals[b]!;
    return compareBytes(this.#paths.bytesOf(a), this.#paths.bytesOf(b));
  }
}

function grown(values: Int32Array<ArrayBuffer>, size: number, filling: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(values);
  if (filling !== 0) larger.fill(filling, values.length);
  return larger;
}
