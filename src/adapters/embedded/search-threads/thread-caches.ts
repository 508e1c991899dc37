import { type CacheFigures, searchCacheFigures } from "../../../engine/server-door.js";

/** Each cache has bytes, hits and misses. */
const FIGURES = 3;

/** What the caches of a search thread take and have answered, in memory that its user reads. */
export class ThreadCaches {
  /** For the thread's `ThreadCaches`. */
  readonly shared: Float64Array;

  /** @param shared another's, of this process; new and all 0 unless given */
  constructor(shared?: Float64Array) {
    const { length } = searchCacheFigures();
    this.shared = shared ?? new Float64Array(new SharedArrayBuffer(length * FIGURES * 8));
  }

  /** Tells of this thread's caches. */
  tell(): void {
    for (const [place, { bytes, hits, misses }] of searchCacheFigures().entries())
      this.shared.set([bytes, hits, misses], place * FIGURES);
  }

  /** As they were told last. */
  figures(): readonly CacheFigures[] {
    return searchCacheFigures().map(({ name }, place) => {
      const [bytes = 0, hits = 0, misses = 0] = this.shared.subarray(place * FIGURES);
      return { name, bytes, hits, misses };
    });
  }
}

/** The sums, cache by cache, of figures that name the same caches in the same order. */
export function summedFigures(of: readonly (readonly CacheFigures[])[]): readonly CacheFigures[] {
  const [first = [], ...others] = of;
  return first.map((figures, place) => {
    const sum = { ...figures };
    for (const other of others) {
      sum.bytes += other[place]!.bytes;
      sum.hits += other[place]!.hits;
      sum.misses += other[place]!.misses;
    }
    return sum;
  });
}
