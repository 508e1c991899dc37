/** Distinct answers in a row that share no figure. */
const TICKS = 1_000;

/**
 * Measures how long answers take. Browsers' facet lists take an answer with the same figure as the
 * one before for that very answer (contract 3.4), so every figure carries a count below the
 * nanosecond: two of a thousand in a row are never equal.
 */
export class Stopwatch {
  readonly #now: () => number;
  #count = 0;

  /** @param now milliseconds that only grow */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  start(): number {
    return this.#now();
  }

  /** Seconds since the start, greater than 0. */
  secondsSince(start: number): number {
    const nanoseconds = Math.max(0, Math.round((this.#now() - start) * 1e6));
    this.#count = (this.#count % TICKS) + 1;
    return (nanoseconds * TICKS + this.#count) / (TICKS * 1e9);
  }
}
