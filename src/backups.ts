import { existsSync } from "node:fs";
import { open, readdir, rename, rm, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { indexEntryOf, isKeysFile, problemOf, writeCatalogFiles } from "./adapters/catalog/catalog-files.js";
import { checkStoredKeys, checkStoredSecrets } from "./adapters/catalog/check-stored-secrets.js";
import { readStoredIndexes } from "./adapters/catalog/read-data-folder.js";
import { systemClock } from "./adapters/clock/system-clock.js";
import { EmbeddedBackend } from "./adapters/embedded/embedded-backend.js";
import { restoreEvents } from "./adapters/events/restore-events.js";
import { openObjectStore } from "./adapters/object-stores/open-object-store.js";
import type { BackupPiece } from "./contract/backup-manifest.js";
import { readDetachedCommit } from "./engine/server-door.js";
import { CorruptionError, FindlingError } from "./errors/index.js";
import { type PruneReport, pruneBackups } from "./services/backup/backup-pruning.js";
import { BackupStore } from "./services/backup/backup-store.js";
import { type BackupReport, verifyBackup } from "./services/backup/backup-verification.js";
import { allFilesOf } from "./services/backup/manifest-format.js";
import { restoreWhole, type WholeRestore } from "./services/backup/whole-restore.js";

/** What is done with backups without a server: the composition of its parts for the command line and for a first start. */

export { summaryOf } from "./services/backup/backup-service.js";
export type { BackupReport, PruneReport, WholeRestore };

type Environment = Readonly<Record<string, string | undefined>>;

/** @throws FindlingError `invalid_configuration` */
export async function openBackups(address: string, env: Environment): Promise<BackupStore> {
  return new BackupStore(await openObjectStore(address, env));
}

/** @param id or `latest` */
export async function verify(store: BackupStore, id: string): Promise<BackupReport> {
  return verifyBackup(await store.manifest(await store.settledId(id)), store, {
    describe: readDetachedCommit,
  });
}

/** Manifests that can't be read, and pieces that one of them names and that aren't there with their length. */
export async function checkManifests(store: BackupStore): Promise<{
  readonly count: number;
  readonly problems: { readonly file: string; readonly problem: string }[];
}> {
  const listed = await store.list();
  const lengths = new Map<string, number>();
  for await (const { sha256, object } of store.pieces()) lengths.set(sha256, object.bytes);
  const problems = listed.flatMap(({ id, manifest, problem }) => {
    const file = `backups/${id}.json`;
    if (manifest === null) return [{ file, problem: problem ?? "it can't be read" }];
    const isMissing = ({ sha256, bytes }: BackupPiece): boolean => lengths.get(sha256) !== bytes;
    return allFilesOf(manifest)
      .filter(({ pieces }) => pieces.some(isMissing))
      .map(({ name }) => ({ file, problem: `a piece of '${name}' is missing, or has another length` }));
  });
  return { count: listed.length, problems };
}

export function prune(store: BackupStore, keep: number): Promise<PruneReport> {
  return pruneBackups(store, { keep, clock: systemClock });
}

/** Left while a restore is under way: a folder that has it and no catalog is no data folder. */
const RESTORING_FILE = ".restoring";
const CATALOG_FOLDER = "catalog";
const CATALOG_TO_BE = "catalog.restoring";

export interface RestoredFolder extends WholeRestore {
  /** What the restored data needs that no backup has: the secret key that keys and AI settings are sealed with. */
  readonly missing: readonly string[];
}

export interface RestoreOptions {
  readonly dataDir: string;
  readonly secretKey: string | undefined;
  readonly measureMemoryMb: number;
}

/**
 * Restores a whole backup into a folder that holds no data. A restore that was cut off is begun anew; until it is at its
 * end, the folder holds no data.
 *
 * @param id or `latest`
 * @throws FindlingError `storage_unavailable` if the folder holds data, `storage_locked` if a process has it,
 *   `backup_not_found`; CorruptionError if the backup's manifest or catalog is damaged
 */
export async function restoreDataFolder(
  store: BackupStore,
  id: string,
  { dataDir, secretKey, measureMemoryMb }: RestoreOptions,
): Promise<RestoredFolder> {
  const manifest = await store.manifest(await store.settledId(id));
  if (!manifest.catalog.some(({ name }) => isKeysFile({ path: name, bytes: new Uint8Array(0) })))
    throw new CorruptionError(`backups/${manifest.id}.json`, "it names no file with the access keys");
  const problems: string[] = [];
  const backend = await EmbeddedBackend.open({
    dataDirectory: dataDir,
    // One index at a time is opened, to see that it can be.
    awake: { countMax: 1, bytesMax: 1, idleMs: 1 },
    clock: systemClock,
    onProblem: (message) => problems.push(message),
  });
  try {
    await backend.requireWritable();
    await clearCutOff(dataDir);
    if (await holdsAnything(dataDir)) {
      throw new FindlingError(
        "storage_unavailable",
        `'${dataDir}' holds data already: restore into an empty folder, or one index with another name into a running server`,
      );
    }
    await writeFile(join(dataDir, RESTORING_FILE), `${manifest.id}\n`, { mode: 0o600 });
    await syncFolder(dataDir);
    const restored = await restoreWhole(manifest, store, {
      indexFiles: backend.files,
      indexOf: indexEntryOf,
      problemOf,
      putEvents: (files) => restoreEvents(join(dataDir, "measure"), files, measureMemoryMb),
      async putCatalog(files) {
        await writeCatalogFiles(join(dataDir, CATALOG_TO_BE), files);
        await rename(join(dataDir, CATALOG_TO_BE), join(dataDir, CATALOG_FOLDER));
        await syncFolder(dataDir);
      },
    });
    for (const { storage_id: storageId } of manifest.indexes) {
      // One that couldn't be restored has none.
      if (existsSync(join(dataDir, "indexes", storageId))) await backend.keepIndex(storageId);
    }
    await endRestore(dataDir);
    const missing = await missingSecrets(dataDir, secretKey);
    return { ...restored, missing };
  } finally {
    await backend.stop();
  }
}

/**
 * Settles what a restore may have left that was cut off.
 *
 * @throws FindlingError `storage_unavailable` if the folder isn't whole: nobody may take it for an empty one
 */
export async function requireNoCutOffRestore(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, RESTORING_FILE))) return;
  if (existsSync(join(dataDir, CATALOG_FOLDER))) return endRestore(dataDir);
  throw new FindlingError(
    "storage_unavailable",
    `a restore into '${dataDir}' was cut off: run it again, or delete the folder`,
  );
}

