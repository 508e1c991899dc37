import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";

/** Sign of the order of two hits, each given by its run and its place there; 0 for a tie. */
export type CompareHits = (run: number, place: number, otherRun: number, otherPlace: number) => number;

/** What a single run has. Typed arrays cost more to make than many searches. */
const NONE = new Uint32Array(0);

/** Hits that are merged between two looks at the clock: of a thousand runs some milliseconds. */
const MERGED_PER_CHECK = 64;

/**
 * Merges sorted runs of hits into one order, only as far as it is asked for: so the values that hits
 * are compared by are read for those alone that come before. A tie goes to the earlier run, and within
 * a run the order stays. Takes 8 bytes a hit, none for a single run.
 */
export class RunMerge {
  /** Hits of the merged order. */
  readonly length: number;
  readonly #lengths: readonly number[];
  readonly #compare: CompareHits;
  readonly #interrupt: SearchInterrupt;
  /** By run: the place of its first hit that isn't merged yet. Empty for a single run, as the next two. */
  readonly #heads: Uint32Array;
  /** By merged place. */
  readonly #runs: Uint32Array;
  readonly #places: Uint32Array;
  #merged = 0;

  /**
   * @param lengths hits of each run
   * @param limit hits of the merged order, at most
   * @param interrupt asked as the order is worked out
   */
  constructor(
    lengths: readonly number[],
    limit: number,
    compare: CompareHits,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ) {
    this.#interrupt = interrupt;
    const total = lengths.reduce((sum, length) => sum + length, 0);
    this.length = Math.min(total, limit);
    this.#lengths = lengths;
    this.#compare = compare;
    const isMerged = lengths.length > 1;
    this.#heads = isMerged ? new Uint32Array(lengths.length) : NONE;
    this.#runs = isMerged ? new Uint32Array(this.length) : NONE;
    this.#places = isMerged ? new Uint32Array(this.length) : NONE;
  }

  /** @param at a place of the merged order, below `length` */
  runAt(at: number): number {
    if (this.#lengths.length === 1) return 0;
    while (this.#merged <= at) this.#mergeNext();
    return this.#runs[at]!;
  }

  /** The place in its run. */
  placeAt(at: number): number {
    if (this.#lengths.length === 1) return at;
    while (this.#merged <= at) this.#mergeNext();
    return this.#places[at]!;
  }

  #mergeNext(): void {
    if ((this.#merged & (MERGED_PER_CHECK - 1)) === 0) this.#interrupt.check();
    const heads = this.#heads;
    let first = -1;
    for (let run = 0; run < heads.length; run++) {
      if (heads[run] === this.#lengths[run]) continue;
      if (first < 0 || this.#compare(run, heads[run]!, first, heads[first]!) < 0) first = run;
    }
    this.#runs[this.#merged] = first;
    this.#places[this.#merged++] = heads[first]!++;
  }
}
