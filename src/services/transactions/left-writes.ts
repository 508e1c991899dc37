import type { Catalog } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { SearchBackend, StorageId } from "../../ports/search-backend.js";
import type { AutoCommit } from "./auto-commit.js";

export interface LeftWritesPorts {
  readonly catalog: Catalog;
  readonly backend: Pick<SearchBackend, "pendingMark">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly autoCommit: Pick<AutoCommit, "isScheduled" | "commitLeft">;
}

interface SeenPending {
  readonly mark: string;
  readonly since: number;
}

const LOOK_MS = 5_000;
/** What the server that took the writes has beyond the index's delay before another one commits them. */
const GRACE_MS = 5_000;

/**
 * Automatic commits for a server that is gone: the server that takes a write commits it by itself, and where it doesn't
 * in time, whichever other one sees that first does. Two that see it at once make one commit, since the second finds
 * nothing pending.
 */
export class LeftWrites {
  readonly #ports: LeftWritesPorts;
  /** What was pending by storage, and since when it has been the same. */
  #seen: ReadonlyMap<StorageId, SeenPending> = new Map();
  #timer: ReturnType<Clock["after"]> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isFailing = false;
  #isStopped = false;

  constructor(ports: LeftWritesPorts) {
    this.#ports = ports;
  }

  /** Does nothing where storage is this process's own. */
  start(): void {
    if (this.#ports.backend.pendingMark === undefined || this.#isStopped) return;
    this.#timer = this.#ports.clock.after(LOOK_MS, () => {
      this.#looking = this.#look().finally(() => this.start());
    });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const { catalog, backend, clock, logger, autoCommit } = this.#ports;
    const seen = new Map<StorageId, SeenPending>();
    try {
      for (const index of catalog.indexes()) {
        const { schema, storageId } = index;
        if (this.#isStopped) return;
        if (schema.auto_commit_delay === 0 || autoCommit.isScheduled(schema.name)) continue;
        const mark = await backend.pendingMark!(storageId);
        if (mark === null) continue;
        const known = this.#seen.get(storageId);
        const since = known?.mark === mark ? known.since : clock.now();
        if (clock.now() - since >= schema.auto_commit_delay * 1_000 + GRACE_MS) autoCommit.commitLeft(index);
        else seen.set(storageId, { mark, since });
      }
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.warn("can't look for writes that wait for an automatic commit", {}, error);
      this.#isFailing = true;
    }
    this.#seen = seen;
  }
}
