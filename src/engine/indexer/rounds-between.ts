/** Takes what waits for the disk, and gives it back: others may use the processor meanwhile. */
export type WhileWaiting = <T>(waiting: Promise<T>) => Promise<T>;

/**
 * Rounds of other writes between the slices of a bulk's preparation. While a round works the bulk stands still;
 * while it waits for the disk the bulk goes on. That gets as much time as rounds work: somebody who commits all the
 * time would else hold it up for ever.
 */
export class RoundsBetween {
  #underWay: Promise<void> | null = null;
  #isWaiting = false;
  /** Lets the bulk go on. */
  #resume: () => void = () => undefined;
  /** Milliseconds that the round under way, or else the last one, has worked for, and has waited for the disk. */
  #workedMs = 0;
  #waitedMs = 0;
  /** When it began to do what it does, or when it ended. */
  #sinceMs = 0;

  /** Whether no round is under way, and the bulk has had its time since the last one began. */
  get mayBegin(): boolean {
    if (this.#underWay !== null) return false;
    return this.#waitedMs + performance.now() - this.#sinceMs >= this.#workedMs;
  }

  /** @param round never rejects */
  begin(round: () => Promise<void>): void {
    [this.#workedMs, this.#waitedMs, this.#sinceMs] = [0, 0, performance.now()];
    this.#underWay = round().then(() => {
      this.#workedMs += this.#lap();
      this.#underWay = null;
      this.#resume();
    });
  }

  /** Resolves when the bulk may go on; null if it may now. */
  untilBulkMayGoOn(): Promise<void> | null {
    if (this.#underWay === null || this.#isWaiting) return null;
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  /** Resolves when no round is under way. */
  async over(): Promise<void> {
    await this.#underWay;
  }

  /** What `waiting` resolves to. To be called by the round under way; outside of one nothing happens. */
  async whileWaiting<T>(waiting: Promise<T>): Promise<T> {
    if (this.#underWay === null) return waiting;
    this.#workedMs += this.#lap();
    this.#isWaiting = true;
    this.#resume();
    try {
      return await waiting;
    } finally {
      this.#waitedMs += this.#lap();
      this.#isWaiting = false;
    }
  }

  /** Milliseconds since the last call. */
  #lap(): number {
    const before = this.#sinceMs;
    this.#sinceMs = performance.now();
    return this.#sinceMs - before;
  }
}
