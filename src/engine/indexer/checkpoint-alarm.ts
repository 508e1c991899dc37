/** After a commit point that failed, the next one waits so many times the first delay, */
const RETRY_FACTOR = 8;
/** doubled each time, but for no more than this: a disk that is full stays so for a while. */
const RETRY_FACTOR_MAX = 240;
/**
 * Delays for which a commit point that may wait is put off, at most, while there is more and more for it to name. One
 * that is tried again is not: a disk that is full may have room only once it is made.
 */
const DELAYS_MAX = 16;

export interface CheckpointAlarmOptions {
  /** Milliseconds after which a commit point is made, so that what comes meanwhile shares it; null: none is by itself. */
  readonly afterMs: number | null;
  readonly checkpoint: () => Promise<void>;
  /** Whether there is anything to make one of, and it may be tried. */
  readonly isWanted: () => boolean;
  /** Whether so little of the journal is to be read again without it that it may wait until nothing comes any more. */
  readonly mayWait: () => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Makes commit points a while after what they are to name, and where it may wait, once nothing has come for as long:
 * whoever commits one document after the other has its journal synced, and would wait for other files' syncs on the
 * same disk; and what is merged away meanwhile is never synced. One that fails is tried again, even if nothing else
 * happens: files that only the next one leaves without use stay until then.
 */
export class CheckpointAlarm {
  readonly #options: CheckpointAlarmOptions;
  #alarm: ReturnType<typeof setTimeout> | null = null;
  #retryFactor = RETRY_FACTOR;
  /** Delays that have passed since the alarm was set, and whether there is more to name since the last of them. */
  #delays = 0;
  #hasMore = false;
  #isClosed = false;

  constructor(options: CheckpointAlarmOptions) {
    this.#options = options;
  }

  /** To be told of each commit and merge. */
  soon(): void {
    if (this.#alarm === null) this.#set(1);
    else this.#hasMore = true;
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
    this.#delays = 0;
    this.#await(factor * afterMs, factor === 1);
  }

  #await(delayMs: number, mayBePutOff: boolean): void {
    this.#hasMore = false;
    this.#alarm = setTimeout(() => {
      this.#alarm = null;
      const isPutOff = mayBePutOff && this.#hasMore && ++this.#delays < DELAYS_MAX && this.#options.mayWait();
      if (isPutOff) this.#await(delayMs, true);
      else void this.now();
    }, delayMs);
    this.#alarm.unref();
  }
}
