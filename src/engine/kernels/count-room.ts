import type { KernelFunctions } from "./kernel-functions.js";

/** Numbers of paths that are put in order at most. */
const ORDERED_MAX = 16_384;
/** Words of each: for its key, and of its entry. */
const KEY_WORDS = 2;
const ENTRY_WORDS = 3;
/** Words for each number: its count, a place in the list, and two links. */
const NUMBER_WORDS = 4;
/** Bytes of a word, and of a number's two links, as logarithms. */
const WORD_SHIFT = 2;
const LINKS_SHIFT = 3;
/** Everything may have been counted. */
const ALL = -1;

/** Scratch memory in which kernels count by number, and list what they have counted. */
export class CountRoom {
  /** Where the counts are, and the list behind them. */
  readonly address: number;
  readonly listAddress: number;
  /** Numbers that may be counted. */
  readonly capacity: number;
  /** The counts, from `capacity` on the list, and what `order` needs. */
  readonly words: Int32Array;
  /** The address of room for a number for each that `order` overwrites. */
  readonly spareAddress: number;
  /** Where `order` writes entries. */
  readonly entriesStart: number;
  /** Counts that may not be 0, from the first one on; those that the list names are among them. */
  #used = 0;
  /** How many of the list name all that is counted; or `ALL`. */
  #listed = 0;

  /** Room for so many numbers. */
  static bytesFor(capacity: number): number {
    return 4 * (NUMBER_WORDS * capacity + (KEY_WORDS + ENTRY_WORDS) * orderedMaxOf(capacity));
  }

  /** @param address of `bytesFor` bytes, all 0 */
  constructor(memory: WebAssembly.Memory, address: number, capacity: number) {
    this.address = address;
    this.listAddress = address + 4 * capacity;
    this.spareAddress = address + 8 * capacity;
    this.capacity = capacity;
    this.words = new Int32Array(memory.buffer, address, CountRoom.bytesFor(capacity) / 4);
    this.entriesStart = NUMBER_WORDS * capacity + KEY_WORDS * orderedMaxOf(capacity);
  }

  /** Makes all counts 0, in the time of those that aren't if `list` has been told of them. */
  clear(size: number): this {
    const { words, capacity } = this;
    if (this.#listed === ALL) words.fill(0, 0, this.#used);
    else for (let at = capacity; at < capacity + this.#listed; at++) words[words[at]!] = 0;
    this.#used = size;
    this.#listed = ALL;
    return this;
  }

  /** Says that the list's first `length` name all that has been counted since they were cleared. */
  list(length: number): void {
    this.#listed = length;
  }

  /** Whether so many paths can be put in order. */
  static orders(length: number): boolean {
    return length <= ORDERED_MAX;
  }

  /**
   * Puts the list's first `length`, which are paths and all those above them, into preorder, siblings by count
   * descending, then by number: three words for each from `entriesStart` on, its number, its count, and how many paths
   * are above it. No more than `orders` says.
   *
   * @param parents address of the number of the path above by number, i32; -1: it is a root
   */
  order(functions: Pick<KernelFunctions, "orderPaths">, length: number, parents: number): void {
    this.#order(functions, length, parents, WORD_SHIFT);
  }

  /**
   * Takes a path, for `orderTaken`. Nothing must have been counted in another way since counts were cleared.
   *
   * @param index of the path among those that are taken, which ascend from 0
   * @param parent number of the path above, taken as well; -1: it is a root
   */
  take(index: number, number: number, count: number, parent: number): void {
    const { words, capacity } = this;
    words[number] = count;
    words[capacity + index] = number;
    words[2 * capacity + 2 * number + 1] = parent;
  }

  /** As `order`, of all paths that were taken, `length` of them. */
  orderTaken(functions: Pick<KernelFunctions, "orderPaths">, length: number): void {
    this.list(length);
    this.#order(functions, length, this.address + 8 * this.capacity + 4, LINKS_SHIFT);
  }

  /** @param parentShift the logarithm of the bytes from one parent to the next */
  #order(
    functions: Pick<KernelFunctions, "orderPaths">,
    length: number,
    parents: number,
    parentShift: number,
  ): void {
    const links = this.address + 8 * this.capacity;
    const keys = this.address + 4 * NUMBER_WORDS * this.capacity;
    const entries = this.address + 4 * this.entriesStart;
    functions.orderPaths(this.listAddress, length, this.address, parents, parentShift, links, keys, entries);
  }
}

/** Paths that a room for so many numbers has place to put in order. */
function orderedMaxOf(capacity: number): number {
  return Math.min(capacity, ORDERED_MAX);
}
