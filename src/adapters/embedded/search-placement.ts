/** Expected to take more microseconds: sent to a search thread at once. */
export const COST_HERE_MAX_MICROSECONDS = 2_000;
/** Expected to take less: not worth the way to a search thread and back, which takes a tenth of a millisecond. */
const SHARED_COST_MIN = 400;
/** Up to so much where search threads have more than that to do, and nothing cheap would wait for it. */
const BACKLOG_COST_HERE_MAX = 4_000;
/** What a search takes here besides: its request and its answer. */
const REQUEST_MICROSECONDS = 150;
/** Searches in one turn of the event loop that make a queue. */
const QUEUE_MIN = 2;

/**
 * Decides how dear a search may be to run in the thread that answers requests. One search after the other runs there unless
 * it is dear. Where several wait at a time, those that are worth it go to whichever has less to do, that thread or the
 * search threads: by the same estimates (`Searcher.cost`), as far as they haven't been answered yet.
 */
export class SearchPlacement {
  readonly #threadCount: number;
  readonly #atEndOfTurn: (callback: () => void) => void;
  /** Searches that have come in this turn of the event loop, and in the last one that had any. */
  #arrived = 0;
  #arrivedLast = 0;
  /** How many of these were cheap. */
  #cheap = 0;
  #cheapLast = 0;
  /** Microseconds of work in this turn. */
  #here = 0;
  /** Microseconds of work that search threads have been sent and not answered. */
  #there = 0;

  /**
   * @param threadCount search threads, at least 1
   * @param atEndOfTurn calls back once all requests have been read that came meanwhile
   */
  constructor(threadCount: number, atEndOfTurn: (callback: () => void) => void = setImmediate) {
    this.#threadCount = threadCount;
    this.#atEndOfTurn = atEndOfTurn;
  }

  /** Whether others are waiting besides the search that comes now. */
  get isQueued(): boolean {
    return this.#there > 0 || this.#arrived > 0 || this.#arrivedLast >= QUEUE_MIN;
  }

  /**
   * Microseconds that a search that comes now may be expected to take in this thread.
   *
   * @param isThreadReady whether a search thread could begin with it at once
   */
  costHereMax(isThreadReady: boolean): number {
    if (!isThreadReady || !this.isQueued) return COST_HERE_MAX_MICROSECONDS;
    const aheadThere = this.#there / this.#threadCount - this.#here;
    if (aheadThere <= 0) return SHARED_COST_MIN;
    if (this.#cheap + this.#cheapLast > 0) return COST_HERE_MAX_MICROSECONDS;
    return Math.min(Math.max(aheadThere, COST_HERE_MAX_MICROSECONDS), BACKLOG_COST_HERE_MAX);
  }

  /** Whether a search of so many microseconds would be sent to a thread if others waited. */
  static isShared(microseconds: number): boolean {
    return microseconds > SHARED_COST_MIN;
  }

  /** A search of so many microseconds has run in this thread. */
  ranHere(microseconds: number): void {
    this.#arrive();
    this.#here += microseconds;
    if (!SearchPlacement.isShared(microseconds)) this.#cheap++;
  }

  /** A search of so many microseconds goes to the search threads; returns what is to be called once it is answered. */
  sent(microseconds: number): () => void {
    this.#arrive();
    this.#there += microseconds;
    return () => {
      this.#there -= microseconds;
    };
  }

  #arrive(): void {
    this.#here += REQUEST_MICROSECONDS;
    if (this.#arrived++ > 0) return;
    this.#atEndOfTurn(() => {
      this.#arrivedLast = this.#arrived;
      this.#cheapLast = this.#cheap;
      this.#arrived = 0;
      this.#cheap = 0;
      this.#here = 0;
    });
  }
}
