import type { IndexSchema } from "../../contract/index-schema.js";
import type { MovedDocument, MovedStorage } from "../../ports/moved-storage.js";
import type { StorageId } from "../../ports/search-backend.js";
import type { ClusterBackend } from "./cluster-backend.js";

/** The documents in a cluster as one end of a move. */
export class ClusterDocuments implements MovedStorage {
  readonly #backend: ClusterBackend;

  constructor(backend: ClusterBackend) {
    this.#backend = backend;
  }

  documents(storageId: StorageId): AsyncIterable<readonly MovedDocument[]> {
    return this.#backend.committedDocuments(storageId);
  }

  async fill(
    storageId: StorageId,
    schema: IndexSchema,
    documents: AsyncIterable<readonly MovedDocument[]>,
  ): Promise<void> {
    await this.#backend.createIndex(storageId, schema);
    try {
      await this.#backend.fillWithCommitted(storageId, schema, documents);
    } catch (error) {
      await this.drop(storageId).catch(() => undefined);
      throw error;
    }
  }

  keep(storageId: StorageId): Promise<void> {
    return this.#backend.keepIndex(storageId);
  }

  drop(storageId: StorageId): Promise<void> {
    return this.#backend.dropIndex(storageId);
  }
}
