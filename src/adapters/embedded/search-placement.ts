/** Expected to take more microseconds: sent to a search thread at once. */
export const COST_HERE_MAX_MICROSECONDS = 2_000;
/** Expected to take less: not worth the way to a search thread and back, which takes a tenth of a millisecond. */
const SHARED_COST_MIN = 400;
/** What waits for a search thread and is expected to take more isn't run by the thread that answers requests. */
export const SHORT_COST_MAX_MICROSECONDS = 4_000;
/** Searches in one turn of the event loop that make a queue. */
const QUEUE_MIN = 2;

/**
 * Decides how dear a search may be to run at once in the thread that answers requests. One search after the other runs
 * there unless it is dear. Where several wait at a time, only cheap ones do; those that are worth sharing wait in the
 * search threads' line, from which both sides take them.
 */
export class SearchPlacement {
  readonly #atEndOfTurn: (callback: () => void) => void;
  /** Searches that have come in this turn of the event loop, and in the last one that had any. */
  #arrived = 0;
  #arrivedLast = 0;
  /** Searches in the line or in threads. */
  #there = 0;

  /** @param atEndOfTurn calls back once all requests have been read that came meanwhile */
  constructor(atEndOfTurn: (callback: () => void) => void = setImmediate) {
    this.#atEndOfTurn = atEndOfTurn;
  }

  /** Whether others are waiting besides the search that comes now. */
  get isQueued(): boolean {
    return this.#there > 0 || this.#arrived > 0 || this.#arrivedLast >= QUEUE_MIN;
  }

  /**
   * Microseconds that a search that comes now may be expected to take in this thread.
   *
   * @param isThreadReady whether a search thread could begin with it at once, or after those that it has
   */
  costHereMax(isThreadReady: boolean): number {
    return isThreadReady && this.isQueued ? SHARED_COST_MIN : COST_HERE_MAX_MICROSECONDS;
  }

  /** Whether a search of so many microseconds would be sent to a thread if others waited. */
  static isShared(microseconds: number): boolean {
    return microseconds > SHARED_COST_MIN;
  }

  /** Whether a search of so many microseconds may run in the thread that answers requests, while others wait. */
  static isShort(microseconds: number): boolean {
    return microseconds <= SHORT_COST_MAX_MICROSECONDS;
  }

  /** A search has run in this thread. */
  ranHere(): void {
    this.#arrive();
  }

  /** A search goes to the search threads' line; returns what is to be called once it is answered. */
  sent(): () => void {
    this.#arrive();
    this.#there++;
    return () => {
      this.#there--;
    };
  }

  #arrive(): void {
    if (this.#arrived++ > 0) return;
    this.#atEndOfTurn(() => {
      this.#arrivedLast = this.#arrived;
      this.#arrived = 0;
    });
  }
}
