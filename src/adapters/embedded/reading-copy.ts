import { copyFile, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { FolderLock } from "../../engine/server-door.js";

/** Tried in this order: the second is in memory, and there where a container's own file system is read-only. */
const PLACES: readonly string[] = [tmpdir(), ...(process.platform === "linux" ? ["/dev/shm"] : [])];

const PREFIX = "findling-reading-";

/** What a claim of `FolderLock` is named like. */
const CLAIM_PREFIX = ".lock-";

/**
 * A stand-in for the folder of an index where that takes nothing new, since the disk is full or read-only: links to its
 * files, which are never written again, and a copy of its journal. An index that is opened from it has everything that
 * was committed, and makes what it needs beside the links. It is claimed for as long as it is used, so that one whose
 * process was killed is known.
 */
export class ReadingCopy {
  readonly path: string;
  /** Has the claim, and in it the copy, which nobody else may have claimed to be opened. */
  readonly #root: string;
  readonly #lock: FolderLock;

  private constructor(root: string, lock: FolderLock) {
    this.#root = root;
    this.path = join(root, "index");
    this.#lock = lock;
  }

  /** Deletes the copies that killed processes have left; one that can't be deleted stays. */
  static async sweep(places: readonly string[] = PLACES): Promise<void> {
    for (const place of places) {
      const names = await readdir(place).catch(() => []);
      for (const name of names)
        if (name.startsWith(PREFIX)) await deleteUnlessUsed(join(place, name)).catch(() => undefined);
    }
  }

  /** @throws the system's error if there is no room for the journal anywhere */
  static async make(folder: string, places: readonly string[] = PLACES): Promise<ReadingCopy> {
    let refusal: unknown;
    for (const place of places) {
      try {
        return await ReadingCopy.#makeIn(place, resolve(folder));
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  static async #makeIn(place: string, folder: string): Promise<ReadingCopy> {
    const root = await mkdtemp(join(place, PREFIX));
    const lock = await FolderLock.take(root).catch(async (error: unknown) => {
      await rm(root, { recursive: true, force: true });
      throw error;
    });
    const copy = new ReadingCopy(root, lock);
    try {
      await mkdir(copy.path);
      for (const entry of await readdir(folder, { withFileTypes: true })) {
        const { name } = entry;
        if (!entry.isFile() || name.startsWith(".")) continue;
        const [from, to] = [join(folder, name), join(copy.path, name)];
        if (name.startsWith("journal-")) await copyFile(from, to);
        else await symlink(from, to);
      }
      return copy;
    } catch (error) {
      await copy.delete();
      throw error;
    }
  }

  async delete(): Promise<void> {
    await this.#lock.release();
    await rm(this.#root, { recursive: true, force: true });
  }
}

/** @throws FindlingError `storage_locked` if a process uses it */
async function deleteUnlessUsed(path: string): Promise<void> {
  // One that is just being made has no claim yet.
  if (!(await readdir(path)).some((name) => name.startsWith(CLAIM_PREFIX))) return;
  const lock = await FolderLock.take(path);
  await lock.release();
  await rm(path, { recursive: true, force: true });
}
