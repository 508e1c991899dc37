import {
  closeSync,
  type Dirent,
  existsSync,
  fdatasync,
  fstatSync,
  fsync,
  openSync,
  read,
  renameSync,
  statSync,
  unlinkSync,
  write,
  writeSync,
} from "node:fs";
import { mkdir, readdir, rm, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { CorruptionError } from "../../errors/index.js";
import type {
  AllocateBytes,
  AppendFile,
  Directory,
  FileChunks,
  NewFile,
  RandomAccessFile,
  StagedFile,
  WriteLock,
} from "./directory.js";
import { FileAppend } from "./file-append.js";
import { checkFileName, isReservedName, temporaryName } from "./file-names.js";
import { FileRandomAccess } from "./file-random-access.js";
import { FolderLock, requireUnlocked } from "./folder-lock.js";
import { GatheredBytes } from "./gathered-bytes.js";
import { sharedBytes } from "./shared-bytes.js";
import { isWantOfDescriptors, storageError } from "./storage-error.js";

/** Bytes that one call reads: well under the 2 GiB that the system takes. */
const READ_PIECE = 8 * 1024 * 1024;
/** Bytes that are gathered for one call. */
const GATHERED_MAX = 1024 * 1024;
/** The system takes less than 2 GiB a call, and smaller pieces leave the thread pool to others. */
const WRITTEN_MAX = 64 * 1024 * 1024;
/** A longer file is synced in between: file systems let whoever syncs the journal wait for all of it. */
const UNSYNCED_MAX = 16 * 1024 * 1024;
/** The system takes long to delete a longer file, whose pages it has to give back. */
const DELETED_AT_ONCE_MAX = 1024 * 1024;
/** Calls under way for one file: as many as Node's pool has threads by default. */
const READS_AT_ONCE = 4;
/** Syncs of files that nobody waits for: the others of the pool's threads are left to the journal, whose syncs senders wait for. */
const SYNCS_AT_ONCE = 2;

const syncFile = promisify(fsync);
const syncData = promisify(fdatasync);
const readBytes = promisify(read);
const writeBytes = promisify(write);

/**
 * The files of an index in a folder of the file system. What the system does from memory (opening, closing,
 * naming, deleting what is short) is done at once, since a turn of the thread pool takes longer; what waits for the disk isn't.
 */
export class FileDirectory implements Directory {
  /** Absolute path of the folder. */
  readonly description: string;

  private constructor(path: string) {
    this.description = path;
  }

  /** A folder that another thread of this process has open, and so without a look at it. */
  static of(path: string): FileDirectory {
    return new FileDirectory(resolve(path));
  }

  /**
   * @throws CorruptionError if the folder is missing and `create` is false; FindlingError
   * `storage_unavailable` if it can't be made or read
   */
  static async open(path: string, options: { readonly create: boolean }): Promise<FileDirectory> {
    const absolute = resolve(path);
    if (options.create) await createFolder(absolute);
    const directory = new FileDirectory(absolute);
    await directory.list();
    return directory;
  }

  async list(): Promise<readonly string[]> {
    return await this.#run("list", null, async () => {
      const entries = await readdir(this.description, { withFileTypes: true });
      const isFile = (entry: Dirent): boolean => entry.isFile() || entry.isSymbolicLink();
      const names = entries.filter(isFile).map((entry) => entry.name);
      return names.filter((name) => !isReservedName(name)).sort();
    });
  }

  async read(name: string, allocate: AllocateBytes = sharedBytes): Promise<Uint8Array<SharedArrayBuffer>> {
    return await this.#run("read", name, async (path) => {
      const descriptor = openSync(path, "r");
      try {
        const bytes = allocate(fstatSync(descriptor).size);
        await readWhole(descriptor, path, bytes);
        return bytes;
      } finally {
        closeSync(descriptor);
      }
    });
  }

  async open(name: string): Promise<RandomAccessFile> {
    return await this.#run("open", name, async (path) => {
      const descriptor = openSync(path, "r");
      try {
        return new FileRandomAccess(path, descriptor, fstatSync(descriptor).size);
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
    });
  }

  write(name: string, chunks: FileChunks): Promise<void> {
    return this.#writeAll([{ name, chunks }]);
  }

  writeTogether(files: readonly NewFile[]): Promise<void> {
    return this.#writeAll(files);
  }

  async #writeAll(files: readonly { readonly name: string; readonly chunks: FileChunks }[]): Promise<void> {
    for (const { name } of files) checkFileName(name);
    const writing = await Promise.allSettled(files.map(({ name, chunks }) => this.#writeNew(name, chunks)));
    const failed = writing.find((each) => each.status === "rejected");
    try {
      if (failed !== undefined) throw failed.reason;
      await this.sync();
    } catch (error) {
      // A name may stand already, and only another file or the sync of the folder have failed.
      for (let i = 0; i < files.length; i++) {
        if (writing[i]!.status !== "fulfilled") continue;
        await deleteQuietly(join(this.description, files[i]!.name));
      }
      throw error;
    }
  }

  async writeUnsynced(files: readonly NewFile[]): Promise<void> {
    for (const { name } of files) checkFileName(name);
    const writing = await Promise.allSettled(
      files.map(({ name, chunks }) =>
        this.#run("write", name, async (path) => {
          // Nobody counts on what the file holds after a crash, so that it needs no other name at first.
          const descriptor = openSync(path, "wx");
          try {
            await writeChunks(descriptor, chunks, () => undefined);
          } catch (error) {
            await deleteQuietly(path);
            throw error;
          } finally {
            closeSync(descriptor);
          }
        }),
      ),
    );
    const failed = writing.find((each) => each.status === "rejected");
    if (failed === undefined) return;
    for (let i = 0; i < files.length; i++) {
      if (writing[i]!.status === "fulfilled") await deleteQuietly(join(this.description, files[i]!.name));
    }
    throw failed.reason;
  }

  async syncFiles(names: readonly string[]): Promise<void> {
    if (names.length === 0) return;
    const waiting = [...names];
    const syncRest = async (): Promise<void> => {
      for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
        await this.#run("sync", name, (path) => syncPath(path));
      }
    };
    const syncing = await Promise.allSettled(Array.from({ length: SYNCS_AT_ONCE }, syncRest));
    const failures = syncing.flatMap((each): unknown[] => (each.status === "rejected" ? [each.reason] : []));
    if (failures.length > 0) throw failures.find((each) => !isWantOfDescriptors(each)) ?? failures[0];
    await this.sync();
  }

  async stage(name: string, bytes: Uint8Array): Promise<StagedFile> {
    checkFileName(name);
    return await this.#run("write", name, async (path) => {
      const staged = await this.#stage(name, [bytes]);
      return {
        publish: async () => {
          await this.#run("write", name, async () => renameSync(staged, path));
          await this.sync();
        },
        discard: () => deleteQuietly(staged),
      };
    });
  }

  async publish(name: string, bytes: Uint8Array): Promise<void> {
    const staged = await this.stage(name, bytes);
    try {
      await staged.publish();
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  async openAppend(name: string, options: { readonly create: boolean }): Promise<AppendFile> {
    checkFileName(name);
    return await this.#run("open", name, async (path) => {
      const descriptor = openSync(path, options.create ? "wx+" : "r+");
      return new FileAppend(path, descriptor, fstatSync(descriptor).size);
    });
  }

  async delete(name: string): Promise<void> {
    checkFileName(name);
    await this.#run("delete", name, (path) => deleteFile(path));
  }

  async sync(): Promise<void> {
    await this.#run("sync", null, (path) => syncFolder(path));
  }

  async deleteUnfinished(): Promise<void> {
    await this.#run("clean", null, async (path) => {
      for (const name of await readdir(path)) {
        if (name.startsWith(".") && name.endsWith(".tmp")) await rm(join(path, name), { force: true });
      }
    });
  }

  /** Besides taking the lock, deletes unfinished files. */
  async lock(): Promise<WriteLock> {
    const lock = await FolderLock.take(this.description);
    try {
      await this.deleteUnfinished();
    } catch (error) {
      await lock.release().catch(() => undefined);
      throw error;
    }
    return lock;
  }

  requireUnlocked(): Promise<void> {
    return requireUnlocked(this.description);
  }

  async #writeNew(name: string, chunks: FileChunks): Promise<void> {
    await this.#run("write", name, async (path) => {
      // Only the holder of the lock creates files, so a name that is free stays free.
      if (existsSync(path)) throw Object.assign(new Error("exists"), { code: "EEXIST" });
      const unfinished = await this.#stage(name, chunks);
      try {
        renameSync(unfinished, path);
      } catch (error) {
        await deleteQuietly(unfinished);
        throw error;
      }
    });
  }

  /** Writes the temporary file of a name, durably. On failure nothing remains. @returns its path */
  async #stage(name: string, chunks: FileChunks): Promise<string> {
    const unfinished = join(this.description, temporaryName(name));
    try {
      await writeDurably(unfinished, chunks);
      return unfinished;
    } catch (error) {
      await deleteQuietly(unfinished);
      throw error;
    }
  }

  async #run<T>(action: string, name: string | null, work: (path: string) => Promise<T>): Promise<T> {
    const path = name === null ? this.description : join(this.description, name);
    try {
      return await work(path);
    } catch (error) {
      throw storageError(action, path, error);
    }
  }
}

