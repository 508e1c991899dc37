import type { BackupIndex, BackupManifest } from "../../contract/backup-manifest.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import type { IndexFiles } from "../../ports/index-files.js";
import type { CatalogFile } from "../../ports/stored-catalog.js";
import type { BackupStore } from "./backup-store.js";
import { expectedFiles } from "./expected-files.js";

/** An empty data folder, which holds data from `putCatalog` on and not before. */
export interface RestoreTarget {
  readonly indexFiles: IndexFiles;
  /** @throws CorruptionError naming the file */
  indexOf(file: CatalogFile): CatalogIndex | null;
  /** As `StoredCatalog` says it. */
  problemOf(file: CatalogFile): string | null;
  /** @throws FindlingError `storage_unavailable`; whatever the files' bytes throw, and then there are no events */
  putEvents(files: readonly AsyncIterable<Uint8Array>[]): Promise<void>;
  /** The last step. */
  putCatalog(files: readonly CatalogFile[]): Promise<void>;
}

/** Part of a backup that couldn't be restored, while the rest was. */
export interface RestoreFailure {
  /** Null: usage events, or a damaged file of the catalog. */
  readonly index: string | null;
  readonly problem: string;
}

export interface WholeRestore {
  readonly id: string;
  readonly created_at: string;
  readonly indexes: readonly { readonly name: string; readonly document_count: number }[];
  readonly failed: readonly RestoreFailure[];
}

/**
 * Restores a whole backup. What is damaged costs an index, or the usage events, and is named; without its catalog there
 * is nothing to restore to.
 *
 * @throws CorruptionError if the catalog's files are damaged; FindlingError `storage_unavailable`
 */
export async function restoreWhole(
  manifest: BackupManifest,
  store: BackupStore,
  target: RestoreTarget,
): Promise<WholeRestore> {
  const catalog: CatalogFile[] = [];
  for (const file of manifest.catalog) catalog.push({ path: file.name, bytes: await store.readWhole(file) });
  const indexes: { name: string; document_count: number }[] = [];
  const failed: RestoreFailure[] = manifest.failed
    .filter(({ index }) => index !== null)
    .map(({ index, problem }) => ({ index, problem: `it isn't in the backup: ${problem}` }));
  // Backups of before don't say that they hold damaged ones.
  for (const file of catalog) {
    const problem = target.problemOf(file);
    if (problem !== null) failed.push({ index: null, problem });
  }
  for (const index of manifest.indexes) {
    try {
      const file = { path: index.entry.name, bytes: await store.readWhole(index.entry) };
      const entry = entryOf(index, file, target);
      await target.indexFiles.restore(
        index.storage_id,
        entry.schema,
        filesOf(index, store, target.indexFiles),
      );
      catalog.push(file);
      indexes.push({ name: index.name, document_count: index.document_count });
    } catch (error) {
      if (!(error instanceof CorruptionError)) throw error;
      failed.push({ index: index.name, problem: error.message });
    }
  }
  if (manifest.events.kind === "failed")
    failed.push({
      index: null,
      problem: `usage events aren't in the backup: ${manifest.events.problem ?? ""}`,
    });
  try {
    await target.putEvents(manifest.events.files.map((file) => store.read(file)));
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    failed.push({ index: null, problem: error.message });
  }
  await target.putCatalog(catalog);
  return { id: manifest.id, created_at: manifest.created_at, indexes, failed };
}

/** Whether the entry is that of the index: a manifest may have been put together wrongly. */
export function entryOf(
  { name, storage_id }: BackupIndex,
  file: CatalogFile,
  { indexOf }: Pick<RestoreTarget, "indexOf">,
): CatalogIndex {
  const entry = indexOf(file);
  if (entry?.schema.name !== name || entry.storageId !== storage_id)
    throw new CorruptionError(file.path, `it isn't the entry of index '${name}'`);
  return entry;
}

/** What `IndexFiles.restore` needs. @throws CorruptionError */
export function filesOf(
  index: BackupIndex,
  store: BackupStore,
  indexFiles: Pick<IndexFiles, "describe">,
): Parameters<IndexFiles["restore"]>[2] {
  const files = expectedFiles(index, indexFiles);
  return {
    source: `the backup of index '${index.name}'`,
    commit: index.commit,
    open: (name) => {
      const file = files.get(name);
      if (file === undefined) throw new FindlingError("internal", `'${name}' is no file of the backup`);
      return store.read(file);
    },
  };
}
