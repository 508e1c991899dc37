import type { AccessKey } from "../contract/access-key.js";
import type { StoredAiConfig } from "../contract/ai-config.js";
import type { Alias } from "../contract/aliases.js";
import type { Federation } from "../contract/federation.js";
import type { IndexSchema } from "../contract/index-schema.js";
import type { StorageId } from "./search-backend.js";

/** What is remembered of an index besides its documents. */
export interface CatalogIndex {
  /** In force: what searches go by and how the documents are analysed. */
  readonly schema: IndexSchema;
  /** Settings that were accepted and come into force once the documents are analysed as they say. */
  readonly next_schema?: IndexSchema;
  readonly storageId: StorageId;
  readonly custom_stopwords: readonly string[];
  /** Words of the language's dictionary that are none here; absent where there are none. */
  readonly stopword_exceptions?: readonly string[];
  /** Key to terms (contract 3.7). */
  readonly synonyms: Readonly<Record<string, readonly string[]>>;
}

/** What is known of an access key besides its value. The object is the same until the key changes. */
export type CatalogKey = Omit<AccessKey, "key">;

/** An alias, and the index that it is to stand for; null: it is no more. */
export interface AliasChange {
  readonly alias: string;
  readonly index: string | null;
}

/**
 * Durable memory for schemas, keys and federations. Reads are from this process's copy: what it has written itself is
 * in it at once, what other processes that use the same storage have written within a second. An entry is the same
 * object until it changes. A write is durable when it resolves, or has changed nothing. Writes are put in order by the
 * adapter.
 *
 * Secrets of an index's `ai` may be given in plain text; they reach the disk encrypted, and from then
 * on the catalog shows them as `SealedSecret`. A sealed one belongs to its index: given back for the
 * same index it is kept as it is, whether or not it can be decrypted here. The values of access keys are
 * encrypted likewise; one that can't be decrypted lets nobody in, and is carried along.
 */
export interface Catalog {
  /**
   * False after a write that failed half-way and could not be taken back: what a restart will find
   * is then not known, so nothing that either state names may be thrown away.
   */
  readonly isSettled: boolean;
  indexes(): readonly CatalogIndex[];
  index(name: string): CatalogIndex | undefined;
  /**
   * @param expected compare and set: the entry that this one was made from, as the catalog gave it; null: there was none.
   *   Absent: whatever there is is replaced
   * @throws FindlingError `conflict` if another entry is there by now, of which nothing is changed
   */
  putIndex(index: CatalogIndex, expected?: CatalogIndex | null): Promise<void>;
  /** @throws FindlingError `conflict` as `putIndex` */
  deleteIndex(name: string, expected?: CatalogIndex): Promise<void>;
  /**
   * The `llm_api_key` in an index's `ai`, decrypted; undefined if it has none.
   *
   * @throws FindlingError `storage_unavailable` if it was encrypted with a key that is not at hand
   * @throws CorruptionError if it is damaged, or another index's
   */
  openLlmApiKey(indexName: string, ai: StoredAiConfig): string | undefined;
  /** By name. No alias has the name of an index. */
  aliases(): readonly Alias[];
  /** The index that the alias stands for. */
  alias(name: string): string | undefined;
  /** Makes, changes and deletes (null) aliases in one durable step, all or none. */
  changeAliases(changes: readonly AliasChange[]): Promise<void>;
  federations(): readonly Federation[];
  federation(name: string): Federation | undefined;
  /** @throws FindlingError `conflict` as `putIndex` */
  putFederation(federation: Federation, expected?: Federation | null): Promise<void>;
  /** @throws FindlingError `conflict` as `putIndex` */
  deleteFederation(name: string, expected?: Federation): Promise<void>;

  /** In the order of their creation. */
  keys(): readonly CatalogKey[];
  /** @param id 16 hex digits, which follow from the value */
  key(id: string): CatalogKey | undefined;
  /** The key that somebody came with, found in a time that says nothing about how much of it was right. */
  keyWithValue(value: string): CatalogKey | undefined;
  /** The key itself, decrypted; undefined if there is none or it can't be. */
  valueOfKey(id: string): string | undefined;
  /** Adds keys and gives them with their ids. */
  addKeys(keys: readonly Omit<AccessKey, "id">[]): Promise<readonly AccessKey[]>;
  /** As `addKeys`, unless there are keys: then it adds and gives none. Of several processes at once one adds them. */
  addFirstKeys(keys: readonly Omit<AccessKey, "id">[]): Promise<readonly AccessKey[]>;
  /**
   * Changes what is known of the key with this id, which there must be; its value stays.
   *
   * @throws FindlingError `conflict` as `putIndex`
   */
  putKey(key: CatalogKey, expected?: CatalogKey): Promise<void>;
  deleteKeys(ids: readonly string[]): Promise<void>;
  /**
   * Writes when keys were last used, where that is later than what is written; keys that are gone are passed over.
   * A change of a key is never refused for it.
   *
   * @param uses RFC 3339 in UTC by the key's id
   */
  noteKeyUses(uses: ReadonlyMap<string, string>): Promise<void>;

  close(): Promise<void>;
}

export type FederationLookup = Pick<Catalog, "federations" | "federation">;
