import type { CanonicalDocument } from "../contract/canonical-value.js";
import type { IndexSchema } from "../contract/index-schema.js";
import type { StorageId } from "./search-backend.js";

/** A document with its id, on its way to other storage. */
export interface MovedDocument {
  readonly id: string;
  readonly document: CanonicalDocument;
}

/** Documents of indexes as one end of a move has them. */
export interface MovedStorage {
  /**
   * The committed documents of one moment in the order of their insertion, whatever goes on meanwhile.
   *
   * @throws FindlingError `storage_unavailable`, `storage_corrupt`
   */
  documents(storageId: StorageId): AsyncIterable<readonly MovedDocument[]>;
  /** Makes storage with these documents, committed; leaves none if it fails. */
  fill(
    storageId: StorageId,
    schema: IndexSchema,
    documents: AsyncIterable<readonly MovedDocument[]>,
  ): Promise<void>;
  /** The catalog names it now. */
  keep(storageId: StorageId): Promise<void>;
  /** Deletes storage that `fill` made. */
  drop(storageId: StorageId): Promise<void>;
}
