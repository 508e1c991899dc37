import {
  type RestoreBegun,
  type RestoredIndex,
  type RestoreProgress,
  type RestoreRequest,
  restoreBodySchema,
} from "../../contract/backup-bodies.js";
import type { BackupIndex, BackupManifest } from "../../contract/backup-manifest.js";
import { checkShape } from "../../contract/check-shape.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { Clock } from "../../ports/clock.js";
import type { IndexFiles } from "../../ports/index-files.js";
import type { Logger } from "../../ports/logger.js";
import type { StoredCatalog } from "../../ports/stored-catalog.js";
import type { IndexService } from "../indexes/index-service.js";
import type { BackupStore } from "./backup-store.js";
import { entryOf, filesOf } from "./whole-restore.js";

/** Restores that the list tells of. */
const TOLD_MAX = 20;

export interface IndexRestorePorts {
  readonly indexes: Pick<IndexService, "requireFree" | "restore">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** What a backup is read from and checked with. */
export interface RestoreSource {
  readonly store: BackupStore;
  readonly indexFiles: IndexFiles;
  readonly storedCatalog: StoredCatalog;
}

/** A restore that goes on, whether anybody waits for it or not. */
export interface RunningRestore {
  readonly begun: RestoreBegun;
  /** @throws FindlingError `index_exists`, `backup_damaged`, `shutting_down`, `storage_unavailable`; then nothing is there */
  readonly restored: Promise<RestoredIndex>;
}

/** Indexes that are taken out of backups, beside those that there are, and what became of them since the start. */
export class IndexRestores {
  readonly #ports: IndexRestorePorts;
  /** The newest last. */
  readonly #told: RestoreProgress[] = [];
  readonly #running = new Map<RestoreProgress, Promise<unknown>>();
  #isStopping = false;

  constructor(ports: IndexRestorePorts) {
    this.#ports = ports;
  }

  /** The newest first. */
  list(): readonly RestoreProgress[] {
    return this.#told.toReversed();
  }

  /** Those that go on are given up, and leave nothing. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled(this.#running.values());
  }

  /**
   * Begins one once it is known to be possible.
   *
   * @throws FindlingError `invalid_request`, `backup_not_found`, `backup_damaged`, `index_not_found` if the backup hasn't
   *   got it, `index_exists`, `invalid_index`, `storage_unavailable`
   */
  async begin(source: RestoreSource, idOrLatest: string, body: unknown): Promise<RunningRestore> {
    checkShape<RestoreRequest>(restoreBodySchema, body, "invalid_request");
    const { index: name, as } = body;
    const id = await source.store.settledId(idOrLatest);
    const manifest = await damageNamed(id, () => source.store.manifest(id));
    const index = manifest.indexes.find((each) => each.name === name);
    if (index === undefined) throw missingIndex(manifest, name);
    this.#requireFree(as);
    const progress: RestoreProgress = {
      backup: id,
      index: name,
      as,
      state: "running",
      begun_at: this.#now(),
      total_bytes: index.files.reduce((sum, { bytes }) => sum + bytes, 0),
      restored_bytes: 0,
    };
    this.#told.push(progress);
    const restored = damageNamed(id, () => this.#restore(source, index, progress))
      .then((result) => this.#tellDone(progress, result))
      .catch((error: unknown) => this.#tellFailed(progress, error));
    this.#running.set(progress, restored);
    return { begun: { backup: id, index: name, as, state: "running" }, restored };
  }

  #requireFree(as: string): void {
    this.#ports.indexes.requireFree(as);
    if ([...this.#running.keys()].some((each) => each.as === as))
      throw new FindlingError("index_exists", `an index '${as}' is being restored already`);
  }

  async #restore(
    { store, indexFiles, storedCatalog }: RestoreSource,
    index: BackupIndex,
    progress: RestoreProgress,
  ): Promise<RestoredIndex> {
    const bytes = await store.readWhole(index.entry);
    const entry = entryOf(index, { path: index.entry.name, bytes }, storedCatalog);
    const files = filesOf(index, store, indexFiles);
    const open = (name: string): AsyncIterable<Uint8Array> => this.#counted(files.open(name), progress);
    const { missing } = await this.#ports.indexes.restore(entry, progress.as, (storageId, schema) =>
      indexFiles.restore(storageId, schema, { ...files, open }),
    );
    return { index: progress.as, document_count: index.document_count, missing };
  }

  async *#counted(chunks: AsyncIterable<Uint8Array>, progress: RestoreProgress): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#isStopping)
        throw new FindlingError("shutting_down", "the server stops; the restore is given up");
      progress.restored_bytes += chunk.length;
      yield chunk;
    }
  }

  #tellDone(progress: RestoreProgress, restored: RestoredIndex): RestoredIndex {
    const { document_count, missing } = restored;
    this.#end(progress, { state: "done", document_count, missing });
    const { backup, index, as } = progress;
    this.#ports.logger.info("an index was restored", { backup, index, as });
    return restored;
  }

  #tellFailed(progress: RestoreProgress, error: unknown): never {
    const problem = error instanceof FindlingError ? error.message : "it failed; the log says why";
    this.#end(progress, { state: "failed", problem });
    const { backup, index, as } = progress;
    if (!this.#isStopping)
      this.#ports.logger.error("an index could not be restored", { backup, index, as }, error);
    throw error;
  }

  #end(progress: RestoreProgress, outcome: Partial<RestoreProgress>): void {
    Object.assign(progress, outcome, { ended_at: this.#now() });
    this.#running.delete(progress);
    while (this.#told.length > TOLD_MAX) {
      const oldest = this.#told.findIndex(({ state }) => state !== "running");
      if (oldest < 0) return;
      this.#told.splice(oldest, 1);
    }
  }

  #now(): string {
    return new Date(this.#ports.clock.now()).toISOString();
  }
}

async function damageNamed<T>(id: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    throw new FindlingError(
      "backup_damaged",
      `the backup '${id}' is damaged: POST /backup/${id}/verify says where`,
      { details: error.message, cause: error },
    );
  }
}

function missingIndex({ id, failed }: BackupManifest, name: string): FindlingError {
  const isFailed = failed.some(({ index }) => index === name);
  return new FindlingError(
    "index_not_found",
    isFailed
      ? `index '${name}' could not be read when the backup '${id}' was made, and is not in it`
      : `the backup '${id}' has no index '${name}'`,
  );
}
