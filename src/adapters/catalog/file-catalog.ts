import { existsSync } from "node:fs";
import { join } from "node:path";
import type { AccessKey } from "../../contract/access-key.js";
import type { StoredAiConfig } from "../../contract/ai-config.js";
import type { Alias } from "../../contract/aliases.js";
import type { Federation } from "../../contract/federation.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { AliasChange, Catalog, CatalogIndex, CatalogKey } from "../../ports/catalog.js";
import type { CatalogFile, StoredCatalog } from "../../ports/stored-catalog.js";
import { AccessKeys } from "./access-keys.js";
import { CatalogEntries } from "./catalog-entries.js";
import {
  ALIASES_FILE,
  decodeCatalogFile,
  encodeCatalogFile,
  FEDERATION_FOLDER,
  INDEX_FOLDER,
} from "./catalog-file.js";
import { indexEntryOf, indexNameOf, problemOf, readCatalogFiles } from "./catalog-files.js";
import { changedAliases } from "./changed-aliases.js";
import { type DamagedFile, DamagedFiles } from "./damaged-files.js";
import { DurableFolder, UnsettledChangeError } from "./durable-folder.js";
import { entryFileName } from "./entry-file-name.js";
import { requireExpected } from "./expected-entry.js";
import { describeIndex } from "./index-description.js";
import {
  hasPlainSecret,
  openLlmApiKey,
  type SecretProblem,
  type SecretSource,
  secretProblemsOf,
  withSealedSecrets,
} from "./index-secrets.js";
import { type SecretKeyOptions, SecretKeyRing } from "./secret-key-ring.js";
import { decodeKeys, encodeKeys, KEYS_FILE, type KeyProblem, type StoredKey } from "./stored-key.js";

export interface FileCatalogOptions {
  /** Awaited before each write: rejects where the folder may not be written now. Default: it always may. */
  readonly requireWritable?: () => Promise<void>;
  /** Folder of the indexes' storage, each of which gets a copy of its entry. Default: none does. */
  readonly storageRoot?: string;
}

/**
 * The catalog as files: `indexes/<name>.json` for each index, `federations/<name>.json` for each
 * federation, `keys.json` and, where there are any, `aliases.json`, all held in memory. Writes run one after the other; memory changes
 * only once the disk has.
 *
 * `keys.json` is written before anything else, so that its absence next to indexes is damage and
 * not an empty list of keys. A folder without `federations` is one of before there were any.
 *
 * A file that is damaged costs what is in it and nothing else: the catalog is as if it were missing, says so (`damaged`),
 * and leaves it as it is. Where those are the keys, no stored key lets anybody in, and no first ones are made.
 *
 * Secrets of indexes and values of keys are sealed before they are written (`sealed-secret.ts`) and are held
 * in memory as they are on disk.
 */
export class FileCatalog implements Catalog {
  readonly #root: DurableFolder;
  readonly #indexes: CatalogEntries<CatalogIndex>;
  readonly #federations: CatalogEntries<Federation>;
  readonly #damaged: DamagedFiles;
  readonly #secretKeys: SecretKeyRing;
  readonly #requireWritable: () => Promise<void>;
  readonly #storageRoot: string | undefined;
  #keys: AccessKeys;
  /** Index by alias, sorted. */
  #aliases: ReadonlyMap<string, string>;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** Set where a write failed half-way and could not be taken back: memory and disk may differ. */
  #refusal: FindlingError | undefined;
  #closed = false;

  private constructor(
    root: DurableFolder,
    entries: {
      readonly indexes: CatalogEntries<CatalogIndex>;
      readonly federations: CatalogEntries<Federation>;
      readonly keys: AccessKeys;
      readonly aliases: ReadonlyMap<string, string>;
      readonly damaged: DamagedFiles;
    },
    secretKeys: SecretKeyRing,
    { requireWritable = () => Promise.resolve(), storageRoot }: FileCatalogOptions,
  ) {
    this.#root = root;
    this.#indexes = entries.indexes;
    this.#federations = entries.federations;
    this.#keys = entries.keys;
    this.#aliases = entries.aliases;
    this.#damaged = entries.damaged;
    this.#secretKeys = secretKeys;
    this.#requireWritable = requireWritable;
    this.#storageRoot = storageRoot;
  }