/** Fills `bytes` with a file's, several pieces at a time. */
async function readWhole(descriptor: number, path: string, bytes: Uint8Array): Promise<void> {
  const size = bytes.length;
  let next = 0;
  const readPieces = async (): Promise<void> => {
    while (next < size) {
      const end = Math.min(next + READ_PIECE, size);
      let done = next;
      next = end;
      while (done < end) {
        const { bytesRead } = await readBytes(descriptor, bytes, done, end - done, done);
        if (bytesRead === 0) throw new CorruptionError(path, `it ends at byte ${done}, before byte ${size}`);
        done += bytesRead;
      }
    }
  };
  const readers = await Promise.allSettled(Array.from({ length: READS_AT_ONCE }, readPieces));
  // Only now, since whoever called closes the file.
  for (const reader of readers) if (reader.status === "rejected") throw reader.reason;
}

async function deleteFile(path: string): Promise<void> {
  try {
    const file = statSync(path, { throwIfNoEntry: false });
    if (file === undefined) return;
    if (file.size > DELETED_AT_ONCE_MAX) await unlink(path);
    else unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

async function deleteQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => undefined);
}

/** Makes a folder and its parents, durably. */
async function createFolder(path: string): Promise<void> {
  try {
    const first = await mkdir(path, { recursive: true });
    if (first === undefined) return;
    // A folder's name is durable once its parent is synced, so every new folder's parent is.
    for (let folder = path; ; folder = dirname(folder)) {
      await syncFolder(dirname(folder));
      if (folder === first || folder === dirname(folder)) return;
    }
  } catch (error) {
    throw storageError("create", path, error);
  }
}

