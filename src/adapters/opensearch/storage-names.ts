import type { StorageId } from "../../ports/search-backend.js";
import type { SearchedStorage } from "./collection.js";
import type { IndexState } from "./index-states.js";
import type { OwnedIndices } from "./owned-index.js";

/** How the cluster's own indexes are called that a storage is kept in: one of its documents, one of their words. */
export class StorageNames {
  readonly #indices: OwnedIndices;

  constructor(indices: OwnedIndices) {
    this.#indices = indices;
  }

  documents(storageId: StorageId): string {
    return this.#indices.nameOf(`d-${storageId.toLowerCase()}`);
  }

  words(storageId: StorageId): string {
    return this.#indices.nameOf(`w-${storageId.toLowerCase()}`);
  }

  of(storageId: StorageId): Pick<SearchedStorage, "documents" | "words"> {
    return { documents: this.documents(storageId), words: this.words(storageId) };
  }

  storage(storageId: StorageId, generation: number): SearchedStorage {
    return { storageId, generation, ...this.of(storageId) };
  }

  /** The storage as it would be after a commit. */
  pendingStorage(storageId: StorageId, { generation }: IndexState): SearchedStorage {
    return this.storage(storageId, generation + 1);
  }
}
