/** The share of the newest search in the mean. */
const NEWEST_SHARE = 1 / 8;

/** Tells how long a search will wait for a thread, from how long those before it have taken. */
export class QueueForecast {
  readonly #threads: number;
  /** Milliseconds that ended searches took on average, the newest counting most. */
  #meanMs = 0;

  /** @param threads how many searches run at once, at least 1 */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /** A search has been answered by its thread. */
  ended(durationMs: number): void {
    this.#meanMs += (durationMs - this.#meanMs) * NEWEST_SHARE;
  }

  /**
   * How many milliseconds a search is expected to wait.
   *
   * @param place how many others begin before it
   * @param runningMs how long each that runs has been running: where that is longer than the mean, times have changed
   */
  waitMs(place: number, runningMs: readonly number[]): number {
    const running = runningMs.reduce((sum, each) => sum + each, 0) / Math.max(1, runningMs.length);
    // Those that run are half through, on the whole.
    return (Math.max(this.#meanMs, running) * (place + 0.5)) / this.#threads;
  }
}