/** Writes a file whole and syncs it, in between as well if it is long. */
async function writeDurably(path: string, chunks: FileChunks): Promise<void> {
  const descriptor = openSync(path, "w");
  try {
    let unsynced = 0;
    await writeChunks(descriptor, chunks, async (bytes) => {
      if (unsynced >= UNSYNCED_MAX) {
        await syncData(descriptor);
        unsynced = 0;
      }
      unsynced += bytes;
    });
    await syncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Writes small chunks together, by way of a buffer: a file of a thousand blocks isn't a thousand calls.
 *
 * @param before awaited before so many bytes go to the system, but for the last of them
 */
async function writeChunks(
  descriptor: number,
  chunks: FileChunks,
  before: (bytes: number) => Promise<void> | undefined,
): Promise<void> {
  const gathered = new GatheredBytes(GATHERED_MAX);
  let isFirst = true;
  const write = async (bytes: Uint8Array): Promise<void> => {
    await before(bytes.length);
    await writeAll(descriptor, bytes);
    isFirst = false;
  };
  try {
    for await (const chunk of chunks) {
      if (gathered.take(chunk)) continue;
      if (gathered.length > 0) await write(gathered.bytes());
      gathered.clear();
      if (!gathered.take(chunk)) await write(chunk);
    }
    // A file that fits one call goes to the system's memory at once.
    const last = gathered.bytes();
    await writeAll(descriptor, last, isFirst ? writeSync(descriptor, last) : 0);
  } finally {
    gathered.release();
  }
}

/** @param written bytes of them that are there already */
async function writeAll(descriptor: number, bytes: Uint8Array, written = 0): Promise<void> {
  while (written < bytes.length) {
    const piece = Math.min(bytes.length - written, WRITTEN_MAX);
    const { bytesWritten } = await writeBytes(descriptor, bytes, written, piece);
    if (bytesWritten === 0) throw new Error("the system took no bytes");
    written += bytesWritten;
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; its file systems log names by themselves.
  if (process.platform === "win32") return;
  await syncPath(path);
}

async function syncPath(path: string): Promise<void> {
  // Windows syncs no file that was opened for reading.
  const descriptor = openSync(path, process.platform === "win32" ? "r+" : "r");
  try {
    await syncFile(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
