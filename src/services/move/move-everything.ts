import { FindlingError } from "../../errors/index.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { MovedStorage } from "../../ports/moved-storage.js";
import type { StorageId } from "../../ports/search-backend.js";
import { newStorageId } from "../indexes/storage-id.js";
import { type ContentDigest, DigestedDocuments, type Hash } from "./content-digest.js";

/** One end of a move: where everything is, or is to be. */
export interface MoveEnd {
  readonly catalog: Catalog;
  readonly storage: MovedStorage;
}

export interface MovedIndex extends ContentDigest {
  readonly name: string;
  /** Whether something was committed at the old place while the move went on: then it isn't at the new one. */
  readonly has_changed: boolean;
}

export interface MoveReport {
  readonly indexes: readonly MovedIndex[];
  readonly federations: number;
  readonly aliases: number;
  readonly keys: number;
}

export interface MoveOptions {
  /** A new SHA-256. */
  readonly newHash: () => Hash;
  readonly onIndex?: (name: string) => void;
}

/**
 * Copies indexes with their documents, settings and dictionaries, federations, aliases and access keys to where nothing
 * is yet. Documents keep their ids and order, and are read again afterwards: their number and checksum are to be the
 * same. The old place is only read, and goes on; what is pending there stays there. The new one names an index only
 * once all of it is there.
 *
 * @throws FindlingError `conflict` if the new place isn't empty, `storage_corrupt` if what arrived isn't what was sent,
 *   and what reading and writing throw
 */
export async function moveEverything(from: MoveEnd, to: MoveEnd, options: MoveOptions): Promise<MoveReport> {
  requireEmpty(to.catalog);
  const keys = from.catalog.keys().map(({ id, ...key }) => {
    const value = from.catalog.valueOfKey(id);
    if (value !== undefined) return { ...key, key: value };
    const problem = `the access key '${key.name}' can't be decrypted; set FINDLING_SECRET_KEY to the key that it was encrypted with`;
    throw new FindlingError("invalid_configuration", problem);
  });
  const indexes: (MovedIndex & { readonly storageId: StorageId })[] = [];
  for (const index of from.catalog.indexes()) {
    options.onIndex?.(index.schema.name);
    const digest = await moveIndex(index, { from, to, options });
    indexes.push({ name: index.schema.name, ...digest, has_changed: false, storageId: index.storageId });
  }
  for (const federation of from.catalog.federations()) await to.catalog.putFederation(federation, null);
  const aliases = from.catalog.aliases();
  if (aliases.length > 0) await to.catalog.changeAliases(aliases);
  if (keys.length > 0) await to.catalog.addKeys(keys);
  const moved: MovedIndex[] = [];
  for (const { storageId, ...index } of indexes) {
    const now = await digestOf(from.storage, storageId, options);
    moved.push({ ...index, has_changed: now.checksum !== index.checksum });
  }
  return {
    indexes: moved,
    federations: from.catalog.federations().length,
    aliases: aliases.length,
    keys: keys.length,
  };
}

/** @returns what the index holds, at both ends */
async function moveIndex(
  index: CatalogIndex,
  { from, to, options }: { readonly from: MoveEnd; readonly to: MoveEnd; readonly options: MoveOptions },
): Promise<ContentDigest> {
  const { next_schema: next, ...entry } = index;
  // Documents are analysed anew on their way, so that settings that were waiting for that are in force.
  const schema = withOpenSecret(next ?? index.schema, from.catalog);
  const storageId = newStorageId();
  const sent = new DigestedDocuments(options.newHash());
  await to.storage.fill(storageId, schema, sent.passing(from.storage.documents(index.storageId)));
  try {
    const digest = sent.end();
    const arrived = await digestOf(to.storage, storageId, options);
    if (arrived.checksum !== digest.checksum) {
      throw new FindlingError(
        "storage_corrupt",
        `of index '${schema.name}' ${digest.documents} documents were sent and ${arrived.documents} have arrived, or not as they were; nothing of it is kept`,
      );
    }
    await to.catalog.putIndex({ ...entry, schema, storageId }, null);
    await to.storage.keep(storageId);
    return digest;
  } catch (error) {
    await to.storage.drop(storageId).catch(() => undefined);
    throw error;
  }
}

async function digestOf(
  storage: MovedStorage,
  storageId: StorageId,
  { newHash }: MoveOptions,
): Promise<ContentDigest> {
  const read = new DigestedDocuments(newHash());
  for await (const _ of read.passing(storage.documents(storageId)));
  return read.end();
}

/** The other end may encrypt with another key. @throws FindlingError if the secret can't be decrypted */
function withOpenSecret(schema: CatalogIndex["schema"], catalog: Catalog): CatalogIndex["schema"] {
  const { ai } = schema;
  if (ai?.llm_api_key === undefined) return schema;
  const secret = catalog.openLlmApiKey(schema.name, ai);
  const { llm_api_key: _, ...open } = ai;
  return { ...schema, ai: { ...open, ...(secret !== undefined && { llm_api_key: secret }) } };
}

function requireEmpty(catalog: Catalog): void {
  const held = [
    [catalog.indexes().length, "indexes"],
    [catalog.federations().length, "federations"],
    [catalog.aliases().length, "aliases"],
    [catalog.keys().length, "access keys"],
  ] as const;
  const found = held.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (found.length === 0) return;
  throw new FindlingError(
    "conflict",
    `there are ${found.join(", ")} where everything is to be moved to; name a place that holds nothing yet, such as another prefix`,
  );
}
