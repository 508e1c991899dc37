/** The parts of a server that keeps everything in its data folder, found by its own engine. */
import { existsSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { FileCatalog } from "./adapters/catalog/file-catalog.js";
import { SECRET_KEY_FILE } from "./adapters/catalog/secret-key-ring.js";
import { systemClock } from "./adapters/clock/system-clock.js";
import { EmbeddedBackend } from "./adapters/embedded/embedded-backend.js";
import type { QueuedEventStore } from "./adapters/events/queued-event-store.js";
import { openObjectStore } from "./adapters/object-stores/open-object-store.js";
import { bytesOf, type Configuration, memoryOfMachine } from "./config/index.js";
import { CorruptionError } from "./errors/index.js";
import type { Logger } from "./http/log/logger.js";
import type { StorageHealth } from "./ports/storage-health.js";
import type { BackupParts } from "./services/backup/backup-service.js";

export interface EmbeddedStorage {
  readonly catalog: FileCatalog;
  readonly backend: EmbeddedBackend;
  readonly health: StorageHealth;
  readonly searchCaches: () => EmbeddedBackend["cacheFigures"];
  readonly backup: (eventStore: QueuedEventStore | null) => Promise<BackupParts | undefined>;
}

/** @throws FindlingError `storage_unavailable`, `storage_corrupt` */
export async function openEmbeddedStorage(
  configuration: Configuration,
  logger: Logger,
): Promise<EmbeddedStorage> {
  const { dataDir, backupUrl } = configuration;
  const backend = await EmbeddedBackend.open({
    dataDirectory: dataDir,
    memoryBudgetBytes: bytesOf(configuration.memoryBudgetMb),
    writingThread: configuration.writingThread,
    awake: {
      countMax: configuration.openIndexes,
      bytesMax: bytesOf(configuration.openIndexMemoryMb) || memoryOfMachine() / 2,
      idleMs: configuration.indexIdleSeconds * 1000,
    },
    searchTimeoutMs: configuration.searchTimeoutMs,
    searchThreads: configuration.searchThreads ?? Math.max(1, availableParallelism() - 1),
    clock: systemClock,
    onProblem: (message, error) => logger.error({ err: error }, message),
  });
  try {
    const catalogFolder = join(dataDir, "catalog");
    refuseLostCatalog(catalogFolder, join(dataDir, "indexes"));
    const catalog = await FileCatalog.open(
      catalogFolder,
      { keyFile: join(dataDir, SECRET_KEY_FILE), configuredKey: configuration.secretKey },
      { requireWritable: () => backend.requireWritable(), storageRoot: join(dataDir, "indexes") },
    );
    reportProblems(catalog, logger);
    // An index whose entry can't be read looks like one that was being made or deleted, if its folder is marked so.
    if (catalog.damaged().length > 0) backend.keepLeftovers();
    return {
      catalog,
      backend,
      health: {
        problem: null,
        get damage() {
          return catalog.damaged().map(({ holder }) => holder);
        },
      },
      searchCaches: () => backend.cacheFigures,
      backup: async (eventStore) =>
        backupUrl === undefined
          ? undefined
          : {
              objectStore: await openObjectStore(backupUrl, process.env),
              storedCatalog: catalog.stored,
              indexFiles: backend.files,
              events: eventStore?.archive ?? null,
            },
    };
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

/** Told at the start: what is damaged is as if it weren't there; requests to models need the indexes' secrets, and all requests but with configured keys the keys. */
function reportProblems(catalog: FileCatalog, logger: Logger): void {
  for (const { file, holder, error } of catalog.damaged())
    logger.error(
      { file },
      `${error.message}; the server starts without (${holder}), and leaves the file as it is`,
    );
  for (const { index, problem } of catalog.secretProblems()) logger.warn({ index }, problem);
  for (const index of catalog.plainSecrets()) {
    logger.warn({ index }, "the index's secrets can't be encrypted now and stay on the disk in plain text");
  }
  for (const { problem } of catalog.keyProblems()) logger.warn(problem);
  if (catalog.hasPlainKeys) {
    logger.warn("the access keys can't be encrypted now and stay on the disk in plain text");
  }
}

/** Without its catalog, every index's data would look left over and be cleared away. */
function refuseLostCatalog(catalogFolder: string, indexFolder: string): void {
  if (existsSync(catalogFolder) || !existsSync(indexFolder) || readdirSync(indexFolder).length === 0) return;
  throw new CorruptionError(catalogFolder, "it is missing, although there is data of indexes next to it");
}
