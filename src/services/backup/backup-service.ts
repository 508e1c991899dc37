import type { BackupBegun, BackupCheck, BackupList, BackupSummary } from "../../contract/backup-bodies.js";
import type { BackupManifest } from "../../contract/backup-manifest.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { Logger } from "../../ports/logger.js";
import type { ObjectStore } from "../../ports/object-store.js";
import type { IndexService } from "../indexes/index-service.js";
import { BackupCreation, type BackupSources } from "./backup-creation.js";
import { pruneBackups } from "./backup-pruning.js";
import { BackupSchedule } from "./backup-schedule.js";
import { BackupStore, newBackupId } from "./backup-store.js";
import { verifyBackup } from "./backup-verification.js";
import { IndexRestores, type RunningRestore } from "./index-restores.js";

/** What backups are made of, and where they go. */
export interface BackupParts extends Omit<BackupSources, "catalog"> {
  readonly objectStore: ObjectStore;
}

export interface BackupPorts {
  /** Null: no backups are configured, and every operation says so. */
  readonly parts: BackupParts | null;
  readonly catalog: Catalog;
  readonly indexes: IndexService;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface BackupOptions {
  readonly serverVersion: string;
  /** When backups are made by themselves: `6h`, `30m`, `2d`, or `03:30` for once a day in UTC; absent: never. */
  readonly schedule?: string | undefined;
  /** How many backups stay once the schedule has made another one; 0: all. */
  readonly keep: number;
  /** Why there can be no backups where documents are kept, and what there is instead; absent: there can. */
  readonly notSupported?: string;
}

interface RunningBackup {
  readonly id: string;
  readonly made: Promise<BackupManifest>;
}

const NO_SCHEDULE: BackupOptions = { serverVersion: "", keep: 0 };

/** Backups of a running server. Everything in the store may be damaged or made up: it is checked before it is used. */
export class BackupService {
  readonly #ports: BackupPorts;
  readonly #options: BackupOptions;
  readonly #schedule: BackupSchedule | null;
  readonly #restores: IndexRestores;
  #running: RunningBackup | null = null;
  #isBeginning = false;
  #lastFailure: BackupList["last_failure"];
  #isStopping = false;

  constructor(ports: BackupPorts, options: BackupOptions = NO_SCHEDULE) {
    this.#ports = ports;
    this.#options = options;
    this.#restores = new IndexRestores(ports);
    this.#schedule =
      options.schedule === undefined || ports.parts === null
        ? null
        : new BackupSchedule(options.schedule, {
            clock: ports.clock,
            logger: ports.logger,
            newestAtMs: () => this.#newestAtMs(),
            run: () => this.#runAsScheduled(),
          });
  }

  start(): void {
    this.#schedule?.start();
  }

  /** One that is being made is given up, and what it has sent is used by the next one; restores are given up, too. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([this.#schedule?.stop(), this.#restores.stop()]);
    await this.#running?.made.catch(() => undefined);
  }

  /** @throws FindlingError `backup_not_configured`, `storage_unavailable` */
  async list(): Promise<BackupList> {
    const store = this.#store();
    // Before the list is: what is in neither has failed.
    const running = this.#running;
    const listed = await store.list();
    const nextAtMs = this.#schedule?.nextAtMs ?? null;
    const restores = this.#restores.list();
    return {
      backups: listed.flatMap(({ manifest }) => (manifest === null ? [] : [summaryOf(manifest)])),
      damaged: listed.flatMap(({ id, problem }) => (problem === null ? [] : [{ id, problem }])),
      running: running !== null,
      ...(running !== null && { running_id: running.id }),
      ...(this.#lastFailure !== undefined && { last_failure: this.#lastFailure }),
      ...(restores.length > 0 && { restores }),
      ...(nextAtMs !== null && { next_at: new Date(nextAtMs).toISOString() }),
    };
  }

  /** @throws FindlingError `backup_not_configured`, `backup_running`, `storage_unavailable` */
  async create(): Promise<BackupSummary> {
    const { made } = await this.#begin();
    return summaryOf(await made);
  }

  /**
   * Begins to make one and doesn't wait for it; what becomes of it is in the list, and in the log.
   *
   * @throws FindlingError `backup_not_configured`, `backup_running`
   */
  async begin(): Promise<BackupBegun> {
    const { id, made } = await this.#begin();
    made.catch((error: unknown) => {
      if (!this.#isStopping) this.#ports.logger.error("a backup could not be made", { backup: id }, error);
    });
    return { id, state: "running" };
  }

  async #begin(): Promise<RunningBackup> {
    const store = this.#store();
    if (this.#running !== null || this.#isBeginning)
      throw new FindlingError(
        "backup_running",
        "a backup is being made already; GET /backup tells when it is there",
      );
    this.#isBeginning = true;
    try {
      // A store that is away fails the backup, which says so.
      const ids = await store.ids().catch(() => []);
      return this.#run(store, newBackupId(this.#ports.clock.now(), ids.at(-1)));
    } finally {
      this.#isBeginning = false;
    }
  }

  #run(store: BackupStore, id: string): RunningBackup {
    const { catalog, clock } = this.#ports;
    const creation = new BackupCreation({ ...this.#parts(), catalog }, store, {
      id,
      clock,
      serverVersion: this.#options.serverVersion,
      isWanted: () => !this.#isStopping,
    });
    const made = creation.run().finally(() => {
      this.#running = null;
    });
    this.#running = { id, made };
    made.then(
      (manifest) => this.#tell(manifest),
      (error: unknown) => {
        const problem = error instanceof FindlingError ? error.message : "it failed; the log says why";
        this.#lastFailure = { id, failed_at: new Date(clock.now()).toISOString(), problem };
      },
    );
    return this.#running;
  }

  #tell({ id, total_bytes, uploaded_bytes, failed, indexes, events }: BackupManifest): void {
    const { logger } = this.#ports;
    logger.info("a backup was made", { backup: id, indexes: indexes.length, total_bytes, uploaded_bytes });
    for (const { index, problem } of failed) {
      if (index === null) {
        logger.error("a damaged file of the catalog is in the backup as it is", { backup: id, problem });
        continue;
      }
      logger.error("an index could not be read and is missing in the backup", { backup: id, index, problem });
    }
    const { problem } = events;
    if (problem !== undefined)
      logger.error("usage events could not be read and are missing in the backup", { backup: id, problem });
  }

