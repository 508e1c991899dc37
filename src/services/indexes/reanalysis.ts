import type { IndexSchema } from "../../contract/index-schema.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import { differInDocuments, isOfOldAnalysis, withNewAnalysis } from "../../query/index-analysis.js";
import type { IndexLocks } from "../locks/index-locks.js";
import type { AutoCommit } from "../transactions/auto-commit.js";
import { dropStorage } from "./drop-storage.js";
import { requireNoneLacks } from "./field-changes.js";
import { newStorageId } from "./storage-id.js";
import { requireUniqueKeys } from "./unique-keys.js";

export interface ReanalysisPorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly locks: IndexLocks;
  readonly autoCommit: AutoCommit;
}

const RETRY_DELAYS_MS = [1_000, 5_000, 30_000, 60_000] as const;

/**
 * Writes the documents of indexes anew where their settings (contract 3.2, PATCH) or fields ask for it: in
 * new storage beside the running one, which goes on taking searches and writes. When the copy is
 * nearly up to date, the rest is copied while the index's lock is held, and the catalog's one write
 * puts settings and storage in force together; before it nothing has changed, after it the old
 * storage is rubbish that a restart would clear away too.
 *
 * Work on an index is either being waited for, and then a failure is its caller's, or accepted: named
 * in the catalog as `next_schema`, tried again after failures and taken up again after a restart.
 */
export class Reanalysis {
  readonly #ports: ReanalysisPorts;
  /** By index name. */
  readonly #works = new Map<string, Work>();
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(ports: ReanalysisPorts) {
    this.#ports = ports;
  }

  /**
   * Takes up what had been accepted before the last stop or crash, and begins to analyse indexes anew that
   * an earlier version of the analysis made, one after the other.
   */
  start(): void {
    const upgraded: string[] = [];
    for (const { schema, next_schema } of this.#ports.catalog.indexes()) {
      if (next_schema === undefined && isOfOldAnalysis(schema)) upgraded.push(schema.name);
      else this.resume(schema.name);
    }
    const upgrades = this.#upgradeAll(upgraded).finally(() => this.#running.delete(upgrades));
    this.#running.add(upgrades);
  }

  /** What can't be accepted now, as on a full disk, goes on under the rules that it has until the next start. */
  async #upgradeAll(names: readonly string[]): Promise<void> {
    for (const name of names) {
      if (this.#isStopped) return;
      try {
        await this.#upgrade(name);
      } catch (error) {
        this.#ports.logger.warn("an index can't be analysed anew now", { index: name }, error);
      }
    }
  }

  async #upgrade(name: string): Promise<void> {
    const { catalog, locks } = this.#ports;
    await locks.exclusive(name, async () => {
      const index = catalog.index(name);
      if (index === undefined || index.next_schema !== undefined || !isOfOldAnalysis(index.schema)) return;
      await catalog.putIndex({ ...index, next_schema: withNewAnalysis(index.schema) }, index);
    });
    const accepted = catalog.index(name)?.next_schema;
    if (accepted === undefined || this.#works.has(name) || this.#isStopped) return;
    await this.#begin(name, accepted, true);
  }

  /** Leaves off all work; what was accepted goes on after the next start. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const work of this.#works.values()) {
      work.cancel(
        new FindlingError("shutting_down", "the server stopped before the settings came into force"),
      );
    }
    this.#works.clear();
    await Promise.all(this.#running);
  }

  /**
   * Begins to put the schema in force, in place of any earlier work on the index. To be called under
   * the index's lock, not to be waited for under it.
   *
   * @returns settles when the schema is in force or no longer wanted; rejects if it can't be
   */
  begin(name: string, schema: IndexSchema): Promise<void> {
    return this.#begin(name, schema, false);
  }

  /** From now on failures are not the caller's. False if the work is over, one way or the other. Under the index's lock. */
  async accept(name: string): Promise<boolean> {
    const work = this.#works.get(name);
    const index = this.#ports.catalog.index(name);
    if (work === undefined || index === undefined) return false;
    // First, so that a failure of the work meanwhile is tried again; if this one fails, the caller cancels.
    work.isAccepted = true;
    await this.#ports.catalog.putIndex({ ...index, next_schema: work.schema }, index);
    return true;
  }

