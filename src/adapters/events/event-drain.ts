import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import { type EventDatabase, RefusedBatchError } from "./event-database.js";
import type { EventQueue } from "./queue/event-queue.js";
import { readBatch } from "./queue/read-batch.js";
import type { WaitingBatch } from "./queue/waiting-folder.js";

/** How often waiting events go into the store; they must show within 5 s. */
const PERIOD_MS = 500;
/** After a round of so many events the next one waits longer: DuckDB takes as long to begin a batch as for a thousand events. */
const BUSY_EVENTS = 1000;
const BUSY_PERIOD_MS = 2000;
const BACKOFF_MS_MIN = 1000;
const BACKOFF_MS_MAX = 30_000;
/** The store is told which batches may come once more each time after this many. */
const BATCHES_PER_FORGETTING = 1000;

/**
 * Brings whole files of events into the store, oldest first, and removes what is in. A batch whose
 * insertion was not heard of is offered again and marked as uncertain; the store sees to it that it
 * counts once.
 */
export class EventDrain {
  readonly #queue: EventQueue;
  readonly #database: EventDatabase;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #round: Promise<void> = Promise.resolve();
  #timer: { cancel(): void } | null = null;
  #isStopped = false;
  #isAvailable = true;
  #failures = 0;
  /** Events of the last round. */
  #drainedEvents = 0;
  /** Above the limit, so that what is left from an earlier process is forgotten first. */
  #batchesSinceForgetting: number = BATCHES_PER_FORGETTING;

  constructor(queue: EventQueue, database: EventDatabase, clock: Clock, logger: Logger) {
    this.#queue = queue;
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Whether the store took the last batch that it was offered. */
  get isAvailable(): boolean {
    return this.#isAvailable;
  }

  start(): void {
    this.#timer = this.#clock.after(this.#delayMs, () => {
      void this.drain()
        .catch(() => undefined)
        .then(() => {
          if (!this.#isStopped) this.start();
        });
    });
  }

  get #delayMs(): number {
    if (this.#failures > 0) return Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** (this.#failures - 1));
    return this.#drainedEvents >= BUSY_EVENTS ? BUSY_PERIOD_MS : PERIOD_MS;
  }

  /** Nothing goes in any more once it resolves. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#round;
  }

  /**
   * Resolves once everything that is durable now is in the store.
   *
   * @throws FindlingError as the store's, after the first failure
   */
  drain(): Promise<void> {
    const round = this.#round.then(() => this.#drainAll());
    this.#round = round.catch(() => undefined);
    return round;
  }

  async #drainAll(): Promise<void> {
    const { waitingEvents } = this.#queue;
    this.#drainedEvents = waitingEvents;
    if (waitingEvents === 0) return;
    try {
      let drained = 0;
      // What arrives meanwhile is the next round's.
      while (drained < waitingEvents) {
        const batch = await this.#queue.oldest();
        if (batch === null) break;
        drained += batch.eventCount;
        await this.#put(batch);
      }
      await this.#forgetBatches();
      if (!this.#isAvailable) this.#logger.info("the event store takes events again");
      this.#isAvailable = true;
      this.#failures = 0;
    } catch (error) {
      if (this.#isAvailable) {
        this.#logger.warn("the event store takes no events; they wait on disk", { waitingEvents }, error);
      }
      this.#isAvailable = false;
      this.#failures++;
      throw asStorageError(error);
    }
  }

  async #put(batch: WaitingBatch): Promise<void> {
    try {
      const { rows, eventCount, isSealed } = await readBatch(batch.path, batch.id);
      if (!isSealed || eventCount !== batch.eventCount) throw new CorruptionError(batch.path, "it was cut");
      const { isUncertain } = batch;
      batch.isUncertain = true;
      await this.#database.insert({ id: batch.id, rows, isUncertain });
    } catch (error) {
      if (!(error instanceof RefusedBatchError) && !isDamage(error, batch)) throw error;
      this.#logger.error(
        "a file of usage events is left out and stays where it is",
        { file: batch.path },
        error,
      );
      this.#queue.setAside(batch);
      return;
    }
    await this.#queue.remove(batch);
    this.#batchesSinceForgetting++;
  }

  async #forgetBatches(): Promise<void> {
    if (this.#batchesSinceForgetting < BATCHES_PER_FORGETTING) return;
    await this.#database.forgetBatchesExcept(this.#queue.wholeBatches.map(({ id }) => id));
    this.#batchesSinceForgetting = 0;
  }
}

/** Whether it is the waiting file that is damaged, not the store. */
function isDamage(error: unknown, batch: WaitingBatch): boolean {
  return error instanceof CorruptionError && error.file === batch.path;
}

function asStorageError(error: unknown): FindlingError {
  if (error instanceof FindlingError) return error;
  return new FindlingError("storage_unavailable", "usage events can't be brought into the event store now", {
    cause: error,
  });
}
