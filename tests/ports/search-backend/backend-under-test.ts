import { randomUUID } from "node:crypto";
import type { IndexSchema } from "../../../src/contract/index-schema.js";
import type { SearchBackend, StorageId } from "../../../src/ports/search-backend.js";

/** A back end over storage of its own, or in a corner of its own of storage that others use as well. */
export interface BackendUnderTest {
  readonly backend: SearchBackend;
  /** Stops the back end and starts another over the same storage, with these indexes. */
  restart(indexes: readonly { readonly storageId: StorageId; readonly schema: IndexSchema }[]): Promise<void>;
  /** Stops the back end and removes the storage. */
  close(): Promise<void>;
}

/** What a back end needn't do as the others do. */
export type Exception =
  /** Explanations say what a score is, and not what it is made of. */
  | "explanations without details"
  /** Indexes take no room that could be told. */
  | "space unknown";

export interface BackendCase {
  readonly name: string;
  /** Opens a started back end that holds no index. */
  readonly open: () => Promise<BackendUnderTest>;
  /** With the reason of each. */
  readonly exceptions?: Readonly<Partial<Record<Exception, string>>>;
}

/** A name that no other test has used: a cluster may be shared. */
export function newStorageId(): StorageId {
  return randomUUID().replaceAll("-", "");
}
