import { compareBytes } from "../../schema/compare-bytes.js";
import type { FacetNode } from "../search-types.js";
import type { FacetPaths, PathColumn } from "./facet-paths.js";

const NONE = -1;
/** Siblings up to this number are put in order by insertion, which beats a general sort of a few. */
const INSERTED_MAX = 24;

/** What one segment has at or under its paths. */
export interface PathCounts {
  /** Of the paths that have any, in any order. */
  readonly ordinals: ArrayLike<number>;
  /** Documents by ordinal. */
  readonly counts: Int32Array;
}

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
  add(column: PathColumn, { ordinals, counts: segmentCounts }: PathCounts): void {
    const numbers = this.#paths.numbersOf(column, ordinals);
    this.#reserve(this.#paths.count);
    const counts = this.#counts;
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i]!;
      const number = numbers[ordinal]! - 1;
      if (counts[number] === 0) this.#link(number, ordinal);
      counts[number]! += segmentCounts[ordinal]!;
    }
    this.#turn++;
  }

  nodes(): FacetNode[] {
    return this.#sorted(this.#lastRoot);
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

  /** The nodes of a list of siblings. Recursion is as deep as the longest path. */
  #sorted(last: number): FacetNode[] {
    const siblings: number[] = [];
    for (let number = last; number !== NONE; number = this.#previous[number]!) siblings.push(number);
    // They were added in about the order of their paths.
    siblings.reverse();
    if (siblings.length > INSERTED_MAX) siblings.sort((a, b) => this.#compare(a, b));
    else this.#insertionSort(siblings);
    const nodes: FacetNode[] = [];
    for (let i = 0; i < siblings.length; i++) {
      const number = siblings[i]!;
      const path = this.#paths.pathOf(number);
      const count = this.#counts[number]!;
      const child = this.#lastChild[number]!;
      nodes.push(child === NONE ? { path, count } : { path, count, children: this.#sorted(child) });
    }
    return nodes;
  }

  #insertionSort(numbers: number[]): void {
    const counts = this.#counts;
    for (let place = 1; place < numbers.length; place++) {
      const number = numbers[place]!;
      const count = counts[number]!;
      let hole = place;
      for (; hole > 0; hole--) {
        const other = numbers[hole - 1]!;
        if (counts[other]! > count) break;
        if (counts[other] === count && this.#compare(other, number) < 0) break;
        numbers[hole] = other;
      }
      numbers[hole] = number;
    }
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
