import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_ADMIN_PERMISSIONS } from "../../contract/access-key.js";
import type { Federation } from "../../contract/federation.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { ALIASES_FILE, decodeCatalogFile, FEDERATION_FOLDER, INDEX_FOLDER } from "./catalog-file.js";
import type { CatalogFileKind } from "./catalog-shapes.js";
import { entryFileName, isEntryFileName } from "./entry-file-name.js";
import { SECRET_KEY_FILE, SecretKeyRing } from "./secret-key-ring.js";
import { decodeKeys, KEYS_FILE, openKey, type StoredKey } from "./stored-key.js";

/** An index as a data folder holds it. */
export interface StoredIndex {
  readonly name: string;
  /** Folder of its engine files. */
  readonly folder: string;
  /** Where its settings are. */
  readonly catalogFile: string;
  readonly entry: CatalogIndex;
}

export interface StoredIndexes {
  readonly indexes: readonly StoredIndex[];
  /** Catalog files that can't be read, in the order of their names. */
  readonly damage: readonly CorruptionError[];
}

/**
 * The indexes of a data folder, for tools that only read; a server may be running on it.
 *
 * @throws FindlingError `storage_unavailable` if the folder is not there or can't be read
 */
export function readStoredIndexes(dataDir: string): StoredIndexes {
  const catalogFolder = join(dataDir, "catalog");
  const damage: CorruptionError[] = [];
  const noting = <Content>(kind: CatalogFileKind, file: string): Content | undefined => {
    try {
      return decodeCatalogFile(kind, readFileSync(file), file) as Content;
    } catch (error) {
      damage.push(
        error instanceof CorruptionError ? error : new CorruptionError(file, (error as Error).message),
      );
      return undefined;
    }
  };
  const storage = join(dataDir, "indexes");
  if (!existsSync(catalogFolder) && existsSync(storage) && readdirSync(storage).length > 0) {
    const problem = "it is missing, although there is data of indexes next to it";
    return { indexes: [], damage: [new CorruptionError(catalogFolder, problem)] };
  }
  let names: readonly string[];
  try {
    names = readdirSync(join(catalogFolder, INDEX_FOLDER)).filter(isEntryFileName).sort();
  } catch (error) {
    throw new FindlingError(
      "storage_unavailable",
      `'${dataDir}' holds no data of a findling server that can be read; name the folder that 'findling serve' uses`,
      { cause: error },
    );
  }
  noting("keys", keysFileOf(dataDir));
  const aliases = join(catalogFolder, ALIASES_FILE);
  if (existsSync(aliases)) noting("aliases", aliases);
  for (const name of federationFiles(join(catalogFolder, FEDERATION_FOLDER))) {
    const file = join(catalogFolder, FEDERATION_FOLDER, name);
    const federation = noting<Federation>("federation", file);
    if (federation !== undefined && entryFileName(federation.name) !== name)
      damage.push(new CorruptionError(file, `it holds the federation '${federation.name}'`));
  }
  const indexes: StoredIndex[] = [];
  for (const name of names) {
    const catalogFile = join(catalogFolder, INDEX_FOLDER, name);
    const entry = noting<CatalogIndex>("index", catalogFile);
    if (entry === undefined) continue;
    if (entryFileName(entry.schema.name) !== name) {
      damage.push(new CorruptionError(catalogFile, `it holds the index '${entry.schema.name}'`));
      continue;
    }
    const folder = join(dataDir, "indexes", entry.storageId);
    indexes.push({ name: entry.schema.name, folder, catalogFile, entry });
  }
  return { indexes, damage };
}

/** None in a folder of a server that knew no federations. */
function federationFiles(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).filter(isEntryFileName).sort() : [];
}

/** Where a data folder has its access keys. */
export function keysFileOf(dataDir: string): string {
  return join(dataDir, "catalog", KEYS_FILE);
}

/**
 * A stored key that may do everything, for tools of the same user on the same machine. Reads only,
 * whether or not a server is running on the folder; undefined if there is no such key or no folder,
 * if the user may not read it, or if none can be decrypted.
 *
 * @param configuredKey what the server encrypts with, where it is configured
 * @throws CorruptionError naming the file
 * @throws FindlingError `invalid_configuration` if the configured key is none
 */
export async function readLocalAdminKey(
  dataDir: string,
  configuredKey: string | undefined,
): Promise<string | undefined> {
  const file = keysFileOf(dataDir);
  let stored: readonly StoredKey[];
  let keys: SecretKeyRing;
  try {
    stored = decodeKeys(readFileSync(file), file);
    keys = await SecretKeyRing.open({ keyFile: join(dataDir, SECRET_KEY_FILE), configuredKey });
  } catch (error) {
    if (error instanceof FindlingError) throw error;
    return undefined;
  }
  for (const each of stored) {
    const { status, permissions } = each.entry;
    const mayEverything = (permissions & ALL_ADMIN_PERMISSIONS) === ALL_ADMIN_PERMISSIONS;
    const value = status === "active" && mayEverything ? openKey(each, keys) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}
