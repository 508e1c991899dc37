/** Numbers a millisecond, which leaves room for 270 years within the integers that a double holds. */
const PER_MILLISECOND = 512;

/**
 * Numbers by which documents are ordered by insertion: ascending in one process, and over processes by their clocks.
 */
export class InsertionOrder {
  readonly #now: () => number;
  #next = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The first of so many numbers in a row. */
  next(count: number): number {
    const first = Math.max(this.#next, this.#now() * PER_MILLISECOND);
    this.#next = first + count;
    return first;
  }
}
