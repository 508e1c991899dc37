import type { FindlingError } from "../../errors/index.js";

/** A file being appended to: the journal. Bytes count as durable only after `sync` resolves. */
export interface AppendFile {
  readonly size: number;
  /** Appends all bytes or throws; after a throw the caller must `truncate` back to a length it trusts. */
  append(bytes: Uint8Array): Promise<void>;
  sync(): Promise<void>;
  truncate(size: number): Promise<void>;
  /** Overwrites inside the file; used for preallocated journals. */
  writeAt(offset: number, bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The right to write to a directory. */
export interface WriteLock {
  /** Why it is another's, though it wasn't released: its files were deleted, or this process stood still for long. */
  readonly lost: FindlingError | null;
  /** Calling it again does nothing. */
  release(): Promise<void>;
}

/** A file read in pieces: the document store. Reads are positional and synchronous (page cache). */
export interface RandomAccessFile {
  /** For messages: the directory's description and the file's name, as a path. */
  readonly name: string;
  readonly size: number;
  /** @throws CorruptionError if the file ends before `offset + length`; FindlingError `storage_unavailable` on a read error, naming the file */
  read(offset: number, length: number): Uint8Array;
  /** As `read`, into `target` from `at` on, without memory of its own. */
  readInto(offset: number, length: number, target: Uint8Array, at: number): void;
  close(): void;
}

/**
 * The bytes of a new file, in order. Those that are made as they are asked for may be longer than memory:
 * a directory on disk asks for more only once it has written what it has, but for a megabyte.
 */
export type FileChunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A file to be written whole. */
export interface NewFile {
  readonly name: string;
  readonly chunks: readonly Uint8Array[];
}

/** A file whose bytes are durable, but not its name: it counts from `publish` on. */
export interface StagedFile {
  /**
   * Gives it its name, durably, in place of a file that has it. Until it resolves, and after a failure, the
   * name holds the old file or the new one, whole.
   */
  publish(): Promise<void>;
  /** Instead of `publish`: nothing of it remains. Never fails. */
  discard(): Promise<void>;
}

/** Where files are read from. */
export type WrittenFiles = Pick<Directory, "read" | "open">;

/** Where new files go: a directory, or a batch of files that become durable together. */
export type NewFiles = Pick<Directory, "write" | "delete">;

/** Gives `length` zero bytes. */
export type AllocateBytes = (length: number) => Uint8Array<SharedArrayBuffer>;

/**
 * The files of one index, flat, write-once but for the journal. Every failure is a `FindlingError`
 * that names the file: `storage_unavailable` for I/O errors, `CorruptionError` for a missing or cut one.
 */
export interface Directory {
  /** For messages only: a path, or "memory". */
  readonly description: string;
  /** Names of all files, ascending; not those of unfinished files and of the lock. */
  list(): Promise<readonly string[]>;
  /**
   * The whole file, in a buffer of its own that may be shared between threads. The view has exactly
   * the file's length and starts at offset 0; the buffer goes on to a multiple of 64 bytes at least, so
   * that typed arrays of any width can view it to the end.
   *
   * @param allocate gives the buffer, zeroed, with a view of so many bytes that fits the above
   */
  read(name: string, allocate?: AllocateBytes): Promise<Uint8Array<SharedArrayBuffer>>;
  open(name: string): Promise<RandomAccessFile>;
  /**
   * Writes a new file whole and syncs it and its name: once it resolves, the file outlives a power
   * loss; until then the name is free or the file whole. The name must be free; it starts with no
   * `.` and ends in no `.tmp`. On failure, and that of the chunks too, nothing remains under the name.
   */
  write(name: string, chunks: FileChunks): Promise<void>;
  /**
   * As `write` for each file, at the same time and with one sync of all names. On failure nothing
   * remains under any of them.
   */
  writeTogether(files: readonly NewFile[]): Promise<void>;
  /**
   * As `writeTogether` without any sync: the files can be read, but until `syncFiles` a power loss leaves any
   * part of them or none. On failure nothing remains under any of the names.
   */
  writeUnsynced(files: readonly NewFile[]): Promise<void>;
  /**
   * Makes files of `writeUnsynced` outlive a power loss, content and names. After a failure it isn't known what
   * the disk holds, and trying again proves nothing, unless it was for want of descriptors
   * (`isWantOfDescriptors`): then no file's sync has failed.
   */
  syncFiles(names: readonly string[]): Promise<void>;
  /** Writes a temporary file and syncs it, to be renamed to `name`. On failure nothing of it remains. */
  stage(name: string, bytes: Uint8Array): Promise<StagedFile>;
  /** `stage`, and then its `publish`. */
  publish(name: string, bytes: Uint8Array): Promise<void>;
  /** Creates (name must be free) or opens a file for appending. */
  openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile>;
  /** Deleting what is not there is fine. */
  delete(name: string): Promise<void>;
  /** Makes durable what `openAppend` created and `delete` deleted. */
  sync(): Promise<void>;
  /** Deletes what a crash left half written. For the one who writes here, before writing. */
  deleteUnfinished(): Promise<void>;
  /**
   * Takes the one write lock, which holds for folders in this one, too (two levels down). It ends with the process.
   *
   * @throws FindlingError `storage_locked` naming the folder and the holder
   */
  lock(): Promise<WriteLock>;
  /** For who has a lock that this folder lies in. @throws FindlingError `storage_locked` if somebody has locked it by itself */
  requireUnlocked(): Promise<void>;
}
