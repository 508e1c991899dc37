import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import type { CatalogFile } from "../../ports/stored-catalog.js";
import { ALIASES_FILE, decodeCatalogFile, FEDERATION_FOLDER, INDEX_FOLDER } from "./catalog-file.js";
import type { CatalogFileKind } from "./catalog-shapes.js";
import { holderOf } from "./damaged-files.js";
import { DurableFolder } from "./durable-folder.js";
import { entryNameOf, isEntryFileName } from "./entry-file-name.js";
import { KEYS_FILE } from "./stored-key.js";

/**
 * All files of a catalog's folder and of the folders in it, one for each kind of entry: whatever kinds there are, none
 * is named here. To be called while nobody writes.
 */
export async function readCatalogFiles(root: string): Promise<readonly CatalogFile[]> {
  const files: CatalogFile[] = [];
  for (const folder of ["", ...(await subfoldersOf(root))]) {
    const entries = DurableFolder.existing(join(root, folder));
    for (const name of await entries.list()) {
      if (!isEntryFileName(name)) continue;
      const bytes = await entries.read(name);
      if (bytes !== null)
        files.push({ path: folder === "" ? name : `${folder}/${name}`, bytes: Uint8Array.from(bytes) });
    }
  }
  return files;
}

/**
 * Writes a catalog's files into a new folder, each durably.
 *
 * @throws FindlingError `storage_unavailable` if a path isn't one of a catalog's file, before anything is written
 */
export async function writeCatalogFiles(root: string, files: readonly CatalogFile[]): Promise<void> {
  for (const { path } of files) {
    if (!/^([a-z][a-z-]*\/)?[A-Za-z0-9_-][A-Za-z0-9_.-]*\.json$/.test(path))
      throw new FindlingError("storage_unavailable", `'${path}' is no file of a catalog`);
  }
  for (const folder of new Set(["", INDEX_FOLDER, ...files.map(({ path }) => folderOf(path))]))
    await DurableFolder.open(join(root, folder));
  for (const { path, bytes } of files) {
    const folder = folderOf(path);
    await DurableFolder.existing(join(root, folder)).write(path.slice(path.lastIndexOf("/") + 1), bytes);
  }
}

/** The entry of an index; null for other files. @throws CorruptionError naming the file */
export function indexEntryOf({ path, bytes }: CatalogFile): CatalogIndex | null {
  if (folderOf(path) !== INDEX_FOLDER) return null;
  return decodeCatalogFile("index", bytes, path) as CatalogIndex;
}

/** The name of the index whose entry it is, by its path; null for other files. */
export function indexNameOf({ path }: CatalogFile): string | null {
  return folderOf(path) === INDEX_FOLDER ? entryNameOf(path.slice(path.lastIndexOf("/") + 1)) : null;
}

/** What is damaged and whose it is, in a sentence; null if the file can be read, or is of a kind that isn't known. */
export function problemOf({ path, bytes }: CatalogFile): string | null {
  const folder = folderOf(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const kind = KINDS.get(folder === "" ? name : folder);
  if (kind === undefined) return null;
  try {
    decodeCatalogFile(kind, bytes, path);
    return null;
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error;
    return `${holderOf(folder, name)}: ${error.message}`;
  }
}

/** By folder, and by name of what lies beside the folders. */
const KINDS: ReadonlyMap<string, CatalogFileKind> = new Map([
  [INDEX_FOLDER, "index"],
  [FEDERATION_FOLDER, "federation"],
  [KEYS_FILE, "keys"],
  [ALIASES_FILE, "aliases"],
]);

/** Whether the file has the access keys, without which no catalog opens. */
export function isKeysFile({ path }: CatalogFile): boolean {
  return path === KEYS_FILE;
}

async function subfoldersOf(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
}

function folderOf(path: string): string {
  const slash = path.lastIndexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}
