/** A small seeded generator (mulberry32), for tests and benchmarks that must be run again as they were. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number at least 0, below `n`. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(values: ArrayLike<T>): T {
    return values[this.below(values.length)]!;
  }

  /** A shuffled copy (Fisher and Yates). */
  shuffled<T>(items: readonly T[]): T[] {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const other = this.below(i + 1);
      [shuffled[i], shuffled[other]] = [shuffled[other]!, shuffled[i]!];
    }
    return shuffled;
  }
}