  /**
   * Opens the catalog in a folder, which is made if it is missing. Secrets and keys that an earlier version
   * has left in plain text are sealed; those that can't be now are at their next write.
   *
   * @throws CorruptionError naming a file that a newer version has written
   * @throws FindlingError `storage_unavailable`
   */
  static async open(
    path: string,
    secretKeyOptions: SecretKeyOptions,
    options: FileCatalogOptions = {},
  ): Promise<FileCatalog> {
    try {
      const root = await DurableFolder.open(path);
      const damaged = new DamagedFiles();
      const indexes = await CatalogEntries.open<CatalogIndex>(join(path, INDEX_FOLDER), "index", {
        nameOf: ({ schema }) => schema.name,
        damaged,
      });
      const federations = await CatalogEntries.open<Federation>(join(path, FEDERATION_FOLDER), "federation", {
        nameOf: ({ name }) => name,
        damaged,
      });
      const aliases = readAliases(root, damaged);
      const isNew = indexes.isEmpty && federations.isEmpty && damaged.all().length === 0;
      const stored = await readKeys(root, { isNew, damaged });
      const secretKeys = await SecretKeyRing.openEvenDamaged(secretKeyOptions);
      const keys = AccessKeys.of(stored, { keys: secretKeys, file: root.fileOf(KEYS_FILE) });
      const entries = { indexes, federations, keys, aliases, damaged };
      const catalog = new FileCatalog(root, entries, secretKeys, options);
      await catalog.#sealPlainSecrets();
      for (const index of catalog.indexes()) await catalog.#describe(index);
      return catalog;
    } catch (error) {
      if (error instanceof FindlingError) throw error;
      throw new FindlingError("storage_unavailable", `the catalog in '${path}' can't be opened`, {
        details: error instanceof Error ? error.message : String(error),
        cause: error,
      });
    }
  }

  get isSettled(): boolean {
    return this.#refusal === undefined;
  }

  /** By name. */
  indexes(): readonly CatalogIndex[] {
    return this.#indexes.all();
  }

  index(name: string): CatalogIndex | undefined {
    return this.#indexes.get(name);
  }