  /** Goes on with what the catalog says was accepted, if anything was and nothing is under way. */
  resume(name: string): void {
    const accepted = this.#ports.catalog.index(name)?.next_schema;
    if (accepted === undefined || this.#works.has(name) || this.#isStopped) return;
    this.#begin(name, accepted, true).catch(() => undefined);
  }

  /** The index has been replaced or deleted, or its settings ask for no other analysis any more. */
  cancel(name: string): void {
    this.#works.get(name)?.cancel();
    this.#works.delete(name);
  }

  #begin(name: string, schema: IndexSchema, isAccepted: boolean): Promise<void> {
    this.cancel(name);
    const work = new Work(name, schema, isAccepted);
    this.#works.set(name, work);
    const done = this.#run(work).finally(() => {
      if (this.#works.get(name) === work) this.#works.delete(name);
    });
    const settled = done
      .catch(() => undefined)
      .then(() => {
        this.#running.delete(settled);
      });
    this.#running.add(settled);
    return done;
  }

  async #run(work: Work): Promise<void> {
    const { logger } = this.#ports;
    for (let attempt = 0; work.isWanted; attempt++) {
      try {
        if (await this.#attempt(work)) return;
      } catch (error) {
        if (!work.isWanted) break;
        if (!work.isAccepted) throw error;
        if (error instanceof FindlingError && error.code === "invalid_schema")
          return this.#giveUp(work, error);
        const retryDelayMs = RETRY_DELAYS_MS[Math.min(attempt, RETRY_DELAYS_MS.length - 1)]!;
        const fields = { index: work.name, retryDelayMs };
        logger.error("analysing an index anew failed, will try again", fields, error);
        await work.pause(this.#ports.clock, retryDelayMs);
      }
    }
    if (work.refusal !== null) throw work.refusal;
  }

  /** Documents have come meanwhile that the accepted settings don't allow: those in force stay. */
  async #giveUp({ name }: Work, error: FindlingError): Promise<void> {
    const { catalog, locks, logger } = this.#ports;
    logger.error(
      "settings that were accepted can't come into force, and are dropped",
      { index: name },
      error,
    );
    await locks.exclusive(name, async () => {
      const index = catalog.index(name);
      if (index === undefined) return;
      const { next_schema: _, ...kept } = index;
      await catalog.putIndex(kept);
    });
  }

  /** False if the index's storage was another one in the end. */
  async #attempt(work: Work): Promise<boolean> {
    const { catalog, backend, locks } = this.#ports;
    const index = catalog.index(work.name);
    if (index === undefined) return true;
    const storageId = newStorageId();
    const rewrite = await backend.rewriteIndex(index.storageId, {
      storageId,
      schema: work.schema,
      isWanted: () => work.isWanted,
    });
    let isSwapped = false;
    try {
      isSwapped = await locks.exclusive(work.name, async () => {
        const current = catalog.index(work.name);
        if (!work.isWanted || current?.storageId !== index.storageId) return false;
        await requireNoneLacks(backend, index.storageId, current.schema, work.schema);
        await rewrite.finish();
        if (work.schema.primary_key !== current.schema.primary_key)
          await requireUniqueKeys(backend, storageId, work.schema);
        await this.#swap(work, current, storageId);
        return true;
      });
    } finally {
      // Without the lock: removing files can take long.
      if (isSwapped) await dropStorage(this.#ports, work.name, index.storageId);
      // Else a restart may find that it is named after all, and clears away the one that isn't.
      else if (catalog.isSettled) await rewrite.abandon();
    }
    return isSwapped;
  }

  /** One durable step. Other settings may have been accepted since the work began. */
  async #swap(work: Work, current: CatalogIndex, storageId: StorageId): Promise<void> {
    const { next_schema: accepted, ...rest } = current;
    const schema =
      accepted === undefined || differInDocuments(accepted, work.schema) ? work.schema : accepted;
    const swapped = { ...rest, schema, storageId };
    const { catalog, backend } = this.#ports;
    await backend.releaseIndex(current.storageId);
    try {
      await catalog.putIndex(swapped, current);
    } catch (error) {
      if (catalog.isSettled) await backend.keepIndex(current.storageId);
      throw error;
    }
    await backend.keepIndex(storageId);
    this.#works.delete(work.name);
    await this.#ports.autoCommit.resume(swapped);
  }
}

/** An index on its way to another analysis. */
class Work {
  readonly name: string;
  readonly schema: IndexSchema;
  isAccepted: boolean;
  #isWanted = true;
  #refusal: FindlingError | null = null;
  #wake: () => void = () => undefined;

  constructor(name: string, schema: IndexSchema, isAccepted: boolean) {
    this.name = name;
    this.schema = schema;
    this.isAccepted = isAccepted;
  }

  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** What whoever waits for it is told in the end; null: all is well without it. */
  get refusal(): FindlingError | null {
    return this.#refusal;
  }

  cancel(refusal: FindlingError | null = null): void {
    this.#isWanted = false;
    this.#refusal = refusal;
    this.#wake();
  }

  async pause(clock: Clock, delayMs: number): Promise<void> {
    if (!this.#isWanted) return;
    await new Promise<void>((wake) => {
      const timer = clock.after(delayMs, wake);
      this.#wake = () => {
        timer.cancel();
        wake();
      };
    });
  }
}
