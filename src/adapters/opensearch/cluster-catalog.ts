import type { AccessKey } from "../../contract/access-key.js";
import type { StoredAiConfig } from "../../contract/ai-config.js";
import type { Alias } from "../../contract/aliases.js";
import type { Federation } from "../../contract/federation.js";
import { FindlingError } from "../../errors/index.js";
import type { AliasChange, Catalog, CatalogIndex, CatalogKey } from "../../ports/catalog.js";
import { AccessKeys } from "../catalog/access-keys.js";
import { changedAliases } from "../catalog/changed-aliases.js";
import type { DamagedFile } from "../catalog/damaged-files.js";
import { changedMeanwhile, requireExpected } from "../catalog/expected-entry.js";
import {
  openLlmApiKey,
  type SecretProblem,
  secretProblemsOf,
  withSealedSecrets,
} from "../catalog/index-secrets.js";
import { type SecretKeyOptions, SecretKeyRing } from "../catalog/secret-key-ring.js";
import { decodeKeys, type KeyProblem } from "../catalog/stored-key.js";
import { CatalogDocuments } from "./catalog-documents.js";
import type { Cluster } from "./cluster.js";
import type { OwnedIndices } from "./owned-index.js";
import { requireSecretKey } from "./secret-key-mark.js";

export interface ClusterCatalogOptions extends SecretKeyOptions {
  /** Told what went wrong in the background, and of a secret key that was made. */
  readonly onProblem: (message: string, error?: unknown) => void;
  /** Milliseconds between two looks for what others have changed. Default 400, so that all see it within a second. */
  readonly pollMs?: number;
  /** Called once the catalog is closed. */
  readonly onClosed?: () => Promise<void>;
}

const POLL_MS = 400;
const ALIASES = "all";
const KEYS = "all";

/**
 * The catalog in the cluster: a document for each index and federation, and one for the access keys, in the forms in
 * which `FileCatalog` has them in files, secrets sealed. Each is changed by compare-and-set against the version that
 * this process has read, so that no change of another process is overwritten unseen; what others have changed is
 * looked for several times a second.
 *
 * An entry that can't be read, as it is damaged or a newer version's, costs what is in it and nothing else: who asks for it
 * is told so. Where those are the keys, no stored key lets anybody in, and no first ones are made.
 */
export class ClusterCatalog implements Catalog {
  readonly #documents: CatalogDocuments;
  readonly #secretKeys: SecretKeyRing;
  readonly #onProblem: ClusterCatalogOptions["onProblem"];
  readonly #pollMs: number;
  readonly #onClosed: () => Promise<void>;
  #keys: AccessKeys;
  #keysContent: string | undefined;
  #lastWrite: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> = Promise.resolve();
  #isPollFailing = false;
  #reported: ReadonlySet<string> = new Set();
  #closed = false;

  private constructor(
    documents: CatalogDocuments,
    secretKeys: SecretKeyRing,
    options: ClusterCatalogOptions,
  ) {
    this.#documents = documents;
    this.#secretKeys = secretKeys;
    this.#onProblem = options.onProblem;
    this.#pollMs = options.pollMs ?? POLL_MS;
    this.#onClosed = options.onClosed ?? (() => Promise.resolve());
    this.#keys = this.#keysOf([]);
  }

  /**
   * Opens the catalog under the prefix, which is made if it is missing.
   *
   * @throws FindlingError `invalid_configuration` if the secret key is another than the other servers', or the prefix is
   *   somebody else's; `storage_corrupt`, `storage_unavailable`
   */
  static async open(
    cluster: Cluster,
    indices: OwnedIndices,
    options: ClusterCatalogOptions,
  ): Promise<ClusterCatalog> {
    const documents = await CatalogDocuments.open(cluster, indices);
    const secretKeys = await SecretKeyRing.open(options);
    await requireSecretKey(documents, secretKeys, options);
    const catalog = new ClusterCatalog(documents, secretKeys, options);
    await catalog.#refresh();
    catalog.#pollLater();
    return catalog;
  }