  putIndex(index: CatalogIndex, expected?: CatalogIndex | null): Promise<void> {
    const { name } = index.schema;
    return this.#enqueue(`index '${name}'`, async () => {
      requireExpected(`index '${name}'`, this.index(name), expected);
      const sealed = await withSealedSecrets(index, this.#secretKeys);
      await this.#put(this.#indexes, name, sealed);
      await this.#describe(sealed);
    });
  }

  deleteIndex(name: string, expected?: CatalogIndex): Promise<void> {
    return this.#enqueue(`index '${name}'`, () => {
      requireExpected(`index '${name}'`, this.index(name), expected);
      return this.#delete(this.#indexes, name);
    });
  }

  openLlmApiKey(indexName: string, ai: StoredAiConfig): string | undefined {
    return openLlmApiKey(indexName, ai, this.#secretSource(indexName));
  }

  /** Secrets that can't be used until the right key or a new value is given; searches don't need them. */
  secretProblems(): readonly SecretProblem[] {
    return this.indexes().flatMap((index) => secretProblemsOf(index, this.#secretSource(index.schema.name)));
  }

  /** Names of the indexes whose secrets are in plain text on the disk, because sealing them has failed. */
  plainSecrets(): readonly string[] {
    return this.indexes()
      .filter(hasPlainSecret)
      .map(({ schema }) => schema.name);
  }

  aliases(): readonly Alias[] {
    return [...this.#aliases].map(([alias, index]) => ({ alias, index }));
  }

  alias(name: string): string | undefined {
    return this.#aliases.get(name);
  }

  changeAliases(changes: readonly AliasChange[]): Promise<void> {
    return this.#enqueue("aliases", async () => {
      const sorted = changedAliases(this.#aliases, changes);
      await this.#replaceFile(this.#root, ALIASES_FILE, {
        next: encodeAliases(sorted),
        previous: this.#aliases.size === 0 ? null : encodeAliases(this.#aliases),
      });
      this.#aliases = sorted;
    });
  }

  /** By name. */
  federations(): readonly Federation[] {
    return this.#federations.all();
  }

  federation(name: string): Federation | undefined {
    return this.#federations.get(name);
  }

  putFederation(federation: Federation, expected?: Federation | null): Promise<void> {
    const { name } = federation;
    return this.#enqueue(`federation '${name}'`, () => {
      requireExpected(`federation '${name}'`, this.federation(name), expected);
      return this.#put(this.#federations, name, federation);
    });
  }

  deleteFederation(name: string, expected?: Federation): Promise<void> {
    return this.#enqueue(`federation '${name}'`, () => {
      requireExpected(`federation '${name}'`, this.federation(name), expected);
      return this.#delete(this.#federations, name);
    });
  }

  keys(): readonly CatalogKey[] {
    return this.#keys.all();
  }

  key(id: string): CatalogKey | undefined {
    return this.#keys.withId(id);
  }

  keyWithValue(value: string): CatalogKey | undefined {
    return this.#keys.withValue(value);
  }

  valueOfKey(id: string): string | undefined {
    return this.#keys.valueOf(id);
  }

  async addKeys(keys: readonly Omit<AccessKey, "id">[]): Promise<readonly AccessKey[]> {
    await this.#changeKeys((before) => before.adding(keys));
    return AccessKeys.identified(keys);
  }

  async addFirstKeys(keys: readonly Omit<AccessKey, "id">[]): Promise<readonly AccessKey[]> {
    const isFirst = this.keys().length === 0 && !this.#damaged.has(this.#root, KEYS_FILE);
    return isFirst ? this.addKeys(keys) : [];
  }

  putKey(key: CatalogKey, expected?: CatalogKey): Promise<void> {
    return this.#changeKeys((before) => before.changing(key, expected));
  }

  noteKeyUses(uses: ReadonlyMap<string, string>): Promise<void> {
    return this.#changeKeys((before) => before.used(uses));
  }

  deleteKeys(ids: readonly string[]): Promise<void> {
    return this.#changeKeys((before) => before.without(new Set(ids)));
  }

  /** Why keys let nobody in until the right secret key is given; configured keys work without. */
  keyProblems(): readonly KeyProblem[] {
    return this.#keys.problems();
  }

  /** Whether keys are in plain text on the disk, because sealing them has failed. */
  get hasPlainKeys(): boolean {
    return this.#keys.hasPlain;
  }

  /** Files that are set aside; one is no longer once another has been written in its place. */
  damaged(): readonly DamagedFile[] {
    const error = this.#secretKeys.damage;
    const ofKey = error === undefined ? [] : [{ file: error.file, holder: "secret key", error }];
    return [...this.#damaged.all(), ...ofKey];
  }

  /** The catalog as it lies on the disk, for backups. */
  get stored(): StoredCatalog {
    return {
      files: async () => {
        let files: readonly CatalogFile[] = [];
        // Between two writes.
        const reading = this.#lastWrite.then(async () => {
          files = await readCatalogFiles(this.#root.path);
        });
        this.#lastWrite = reading.catch(() => undefined);
        try {
          await reading;
          return files;
        } catch (error) {
          throw new FindlingError("storage_unavailable", "the catalog can't be read", { cause: error });
        }
      },
      indexOf: indexEntryOf,
      indexNameOf,
      problemOf,
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#lastWrite;
  }

  #secretSource(indexName: string): SecretSource {
    return { keys: this.#secretKeys, file: this.#indexes.folder.fileOf(entryFileName(indexName)) };
  }

  /** A full disk must not keep a server from answering searches, so a failure leaves things as they are. */
  async #sealPlainSecrets(): Promise<void> {
    for (const index of this.indexes().filter(hasPlainSecret)) {
      await this.putIndex(index).catch(() => undefined);
    }
    if (this.#keys.hasPlain) await this.#changeKeys((keys) => keys).catch(() => undefined);
  }

  /** What is in the index's folder is for the day when the catalog's file is lost; a start makes up for a failure. */
  async #describe(index: CatalogIndex): Promise<void> {
    if (this.#storageRoot === undefined || hasPlainSecret(index)) return;
    const folder = join(this.#storageRoot, index.storageId);
    if (existsSync(folder)) await describeIndex(folder, this.#indexes.encode(index)).catch(() => undefined);
  }

  #changeKeys(change: (keys: AccessKeys) => AccessKeys): Promise<void> {
    return this.#enqueue("access keys", async () => {
      const next = await change(this.#keys).sealed();
      if (next === this.#keys) return;
      await this.#replaceFile(this.#root, KEYS_FILE, {
        next: next.encode(),
        previous: this.#keys.encode(),
      });
      this.#keys = next;
    });
  }

  async #put<Entry>(entries: CatalogEntries<Entry>, name: string, entry: Entry): Promise<void> {
    await this.#replaceFile(entries.folder, entryFileName(name), {
      next: entries.encode(entry),
      previous: entries.encoded(name),
    });
    entries.set(entry);
  }

  async #delete<Entry>(entries: CatalogEntries<Entry>, name: string): Promise<void> {
    const previous = entries.encoded(name);
    if (previous === null) return;
    await this.#replaceFile(entries.folder, entryFileName(name), { next: null, previous });
    entries.delete(name);
  }

  /** Runs the write when those before it are done, whether they went well or not. */
  async #enqueue(subject: string, write: () => Promise<void>): Promise<void> {
    if (this.#closed) throw new FindlingError("shutting_down", "the catalog is closed");
    const done = this.#lastWrite.then(async () => {
      if (this.#refusal !== undefined) throw this.#refusal;
      await this.#requireWritable();
      await write();
    });
    this.#lastWrite = done.catch(() => undefined);
    try {
      await done;
    } catch (error) {
      if (this.#refusal !== undefined) throw this.#refusal;
      if (error instanceof FindlingError && error.code === "conflict") throw error;
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
    await this.#damaged.keep(folder, name);
    try {
      await writeOrRemove(folder, name, next);
      this.#damaged.forget(folder, name);
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

function encodeAliases(aliases: ReadonlyMap<string, string>): Uint8Array {
  return encodeCatalogFile("aliases", Object.fromEntries(aliases));
}

function readAliases(folder: DurableFolder, damaged: DamagedFiles): ReadonlyMap<string, string> {
  const aliases = damaged.noting(folder, ALIASES_FILE, () => {
    const bytes = folder.readNow(ALIASES_FILE);
    return bytes === null ? {} : decodeCatalogFile("aliases", bytes, folder.fileOf(ALIASES_FILE));
  });
  return new Map(Object.entries((aliases ?? {}) as Readonly<Record<string, string>>));
}

async function readKeys(
  folder: DurableFolder,
  { isNew, damaged }: { readonly isNew: boolean; readonly damaged: DamagedFiles },
): Promise<readonly StoredKey[]> {
  const keys = damaged.noting(folder, KEYS_FILE, () => {
    const bytes = folder.readNow(KEYS_FILE);
    if (bytes !== null) return decodeKeys(bytes, folder.fileOf(KEYS_FILE));
    if (isNew) return null;
    throw new CorruptionError(folder.fileOf(KEYS_FILE), "it is missing though the catalog has other files");
  });
  if (keys === null) await folder.write(KEYS_FILE, encodeKeys([]));
  return keys ?? [];
}
