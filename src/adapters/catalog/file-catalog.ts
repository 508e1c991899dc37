import { join } from "node:path";
import type { AccessKey } from "../../contract/access-key.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import { type CatalogFileKind, decodeCatalogFile, encodeCatalogFile } from "./catalog-file.js";
import { DurableFolder, UnsettledChangeError } from "./durable-folder.js";
import { indexFileName, isIndexFileName } from "./index-file-name.js";

const KEYS_FILE = "keys.json";

/**
 * The catalog as files: `indexes/<name>.json` for each index and `keys.json`, all held in memory.
 * Writes run one after the other; memory changes only once the disk has.
 *
 * `keys.json` is written before anything else, so that its absence next to indexes is damage and
 * not an empty list of keys.
 */
export class FileCatalog implements Catalog {
  readonly #root: DurableFolder;
  readonly #indexFolder: DurableFolder;
  readonly #indexes: Map<string, CatalogIndex>;
  #keys: ReadonlyMap<string, AccessKey>;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** Set where a write failed half-way and could not be taken back: memory and disk may differ. */
  #refusal: FindlingError | undefined;
  #closed = false;

  private constructor(
    root: DurableFolder,
    indexFolder: DurableFolder,
    indexes: readonly CatalogIndex[],
    keys: readonly AccessKey[],
  ) {
    this.#root = root;
    this.#indexFolder = indexFolder;
    this.#indexes = new Map(indexes.map((index) => [index.schema.name, index]));
    this.#keys = new Map(keys.map((key) => [key.key, key]));
  }

  /**
   * Opens the catalog in a folder, which is made if it is missing.
   *
   * @throws CorruptionError naming the file that is cut, flipped or missing
   * @throws FindlingError `storage_unavailable`
   */
  static async open(path: string): Promise<FileCatalog> {
    try {
      const root = await DurableFolder.open(path);
      const indexFolder = await DurableFolder.open(join(path, "indexes"));
      const indexes = await readIndexes(indexFolder);
      const keys = await readKeys(root, indexes.length > 0);
      return new FileCatalog(root, indexFolder, indexes, keys);
    } catch (error) {
      if (error instanceof FindlingError) throw error;
      throw new FindlingError("storage_unavailable", `the catalog in '${path}' can't be opened`, {
        details: error instanceof Error ? error.message : String(error),
        cause: error,
      });
    }
  }

  /** By name. */
  indexes(): readonly CatalogIndex[] {
    return [...this.#indexes.values()].toSorted((a, b) => (a.schema.name < b.schema.name ? -1 : 1));
  }

  index(name: string): CatalogIndex | undefined {
    return this.#indexes.get(name);
  }

  putIndex(index: CatalogIndex): Promise<void> {
    const { name } = index.schema;
    return this.#enqueue(`index '${name}'`, async () => {
      await this.#replaceFile(this.#indexFolder, indexFileName(name), {
        next: encodeCatalogFile("index", index),
        previous: this.#encodedIndex(name),
      });
      this.#indexes.set(name, index);
    });
  }

  deleteIndex(name: string): Promise<void> {
    return this.#enqueue(`index '${name}'`, async () => {
      const previous = this.#encodedIndex(name);
      if (previous === null) return;
      await this.#replaceFile(this.#indexFolder, indexFileName(name), { next: null, previous });
      this.#indexes.delete(name);
    });
  }

  /** In the order of their creation. */
  keys(): readonly AccessKey[] {
    return [...this.#keys.values()];
  }

  key(value: string): AccessKey | undefined {
    return this.#keys.get(value);
  }

  putKey(key: AccessKey): Promise<void> {
    return this.putKeys([key]);
  }

  putKeys(keys: readonly AccessKey[]): Promise<void> {
    return this.#changeKeys((next) => {
      for (const key of keys) next.set(key.key, key);
    });
  }

  deleteKey(value: string): Promise<void> {
    return this.#changeKeys((next) => next.delete(value));
  }

  deleteAllKeys(): Promise<void> {
    return this.#changeKeys((next) => next.clear());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lastWrite;
  }

  #changeKeys(change: (keys: Map<string, AccessKey>) => void): Promise<void> {
    return this.#enqueue("access keys", async () => {
      const next = new Map(this.#keys);
      change(next);
      await this.#replaceFile(this.#root, KEYS_FILE, {
        next: encodeKeys([...next.values()]),
        previous: encodeKeys(this.keys()),
      });
      this.#keys = next;
    });
  }

  #encodedIndex(name: string): Uint8Array | null {
    const index = this.#indexes.get(name);
    return index === undefined ? null : encodeCatalogFile("index", index);
  }

  /** Runs the write when those before it are done, whether they went well or not. */
  async #enqueue(subject: string, write: () => Promise<void>): Promise<void> {
    if (this.#closed) throw new FindlingError("shutting_down", "the catalog is closed");
    const done = this.#lastWrite.then(() => {
      if (this.#refusal !== undefined) throw this.#refusal;
      return write();
    });
    this.#lastWrite = done.catch(() => undefined);
    try {
      await done;
    } catch (error) {
      if (this.#refusal !== undefined) throw this.#refusal;
      throw new FindlingError(
        "storage_unavailable",
        `the ${subject} could not be saved, nothing has changed`,
        {
          details: error instanceof Error ? error.message : String(error),
          cause: error,
        },
      );
    }
  }

  /** Null stands for no file. Where the failure comes after the file has changed, the old one is put back. */
  async #replaceFile(
    folder: DurableFolder,
    name: string,
    { next, previous }: { readonly next: Uint8Array | null; readonly previous: Uint8Array | null },
  ): Promise<void> {
    try {
      await writeOrRemove(folder, name, next);
    } catch (error) {
      if (!(error instanceof UnsettledChangeError)) throw error;
      try {
        await writeOrRemove(folder, name, previous);
      } catch {
        this.#refusal ??= new FindlingError(
          "storage_unavailable",
          `the catalog takes no changes since '${name}' could not be written; mend the storage and restart`,
          { cause: error },
        );
      }
      throw error;
    }
  }
}

function writeOrRemove(folder: DurableFolder, name: string, bytes: Uint8Array | null): Promise<void> {
  return bytes === null ? folder.remove(name) : folder.write(name, bytes);
}

async function readIndexes(folder: DurableFolder): Promise<CatalogIndex[]> {
  const indexes: CatalogIndex[] = [];
  for (const fileName of await folder.list()) {
    if (!isIndexFileName(fileName)) continue;
    const index = (await readCatalogFile("index", folder, fileName)) as CatalogIndex;
    if (indexFileName(index.schema.name) !== fileName) {
      throw new CorruptionError(folder.fileOf(fileName), `it holds the index '${index.schema.name}'`);
    }
    indexes.push(index);
  }
  return indexes;
}

async function readKeys(folder: DurableFolder, indexesExist: boolean): Promise<readonly AccessKey[]> {
  const keys = await readCatalogFile("keys", folder, KEYS_FILE);
  if (keys !== null) return keys as AccessKey[];
  if (indexesExist) throw new CorruptionError(folder.fileOf(KEYS_FILE), "it is missing though indexes exist");
  await folder.write(KEYS_FILE, encodeKeys([]));
  return [];
}

async function readCatalogFile(kind: CatalogFileKind, folder: DurableFolder, name: string): Promise<unknown> {
  const bytes = await folder.read(name);
  return bytes === null ? null : decodeCatalogFile(kind, bytes, folder.fileOf(name));
}

function encodeKeys(keys: readonly AccessKey[]): Uint8Array {
  return encodeCatalogFile("keys", keys);
}
