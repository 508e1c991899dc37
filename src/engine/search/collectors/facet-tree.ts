import { compareBytes } from "../../schema/compare-bytes.js";
import type { OrdinalColumn } from "../../segment/segment-reader.js";
import type { FacetNode } from "../search-types.js";
import type { FacetPaths } from "./facet-paths.js";

const NONE = -1;
/** Siblings up to this number are put in order by insertion, which beats a general sort of a few. */
const INSERTED_MAX = 24;

/** Adds up the facet counts of several segments by path. */
export class FacetTree {
  readonly #paths: FacetPaths;
  /** By path's number: documents at or under it. */
  #counts = new Int32Array(0);
  /** Lists of those that are counted: the last child added, and the sibling added before. */
  #lastChild = new Int32Array(0);
  #previous = new Int32Array(0);
  #lastRoot = NONE;

  constructor(paths: FacetPaths) {
    this.#paths = paths;
  }

  /** @param totals documents at or under each path, by ordinal */
  add(column: OrdinalColumn, totals: Int32Array): void {
    const numbers = this.#paths.numbersOf(column, totals);
    this.#reserve(this.#paths.count);
    const counts = this.#counts;
    for (let ordinal = 0; ordinal < totals.length; ordinal++) {
      const count = totals[ordinal]!;
      if (count === 0) continue;
      const number = numbers[ordinal]! - 1;
      if (counts[number] === 0) this.#link(number);
      counts[number]! += count;
    }
  }

  nodes(): FacetNode[] {
    return this.#sorted(this.#lastRoot);
  }

  #link(number: number): void {
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
    this.#counts = grown(this.#counts, size, 0);
    this.#lastChild = grown(this.#lastChild, size, NONE);
    this.#previous = grown(this.#previous, size, NONE);
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
        // Ties are rare, and comparing paths dear.
        if (counts[other] === count && this.#compare(other, number) < 0) break;
        numbers[hole] = other;
      }
      numbers[hole] = number;
    }
  }

  /** By count descending, then by path. */
  #compare(a: number, b: number): number {
    const difference = this.#counts[b]! - this.#counts[a]!;
    return difference !== 0 ? difference : compareBytes(this.#paths.bytesOf(a), this.#paths.bytesOf(b));
  }
}

function grown(values: Int32Array<ArrayBuffer>, size: number, filling: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(size);
  larger.set(values);
  if (filling !== 0) larger.fill(filling, values.length);
  return larger;
}
