import { FindlingError } from "../../errors/index.js";

/** Long enough for a flush, which is what most waiting writes wait for. */
const RETRY_AFTER_SECONDS = 1;

/** A write waiting for its turn. */
interface QueuedWrite {
  /** Does the work; false from `isDurable` below means that its effect still needs a sync. */
  readonly run: () => Promise<unknown>;
  /** Whether the write must be preceded by a sync of all before it, and needs none after: commit, rollback, installing a merge. */
  readonly isBarrier: boolean;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs writes one at a time in the order they came, and acknowledges them in groups: all writes that
 * were waiting when a round began share one sync (group commit; Gawlick and Kinkade, "Varieties of
 * Concurrency Control in IMS/VS Fast Path", 1985). A write that fails takes no other with it; a
 * failed sync fails all that waited for it.
 */
export class WriteQueue {
  readonly #sync: () => Promise<void>;
  readonly #waitingMax: number;
  /** Writes that are neither done nor failed. */
  #unsettled = 0;
  #waiting: QueuedWrite[] = [];
  #running: Promise<void> | null = null;

  /** @param waitingMax writes that may wait, the running one included; what they hold is in memory */
  constructor(sync: () => Promise<void>, waitingMax: number = Number.POSITIVE_INFINITY) {
    this.#sync = sync;
    this.#waitingMax = waitingMax;
  }

  /** Resolves once the write's effect is durable. @throws FindlingError `rate_limited` if too many wait */
  write<T>(run: () => Promise<T>): Promise<T> {
    if (this.#unsettled >= this.#waitingMax) {
      return Promise.reject(
        new FindlingError(
          "rate_limited",
          `${this.#unsettled} writes to the index wait for their turn; send this one again in a moment`,
          { retryAfterSeconds: RETRY_AFTER_SECONDS },
        ),
      );
    }
    return this.#enqueue(run, false);
  }

  /**
   * For a write that makes its own effect durable; everything before it is acknowledged first. However
   * many wait, it is taken: it holds next to nothing.
   */
  barrier<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue(run, true);
  }

  get isIdle(): boolean {
    return this.#running === null && this.#unsettled === 0;
  }

  /** Resolves when everything queued so far has been settled. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  #enqueue<T>(run: () => Promise<T>, isBarrier: boolean): Promise<T> {
    this.#unsettled++;
    const settled = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ run, isBarrier, resolve, reject });
      this.#running ??= this.#drain();
    });
    return settled.finally(() => {
      this.#unsettled--;
    });
  }

  async #drain(): Promise<void> {
    // Writes of the same turn of the event loop share the first round.
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const round = this.#waiting;
      this.#waiting = [];
      let done: (() => void)[] = [];
      let unsynced: QueuedWrite[] = [];
      const acknowledge = async (): Promise<void> => {
        if (unsynced.length === 0) return;
        const [settled, failing] = [done, unsynced];
        [done, unsynced] = [[], []];
        try {
          await this.#sync();
          for (const resolve of settled) resolve();
        } catch (error) {
          for (const write of failing) write.reject(error);
        }
      };
      for (const write of round) {
        if (write.isBarrier) await acknowledge();
        try {
          const result = (await write.run()) as never;
          if (write.isBarrier) {
            write.resolve(result);
          } else {
            done.push(() => write.resolve(result));
            unsynced.push(write);
          }
        } catch (error) {
          write.reject(error);
        }
      }
      await acknowledge();
    }
    this.#running = null;
  }
}