/** Whether a first start should restore into the folder. */
export function holdsData(dataDir: string): boolean {
  return existsSync(join(dataDir, CATALOG_FOLDER));
}

/** Once the catalog is there, all is: the marks of index folders are taken away by the next start. */
async function endRestore(dataDir: string): Promise<void> {
  await unlink(join(dataDir, RESTORING_FILE));
}

/** Deletes what a restore has left: it is marked as that. */
async function clearCutOff(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, RESTORING_FILE)) || existsSync(join(dataDir, CATALOG_FOLDER))) return;
  for (const folder of [CATALOG_TO_BE, "indexes", "measure"])
    await rm(join(dataDir, folder), { recursive: true, force: true });
  await unlink(join(dataDir, RESTORING_FILE));
}

/** A `secret.key` and the claim of this process are no data. */
async function holdsAnything(dataDir: string): Promise<boolean> {
  for (const folder of [CATALOG_FOLDER, "indexes", "measure"]) {
    const path = join(dataDir, folder);
    if (existsSync(path) && (await readdir(path)).length > 0) return true;
  }
  return false;
}

async function missingSecrets(dataDir: string, secretKey: string | undefined): Promise<readonly string[]> {
  const { indexes } = readStoredIndexes(dataDir);
  const found = [
    ...(await checkStoredKeys(dataDir, secretKey)),
    ...(await checkStoredSecrets(dataDir, indexes, secretKey)),
  ];
  return found.map(({ problem }) => problem);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
