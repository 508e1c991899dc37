import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { IndexSchema } from "../../contract/index-schema.js";
import { encodeForAdding, FileDirectory, Index, loadKernels } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import { readJson } from "../../json/exact-json.js";
import type { MovedDocument, MovedStorage } from "../../ports/moved-storage.js";
import type { StorageId } from "../../ports/search-backend.js";
import { IndexFolders } from "./index-folders.js";
import { ReadingCopy } from "./reading-copy.js";
import { toEngineSchema } from "./to-engine-schema.js";

const BATCH_DOCUMENTS = 500;
const BATCH_CHARACTERS = 1 << 20;
const NO_MERGES = { nextMerge: () => null };
/** A server that writes all the time takes files away while they are being opened. */
const OPENINGS_MAX = 20;

/**
 * The documents in a data folder as one end of a move. They are read from a stand-in for an index's folder, with what
 * a start after a crash at that moment would find: so a server that runs on the folder goes on.
 */
export class FolderDocuments implements MovedStorage {
  readonly #root: string;
  readonly #folders: IndexFolders;

  constructor(dataDirectory: string) {
    loadKernels();
    this.#root = join(dataDirectory, "indexes");
    this.#folders = new IndexFolders(this.#root, () => undefined);
  }

  async *documents(storageId: StorageId): AsyncGenerator<readonly MovedDocument[]> {
    const { copy, index } = await this.#openCopy(storageId);
    try {
      let batch: MovedDocument[] = [];
      let characters = 0;
      for (const segment of index.searcher.segments) {
        const { liveDocs, maxDoc } = segment;
        for (let docId = 0; docId < maxDoc; docId++) {
          if (liveDocs !== null && ((liveDocs[docId >>> 5]! >>> (docId & 31)) & 1) === 0) continue;
          const [stored, unstored] = [segment.storedJson(docId), segment.unstoredJson(docId)];
          const document = { ...valuesOf(stored), ...valuesOf(unstored) };
          batch.push({ id: segment.documentId(docId), document });
          characters += stored.length + unstored.length;
          if (batch.length < BATCH_DOCUMENTS && characters < BATCH_CHARACTERS) continue;
          yield batch;
          [batch, characters] = [[], 0];
        }
      }
      if (batch.length > 0) yield batch;
    } finally {
      await index.close();
      await copy.delete();
    }
  }

  async fill(
    storageId: StorageId,
    schema: IndexSchema,
    documents: AsyncIterable<readonly MovedDocument[]>,
  ): Promise<void> {
    try {
      await this.#folders.make(storageId);
      const directory = await FileDirectory.open(this.#folders.path(storageId), { create: false });
      const engineSchema = toEngineSchema(schema);
      const index = await Index.create(directory, engineSchema, { owner: storageId, lock: false });
      try {
        for await (const batch of documents) {
          const ids = batch.map(({ id }) => id);
          await index.addEncoded(
            await encodeForAdding(
              engineSchema,
              ids,
              batch.map(({ document }) => document),
            ),
          );
        }
        await index.commit();
        await index.settled();
      } finally {
        await index.close();
      }
    } catch (error) {
      await this.drop(storageId);
      throw error;
    }
  }

  keep(storageId: StorageId): Promise<void> {
    return this.#folders.keep(storageId);
  }

  async drop(storageId: StorageId): Promise<void> {
    await rm(this.#folders.path(storageId), { recursive: true, force: true });
  }

  async #openCopy(storageId: StorageId): Promise<{ readonly copy: ReadingCopy; readonly index: Index }> {
    let problem: unknown;
    for (let i = 0; i < OPENINGS_MAX; i++) {
      let copy: ReadingCopy | undefined;
      try {
        copy = await ReadingCopy.make(this.#folders.path(storageId));
        const directory = await FileDirectory.open(copy.path, { create: false });
        const index = await Index.open(directory, {
          owner: storageId,
          lock: false,
          checkpointAfterMs: null,
          mergePolicy: NO_MERGES,
        });
        return { copy, index };
      } catch (error) {
        await copy?.delete();
        problem = error;
      }
    }
    throw problem instanceof FindlingError
      ? problem
      : new FindlingError("storage_unavailable", `'${this.#root}' can't be read`, { cause: problem });
  }
}

function valuesOf(json: string): MovedDocument["document"] {
  return readJson(json) as MovedDocument["document"];
}
