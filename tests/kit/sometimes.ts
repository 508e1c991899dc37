import { expect } from "vitest";

/**
 * Rare paths that random runs should have taken, counted over all of them: a property that holds always proves little
 * where what it guards was never reached.
 */
export class Sometimes<Path extends string> {
  readonly #counts: Map<Path, number>;

  constructor(paths: readonly Path[]) {
    this.#counts = new Map(paths.map((path) => [path, 0]));
  }

  reached(path: Path, isReached = true): void {
    if (isReached) this.#counts.set(path, this.#counts.get(path)! + 1);
  }

  /** At the end of the runs. */
  expectAll(): void {
    const missed = [...this.#counts].filter(([, count]) => count === 0).map(([path]) => path);
    expect(missed, `of ${JSON.stringify(Object.fromEntries(this.#counts))}`).toEqual([]);
  }
}