  /** @param idOrLatest `latest` is the newest one. @throws FindlingError `backup_not_configured`, `backup_not_found`, `storage_unavailable` */
  async verify(idOrLatest: string): Promise<BackupCheck> {
    const store = this.#store();
    const id = await store.settledId(idOrLatest);
    try {
      const report = await verifyBackup(await store.manifest(id), store, this.#parts().indexFiles);
      const problems = report.problems.map(({ index, ...rest }) => ({
        ...(index !== null && { index }),
        ...rest,
      }));
      return { id, sound: problems.length === 0, checked_bytes: report.checked_bytes, problems };
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      const problems = [{ file: error.file, problem: error.message }];
      return { id, sound: false, checked_bytes: 0, problems };
    }
  }

  /**
   * Begins to restore one index beside those that there are.
   *
   * @throws FindlingError `backup_not_configured`, and as `IndexRestores.begin`
   */
  async beginRestore(idOrLatest: string, body: unknown): Promise<RunningRestore> {
    const { indexFiles, storedCatalog } = this.#parts();
    return this.#restores.begin({ store: this.#store(), indexFiles, storedCatalog }, idOrLatest, body);
  }

  /** When the newest backup was begun that can be read; null without any. */
  async #newestAtMs(): Promise<number | null> {
    const store = this.#store();
    for (const id of (await store.ids()).toReversed()) {
      try {
        return Date.parse((await store.manifest(id)).created_at);
      } catch (error) {
        if (!(error instanceof CorruptionError)) throw error;
      }
    }
    return null;
  }

  async #runAsScheduled(): Promise<void> {
    await this.create();
    const { keep } = this.#options;
    if (keep === 0) return;
    const { deleted, deleted_bytes, left_because } = await pruneBackups(this.#store(), {
      keep,
      clock: this.#ports.clock,
    });
    this.#ports.logger.info("old backups were deleted", {
      backups: deleted.length,
      bytes: deleted_bytes,
      left_because,
    });
  }

  #store(): BackupStore {
    return new BackupStore(this.#parts().objectStore);
  }

  #parts(): BackupParts {
    const { parts } = this.#ports;
    if (parts === null) {
      const { notSupported } = this.#options;
      if (notSupported !== undefined) throw new FindlingError("not_supported", notSupported);
      throw new FindlingError(
        "backup_not_configured",
        "this server has no place for backups; start it with FINDLING_BACKUP_URL, such as file:///var/backups/findling",
      );
    }
    return parts;
  }
}

export function summaryOf(manifest: BackupManifest): BackupSummary {
  const { id, created_at, finished_at, failed, events, total_bytes, uploaded_bytes } = manifest;
  return {
    id,
    created_at,
    finished_at,
    indexes: manifest.indexes.map(({ name, document_count, pending_writes_left_out, files }) => ({
      name,
      document_count,
      pending_writes_left_out,
      bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    })),
    failed,
    events: events.kind,
    ...(events.problem !== undefined && { events_problem: events.problem }),
    total_bytes,
    uploaded_bytes,
  };
}
