import { compareBytes } from "../../schema/compare-bytes.js";

/** Paths that are put in order: sorting so many takes some milliseconds. */
const RANKED_MAX = 4096;
/**
 * Searches without ranks take for a path that they count so many times what ranking takes for one that has a rank
 * already; and ranking one that has none so many times as much as that.
 */
const MISSED_WEIGHT = 8;
const NEW_WEIGHT = 16;

/** Where each path of a facet field stands among all that are known, so that searches needn't compare their bytes. */
export class PathRanks {
  readonly #bytes: readonly Uint8Array[];
  readonly #parents: readonly number[];
  /** By path's number, of the first `count`: paths before it. The path above is one of them. */
  ranks: Int32Array = new Int32Array(0);
  /** The paths' numbers by rank. */
  numbers: Int32Array = new Int32Array(0);
  /** By rank: rank of the path above; -1: it is a root. */
  parents: Int32Array = new Int32Array(0);
  /** Paths that searches have counted while some of them had no rank. */
  #missed = 0;

  /**
   * @param bytes sort bytes by path's number; grows
   * @param parents number of the path above, likewise; -1: it is a root
   */
  constructor(bytes: readonly Uint8Array[], parents: readonly number[]) {
    this.#bytes = bytes;
    this.#parents = parents;
  }

  get count(): number {
    return this.ranks.length;
  }

  /**
   * Whether all paths up to a number have a rank. They are ranked once searches have taken longer without ranks than
   * that takes.
   *
   * @param counted paths that the search has counted
   */
  reach(greatest: number, counted: number): boolean {
    if (greatest < this.count) return true;
    const known = this.#bytes.length;
    if (known > RANKED_MAX) return false;
    this.#missed += counted;
    if (this.#missed * MISSED_WEIGHT < known + (known - this.count) * NEW_WEIGHT) return false;
    this.#rank(known);
    this.#missed = 0;
    return true;
  }

  /** Sorts paths that are new, and puts each behind those before it. */
  #rank(known: number): void {
    const bytes = this.#bytes;
    const before = this.numbers;
    const added = new Int32Array(known - before.length);
    for (let i = 0; i < added.length; i++) added[i] = before.length + i;
    added.sort((a, b) => compareBytes(bytes[a]!, bytes[b]!));
    const numbers = new Int32Array(known);
    let taken = 0;
    for (let i = 0; i < added.length; i++) {
      const end = this.#placeAmong(before, bytes[added[i]!]!, taken);
      numbers.set(before.subarray(taken, end), taken + i);
      numbers[end + i] = added[i]!;
      taken = end;
    }
    numbers.set(before.subarray(taken), taken + added.length);
    const ranks = new Int32Array(known);
    for (let rank = 0; rank < known; rank++) ranks[numbers[rank]!] = rank;
    const parents = new Int32Array(known);
    for (let rank = 0; rank < known; rank++) {
      const parent = this.#parents[numbers[rank]!]!;
      parents[rank] = parent < 0 ? -1 : ranks[parent]!;
    }
    this.numbers = numbers;
    this.ranks = ranks;
    this.parents = parents;
  }

  /** How many numbers by rank come before a path that isn't among them; at least `least` do. */
  #placeAmong(numbers: Int32Array, path: Uint8Array, least: number): number {
    let first = least;
    let end = numbers.length;
    while (first < end) {
      const middle = (first + end) >>> 1;
      if (compareBytes(this.#bytes[numbers[middle]!]!, path) < 0) first = middle + 1;
      else end = middle;
    }
    return first;
  }
}
