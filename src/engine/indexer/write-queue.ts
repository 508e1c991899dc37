import { FindlingError } from "../../errors/index.js";
import { RoundsBetween, type WhileWaiting } from "./rounds-between.js";

/** Long enough for a flush, which is what most waiting writes wait for. */
const RETRY_AFTER_SECONDS = 1;

/** Puts a write, which is settled by these, behind those that wait. */
type Push<T> = (resolve: (value: T) => void, reject: (error: unknown) => void) => void;

/** Runs others that wait, where it is their turn; to be awaited before a bulk's next slice. */
export type LetOthers = () => Promise<void> | null;

/** Tells the sender of a write what has come of it, once that is durable. */
type Acknowledge = () => void;

/** A write waiting for its turn. */
interface QueuedWrite {
  /** Does the work. */
  readonly run: (whileWaiting: WhileWaiting) => Promise<Acknowledge>;
  /** Whether the write must be preceded by a sync of all before it, and needs none after: commit, rollback, installing a merge. */
  readonly isBarrier: boolean;
  readonly reject: (error: unknown) => void;
}

/** A write that takes long, waiting for its turn. */
interface QueuedBulk {
  /** Prepares it, if there is something to prepare, and does the work. */
  readonly run: () => Promise<Acknowledge>;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs writes one at a time, and acknowledges them in groups: all writes that were waiting when a round
 * began share one sync (group commit; Gawlick and Kinkade, "Varieties of Concurrency Control in IMS/VS
 * Fast Path", 1985). A write that fails takes no other with it; a failed sync fails all that waited for it.
 *
 * Writes and barriers keep their order, and so do bulks. Between two bulks, and while one is being
 * prepared, all others that wait go first: none of these has been acknowledged, so nobody can tell. A bulk
 * whose turn has come is held up by them for half of the time at most (`RoundsBetween`). What undoes writes
 * overtakes nothing.
 */
export class WriteQueue {
  readonly #sync: () => Promise<void>;
  readonly #waitingMax: number;
  /** Writes that are neither done nor failed. */
  #unsettled = 0;
  #waiting: QueuedWrite[] = [];
  readonly #between = new RoundsBetween();
  readonly #bulks: QueuedBulk[] = [];
  /** The last bulk's sync and its answer: nothing may be written meanwhile. */
  #acknowledging: Promise<void> = Promise.resolve();
  #running: Promise<void> | null = null;

  /** @param waitingMax writes that may wait, the running one included; what they hold is in memory */
  constructor(sync: () => Promise<void>, waitingMax: number = Number.POSITIVE_INFINITY) {
    this.#sync = sync;
    this.#waitingMax = waitingMax;
  }

  /** Resolves once the write's effect is durable. @throws FindlingError `rate_limited` if too many wait */
  write<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueueUnlessTooMany((resolve, reject) => {
      this.#waiting.push({ run: () => acknowledged(run(), resolve), isBarrier: false, reject });
    });
  }

  /**
   * A write that takes long, resolved like others: first `prepare`, in slices with others between them, which
   * touches nothing that is written, then `run` with what that has made.
   *
   * @throws FindlingError `rate_limited` if too many wait
   */
  bulk<P, T>(prepare: (between: LetOthers) => Promise<P>, run: (prepared: P) => Promise<T>): Promise<T> {
    return this.#enqueueUnlessTooMany((resolve, reject) => {
      const runPrepared = async (): Promise<T> => {
        const prepared = await this.#prepare(prepare);
        await this.#acknowledging;
        return run(prepared);
      };
      this.#bulks.push({ run: () => acknowledged(runPrepared(), resolve), reject });
    });
  }

  /**
   * A write that comes after all that came before it, bulks included: for what undoes writes, whose sender may not
   * know what has become of them. However many wait, it is taken: it holds next to nothing.
   */
  behindAll<T>(run: () => Promise<T>): Promise<T> {
    return this.#enqueue((resolve, reject) => {
      const runBehind = async (): Promise<T> => {
        await this.#acknowledging;
        return run();
      };
      this.#bulks.push({ run: () => acknowledged(runBehind(), resolve), reject });
    });
  }

  /**
   * For a write that makes its own effect durable; everything before it is acknowledged first. However
   * many wait, it is taken: it holds next to nothing.
   *
   * @param run is given what to wait for the disk with: bulks are prepared meanwhile
   */
  barrier<T>(run: (whileWaiting: WhileWaiting) => Promise<T>): Promise<T> {
    return this.#enqueue((resolve, reject) => {
      this.#waiting.push({
        run: (whileWaiting) => acknowledged(run(whileWaiting), resolve),
        isBarrier: true,
        reject,
      });
    });
  }

  get isIdle(): boolean {
    return this.#running === null && this.#unsettled === 0;
  }

  /** Resolves when everything queued so far has been settled. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  #enqueueUnlessTooMany<T>(push: Push<T>): Promise<T> {
    if (this.#unsettled < this.#waitingMax) return this.#enqueue(push);
    return Promise.reject(
      new FindlingError(
        "rate_limited",
        `${this.#unsettled} writes to the index wait for their turn; send this one again in a moment`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      ),
    );
  }

  #enqueue<T>(push: Push<T>): Promise<T> {
    this.#unsettled++;
    const settled = new Promise<T>((resolve, reject) => {
      push(resolve, reject);
      this.#running ??= this.#drain();
    });
    return settled.finally(() => {
      this.#unsettled--;
    });
  }

  async #drain(): Promise<void> {
    // Writes of the same turn of the event loop share the first round.
    await Promise.resolve();
    for (;;) {
      if (this.#waiting.length > 0) await this.#runRound();
      const bulk = this.#bulks.shift();
      if (bulk !== undefined) {
        await this.#runBulk(bulk);
      } else if (this.#waiting.length === 0) {
        await this.#acknowledging;
        if (this.#waiting.length === 0 && this.#bulks.length === 0) break;
      }
    }
    this.#running = null;
  }

  /** Runs all that wait but bulks. */
  async #runRound(): Promise<void> {
    const round = this.#waiting;
    this.#waiting = [];
    const whileWaiting: WhileWaiting = (waiting) => this.#between.whileWaiting(waiting);
    await whileWaiting(this.#acknowledging);
    let done: Acknowledge[] = [];
    let unsynced: QueuedWrite[] = [];
    const acknowledge = async (): Promise<void> => {
      if (unsynced.length === 0) return;
      const [settled, failing] = [done, unsynced];
      [done, unsynced] = [[], []];
      try {
        await whileWaiting(this.#sync());
        for (const acknowledgeIt of settled) acknowledgeIt();
      } catch (error) {
        for (const write of failing) write.reject(error);
      }
    };
    for (const write of round) {
      if (write.isBarrier) await acknowledge();
      try {
        const acknowledgeIt = await write.run(whileWaiting);
        if (write.isBarrier) {
          acknowledgeIt();
        } else {
          done.push(acknowledgeIt);
          unsynced.push(write);
        }
      } catch (error) {
        write.reject(error);
      }
    }
    await acknowledge();
  }

  /** Prepares a bulk with rounds of others between its slices, none of which is under way afterwards. */
  async #prepare<P>(prepare: (between: LetOthers) => Promise<P>): Promise<P> {
    try {
      return await prepare(() => {
        if (this.#waiting.length > 0 && this.#between.mayBegin) this.#between.begin(() => this.#runRound());
        return this.#between.untilBulkMayGoOn();
      });
    } finally {
      await this.#between.over();
    }
  }

  /** Its sync, if it comes to that, goes on when this resolves: the next one can be prepared meanwhile. */
  async #runBulk({ run, reject }: QueuedBulk): Promise<void> {
    try {
      const acknowledgeIt = await run();
      this.#acknowledging = this.#sync().then(acknowledgeIt, reject);
    } catch (error) {
      reject(error);
    }
  }
}

async function acknowledged<T>(work: Promise<T>, resolve: (value: T) => void): Promise<Acknowledge> {
  const result = await work;
  return () => resolve(result);
}
