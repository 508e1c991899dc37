/** Everything may have been counted. */
const ALL = -1;

/** Scratch memory in which kernels count by number, and list what they have counted. */
export class CountRoom {
  /** Of the counts, and of the list behind them. */
  readonly address: number;
  readonly listAddress: number;
  /** Numbers that may be counted. */
  readonly capacity: number;
  /** The counts, and from `capacity` on the list. */
  readonly words: Int32Array;
  /** Counts that may not be 0, from the first one on; those that the list names are among them. */
  #used = 0;
  /** How many of the list name all that is counted; or `ALL`. */
  #listed = 0;

  /** @param address of room for twice as many integers, all 0 */
  constructor(memory: WebAssembly.Memory, address: number, capacity: number) {
    this.address = address;
    this.listAddress = address + 4 * capacity;
    this.capacity = capacity;
    this.words = new Int32Array(memory.buffer, address, 2 * capacity);
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
}
