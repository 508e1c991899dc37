import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import type { IndexActivity } from "../admin/index-activity.js";
import type { IndexLocks } from "../locks/index-locks.js";

export interface AutoCommitPorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locks: IndexLocks;
  readonly activity: Pick<IndexActivity, "committed">;
}

/** What an automatic commit has made of the writes it was told of. */
export type WriteOutcome = "pending" | "scheduled" | "committed" | "commit_failed";

/** A delay up to here commits before the write is answered (contract 4.1). */
const IMMEDIATE_DELAY_SECONDS = 1;

const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000] as const;

/** Node's timers hold 31 bits; a longer wait is cut into pieces. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Commits by itself for the indexes that ask for it: at once, or when no write has come for the
 * index's delay. A commit that fails is logged and tried again, since the writes are safe in the
 * journal; nothing here ever throws.
 */
export class AutoCommit {
  readonly #ports: AutoCommitPorts;
  /** By index name. */
  readonly #timers = new Map<string, ReturnType<Clock["after"]>>();
  readonly #running = new Set<Promise<void>>();
  #stopped = false;

  constructor(ports: AutoCommitPorts) {
    this.#ports = ports;
  }

  /**
   * Schedules the commits that writes from before the start are waiting for. Which indexes have any has
   * to be read from the disk, one after the other; nobody waits for it.
   */
  start(): void {
    this.#run(this.#resumeAll());
  }

  /** Cancels what is scheduled and waits for what is running. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const name of [...this.#timers.keys()]) this.cancel(name);
    await Promise.all(this.#running);
  }

  /** To be called under the index's lock when a write has been accepted, before it is answered. */
  async afterWrite({ schema, storageId }: CatalogIndex): Promise<WriteOutcome> {
    const delay = schema.auto_commit_delay;
    if (delay === 0) return "pending";
    if (delay > IMMEDIATE_DELAY_SECONDS) {
      this.#schedule(schema.name, storageId, delay * 1_000, 0);
      return "scheduled";
    }
    this.cancel(schema.name);
    return (await this.#commit(schema.name, storageId, 0)) ? "committed" : "commit_failed";
  }

  /** Schedules a commit if the index wants them and has pending writes: after a restart or a changed delay. */
  async resume({ schema, storageId }: CatalogIndex): Promise<void> {
    this.cancel(schema.name);
    const delay = schema.auto_commit_delay;
    if (delay === 0) return;
    try {
      if (!(await this.#ports.backend.hasPendingWrites(storageId))) return;
    } catch (error) {
      // Not known: a commit without pending writes does no harm.
      this.#ports.logger.warn("can't tell whether writes are pending", { index: schema.name }, error);
    }
    // A write that came meanwhile has set a timer of its own: of other storage, if the index was replaced, too.
    if (this.#timers.has(schema.name)) return;
    this.#schedule(schema.name, storageId, delay > IMMEDIATE_DELAY_SECONDS ? delay * 1_000 : 0, 0);
  }

  /** Whether this server is going to commit the index by itself. */
  isScheduled(name: string): boolean {
    return this.#timers.has(name);
  }

  /** Commits what another server has left. */
  commitLeft({ schema, storageId }: CatalogIndex): void {
    if (!this.#stopped) this.#run(this.#commitUnderLock(schema.name, storageId, 0));
  }

  /** The index has been committed, rolled back, replaced or deleted, or no longer wants automatic commits. */
  cancel(name: string): void {
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
  }

  async #resumeAll(): Promise<void> {
    for (const index of this.#ports.catalog.indexes()) {
      if (this.#stopped) return;
      // A write that came meanwhile has set a timer of its own, which does as well.
      if (!this.#timers.has(index.schema.name)) await this.resume(index);
    }
  }

  #schedule(name: string, storageId: StorageId, delayMs: number, attempt: number): void {
    this.cancel(name);
    if (this.#stopped) return;
    const first = Math.min(delayMs, LONGEST_TIMER_MS);
    const timer = this.#ports.clock.after(first, () => {
      if (this.#timers.get(name) !== timer) return;
      this.#timers.delete(name);
      if (delayMs > first) this.#schedule(name, storageId, delayMs - first, attempt);
      else this.#run(this.#commitUnderLock(name, storageId, attempt));
    });
    this.#timers.set(name, timer);
  }

  #run(work: Promise<void>): void {
    const tracked = work.finally(() => this.#running.delete(tracked));
    this.#running.add(tracked);
  }

  async #commitUnderLock(name: string, storageId: StorageId, attempt: number): Promise<void> {
    await this.#ports.locks.shared(name, async () => {
      await this.#commit(name, storageId, attempt, () => {
        // The index may have been replaced, deleted or changed while this waited for the lock.
        const index = this.#ports.catalog.index(name);
        return index?.storageId === storageId && index.schema.auto_commit_delay !== 0;
      });
    });
  }

  /** @param isWanted whether there is still something to commit; where that can't be told, it is tried again */
  async #commit(
    name: string,
    storageId: StorageId,
    attempt: number,
    isWanted: () => boolean = () => true,
  ): Promise<boolean> {
    try {
      if (!isWanted()) return false;
      await this.#ports.backend.commit(storageId);
      this.#ports.activity.committed(storageId);
      return true;
    } catch (error) {
      const retryDelayMs = RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)]!;
      this.#ports.logger.error(
        "automatic commit failed, will try again",
        { index: name, retryDelayMs },
        error,
      );
      // A write that came meanwhile has set a timer of its own, which does as well.
      if (!this.#timers.has(name)) this.#schedule(name, storageId, retryDelayMs, attempt + 1);
      return false;
    }
  }
}
