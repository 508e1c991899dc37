import type { IndexSchema } from "../contract/index-schema.js";
import type { StorageId } from "./search-backend.js";

/** A file of an index, as a backup copies it. */
export interface IndexFile {
  /** Safe as the name of a file in a folder. */
  readonly name: string;
  readonly bytes: number;
  /** Names the content for ever, wherever a copy of it is; null: what has this name may differ from copy to copy. */
  readonly identity: string | null;
}

/** The files of one committed state of an index, which stay as they are until they are let go of. */
export interface HeldFiles {
  /** What makes an index of the files again: text of the back end's own, some hundred bytes a file. */
  readonly commit: string;
  readonly files: readonly IndexFile[];
  readonly documentCount: number;
  /** Whether acknowledged writes waited for a commit: they are in none of the files. */
  readonly hasPendingWrites: boolean;
  /**
   * Fills `bytes` with what stands in the file from `offset` on.
   *
   * @throws CorruptionError if the file is shorter or gone; FindlingError `storage_unavailable`
   */
  readInto(name: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Calling it again does nothing. */
  release(): void;
}

/** A committed state as it comes from a backup. */
export interface FilesToRestore {
  /** For messages. */
  readonly source: string;
  readonly commit: string;
  /** The bytes of one of the files that `filesOf` names. */
  open(name: string): AsyncIterable<Uint8Array>;
}

/** The files behind a `SearchBackend`, for backups: nothing that a request reads or writes. */
export interface IndexFiles {
  /**
   * Keeps the files of the last commit as they are, while writes, commits and merges go on.
   *
   * @throws FindlingError `index_not_found`, `storage_unavailable`, `storage_corrupt`
   */
  hold(storageId: StorageId): Promise<HeldFiles>;
  /**
   * What a commit needs, from nothing but its text.
   *
   * @throws CorruptionError if it is damaged, or of a version that isn't known here
   */
  describe(
    source: string,
    commit: string,
  ): { readonly documentCount: number; readonly files: readonly string[] };
  /**
   * Makes storage of a backup's files, as `SearchBackend.createIndex` makes empty storage; leaves nothing if it fails.
   *
   * @throws CorruptionError if the files don't belong together; FindlingError `storage_unavailable`; what `open` throws
   */
  restore(storageId: StorageId, schema: IndexSchema, files: FilesToRestore): Promise<void>;
}