  get isSettled(): boolean {
    return this.#documents.isSettled;
  }

  /** By name. */
  indexes(): readonly CatalogIndex[] {
    return this.#documents.all<CatalogIndex>("index");
  }

  /** @throws FindlingError `storage_unavailable` if its entry can't be read, or the aliases, of which it may be one */
  index(name: string): CatalogIndex | undefined {
    const index = this.#documents.entry<CatalogIndex>("index", name);
    if (index !== undefined) return index;
    this.#documents.requireSound("index", name);
    this.#documents.requireSound("aliases", ALIASES);
    return undefined;
  }

  putIndex(index: CatalogIndex, expected?: CatalogIndex | null): Promise<void> {
    const { name } = index.schema;
    return this.#enqueue(`index '${name}'`, async () => {
      const sealed = await withSealedSecrets(index, this.#secretKeys);
      await this.#set({ kind: "index", name }, sealed, expected);
    });
  }

  deleteIndex(name: string, expected?: CatalogIndex): Promise<void> {
    return this.#enqueue(`index '${name}'`, () => this.#set({ kind: "index", name }, null, expected));
  }

  openLlmApiKey(indexName: string, ai: StoredAiConfig): string | undefined {
    return openLlmApiKey(indexName, ai, this.#secretSource(indexName));
  }

  /** Secrets that can't be used: damaged ones, as all servers have the same key. */
  secretProblems(): readonly SecretProblem[] {
    return this.indexes().flatMap((index) => secretProblemsOf(index, this.#secretSource(index.schema.name)));
  }

  /** By name. @throws FindlingError `storage_unavailable` if they can't be read */
  aliases(): readonly Alias[] {
    this.#documents.requireSound("aliases", ALIASES);
    return Object.entries(this.#aliases).map(([alias, index]) => ({ alias, index }));
  }

  alias(name: string): string | undefined {
    return Object.hasOwn(this.#aliases, name) ? this.#aliases[name] : undefined;
  }

  changeAliases(changes: readonly AliasChange[]): Promise<void> {
    return this.#enqueue("aliases", async () => {
      for (;;) {
        this.#documents.requireSound("aliases", ALIASES);
        const sorted = Object.fromEntries(changedAliases(Object.entries(this.#aliases), changes));
        if (await this.#documents.set("aliases", ALIASES, sorted)) return;
      }
    });
  }

  get #aliases(): Readonly<Record<string, string>> {
    return this.#documents.entry<Readonly<Record<string, string>>>("aliases", ALIASES) ?? {};
  }

  federations(): readonly Federation[] {
    return this.#documents.all<Federation>("federation");
  }

  /** @throws FindlingError `storage_unavailable` if its entry can't be read */
  federation(name: string): Federation | undefined {
    this.#documents.requireSound("federation", name);
    return this.#documents.entry<Federation>("federation", name);
  }

  putFederation(federation: Federation, expected?: Federation | null): Promise<void> {
    const { name } = federation;
    return this.#enqueue(`federation '${name}'`, () =>
      this.#set({ kind: "federation", name }, federation, expected),
    );
  }

  deleteFederation(name: string, expected?: Federation): Promise<void> {
    return this.#enqueue(`federation '${name}'`, () =>
      this.#set({ kind: "federation", name }, null, expected),
    );
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
    let areFirst = true;
    await this.#changeKeys((before) => {
      areFirst = before.all().length === 0 && this.#documents.isSound("keys", KEYS);
      return areFirst ? before.adding(keys) : before;
    });
    return areFirst ? AccessKeys.identified(keys) : [];
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

  keyProblems(): readonly KeyProblem[] {
    return this.#keys.problems();
  }

  /** Entries that can't be read, which nobody goes by: they stay as they are, and are read once they are mended. */
  damaged(): readonly DamagedFile[] {
    return this.#documents.damaged();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#lastWrite;
    await this.#polling;
    await this.#onClosed();
  }

  /** @param expected compared with this process's copy here, and the copy's version with the cluster's by the cluster */
  async #set<Entry extends object>(
    place: { readonly kind: "index" | "federation"; readonly name: string },
    entry: Entry | null,
    expected: Entry | null | undefined,
  ): Promise<void> {
    const subject = `${place.kind} '${place.name}'`;
    for (;;) {
      this.#documents.requireSound(place.kind, place.name);
      const present = this.#documents.entry<Entry>(place.kind, place.name);
      requireExpected(subject, present, expected);
      if (entry === null && present === undefined) return;
      if (await this.#documents.set(place.kind, place.name, entry)) return;
      if (expected !== undefined) throw changedMeanwhile(subject);
    }
  }

  #changeKeys(change: (keys: AccessKeys) => AccessKeys): Promise<void> {
    return this.#enqueue("access keys", async () => {
      for (;;) {
        const changed = change(this.#keys);
        if (changed === this.#keys) return;
        const next = await changed.sealed();
        const content = Buffer.from(next.encode()).toString("utf8");
        const isWritten = await this.#documents.setContent("keys", KEYS, content);
        if (isWritten) {
          this.#keys = next;
          this.#keysContent = content;
          return;
        }
        this.#takeKeys();
      }
    });
  }

  /** The keys as they were read last. What is known of a key is the same object as long as it says the same. */
  #takeKeys(): void {
    const content = this.#documents.content("keys", KEYS);
    if (content === this.#keysContent) return;
    const stored =
      content === undefined ? [] : decodeKeys(Buffer.from(content), this.#documents.fileOf("keys", KEYS));
    this.#keys = this.#keysOf(
      stored.map((each) => {
        const known = this.#keys.withId(each.entry.id);
        const isSame = known !== undefined && JSON.stringify(known) === JSON.stringify(each.entry);
        return isSame ? { ...each, entry: known } : each;
      }),
    );
    this.#keysContent = content;
  }

  #keysOf(stored: Parameters<typeof AccessKeys.of>[0]): AccessKeys {
    return AccessKeys.of(stored, { keys: this.#secretKeys, file: this.#documents.fileOf("keys", KEYS) });
  }

  #secretSource(indexName: string): { readonly keys: SecretKeyRing; readonly file: string } {
    return { keys: this.#secretKeys, file: this.#documents.fileOf("index", indexName) };
  }

  async #refresh(): Promise<void> {
    await this.#documents.refresh();
    this.#takeKeys();
    this.#reportDamage();
  }

  /** Each entry once, for as long as it is damaged. */
  #reportDamage(): void {
    const damaged = this.damaged();
    for (const { file, holder, error } of damaged) {
      if (this.#reported.has(file)) continue;
      this.#onProblem(`${error.message}; the server goes on without (${holder}), and leaves it as it is`);
    }
    this.#reported = new Set(damaged.map(({ file }) => file));
  }

  #pollLater(): void {
    if (this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#polling = this.#poll();
    }, this.#pollMs).unref();
  }

  async #poll(): Promise<void> {
    try {
      // Between writes, so that no change is taken back for a moment by a look that began before it.
      await this.#inTurn(() => this.#refresh());
      this.#isPollFailing = false;
    } catch (error) {
      if (!this.#isPollFailing) this.#onProblem("the catalog in the cluster can't be read", error);
      this.#isPollFailing = true;
    } finally {
      this.#pollLater();
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lastWrite.then(work);
    this.#lastWrite = done.catch(() => undefined);
    return done;
  }

  async #enqueue(subject: string, write: () => Promise<void>): Promise<void> {
    if (this.#closed) throw new FindlingError("shutting_down", "the catalog is closed");
    try {
      await this.#inTurn(write);
    } catch (error) {
      if (!(error instanceof FindlingError) || error.code === "conflict") throw error;
      throw new FindlingError(error.code, `the ${subject} could not be saved: ${error.message}`, {
        ...(error.details !== undefined && { details: error.details }),
        ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
        cause: error,
      });
    }
  }
}
