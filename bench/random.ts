/** Seeded pseudo-random numbers: mulberry32, the same in every JavaScript engine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0, below 1, in steps of 2^-32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** A whole number from 0, below `n`. */
  below(n: number): number {
    return Math.floor(this.next() * n);
  }

  pick<T>(from: ArrayLike<T>): T {
    return from[this.below(from.length)]!;
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
