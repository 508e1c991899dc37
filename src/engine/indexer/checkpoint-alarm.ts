/** Of the first delay, after one that failed, */
const RETRY_FACTOR = 8;
/** doubled each time, but for no more than this: a disk that is full stays so for a while. */
const RETRY_FACTOR_MAX = 240;

export interface CheckpointAlarmOptions {
  /** Milliseconds after which a commit point is made, so that what comes meanwhile shares it; null: none is by itself. */
  readonly afterMs: number | null;
  readonly checkpoint: () => Promise<void>;
  /** Whether there is anything to make one of, and it may be tried. */
  readonly isWanted: () => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes commit points a while after what they are to name. One that fails is tried again, even if nothing else
 * happens: files that only the next one leaves without use stay until then.
 */
export class CheckpointAlarm {
  readonly #options: CheckpointAlarmOptions;
  #alarm: ReturnType<typeof setTimeout> | null = null;
  #retryFactor = RETRY_FACTOR;
  #isClosed = false;

  constructor(options: CheckpointAlarmOptions) {
    this.#options = options;
  }

  /** To be told of each commit and merge. */
  soon(): void {
    this.#set(1);
  }

  /** Makes one now. Resolves however that goes; a failure is told to `onError`. */
  async now(): Promise<void> {
    try {
      await this.#options.checkpoint();
      this.#retryFactor = RETRY_FACTOR;
    } catch (error) {
      this.#options.onError(error);
      this.#set(this.#retryFactor);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#alarm ?? undefined);
  }

  #set(factor: number): void {
    const { afterMs, isWanted } = this.#options;
    if (afterMs === null || this.#alarm !== null || this.#isClosed || !isWanted()) return;
    if (factor > 1) this.#retryFactor = Math.min(2 * factor, RETRY_FACTOR_MAX);
    this.#alarm = setTimeout(() => {
      this.#alarm = null;
      void this.now();
    }, factor * afterMs);
    this.#alarm.unref();
  }
}
