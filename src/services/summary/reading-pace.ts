/** Between two pieces for one reader, so that words that come close together are one event. */
const INTERVAL_MS_MIN = 50;
/** However many read. */
const INTERVAL_MS_MAX = 250;
/** What each reader adds: together they are handed no more than a thousand pieces a second. */
const INTERVAL_MS_PER_READER = 1;

/** How often readers are handed what is new: the more there are, the less often each. */
export class ReadingPace {
  #readers = 0;

  /** Milliseconds from one piece for a reader to the next. */
  get intervalMs(): number {
    return Math.min(INTERVAL_MS_MAX, Math.max(INTERVAL_MS_MIN, this.#readers * INTERVAL_MS_PER_READER));
  }

  joined(): void {
    this.#readers++;
  }

  left(): void {
    this.#readers--;
  }
}
