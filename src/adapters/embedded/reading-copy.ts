import { copyFile, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

/** Tried in this order: the second is in memory, and there where a container's own file system is read-only. */
const PLACES = [tmpdir(), ...(process.platform === "linux" ? ["/dev/shm"] : [])];

/**
 * A stand-in for the folder of an index where that takes nothing new, since the disk is full or read-only: links to its
 * files, which are never written again, and a copy of its journal. An index that is opened from it has everything that
 * was committed, and makes what it needs beside the links.
 */
export class ReadingCopy {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** @throws the system's error if there is no room for the journal anywhere */
  static async make(folder: string): Promise<ReadingCopy> {
    let refusal: unknown;
    for (const place of PLACES) {
      try {
        return await ReadingCopy.#makeIn(place, resolve(folder));
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  }

  static async #makeIn(place: string, folder: string): Promise<ReadingCopy> {
    const copy = new ReadingCopy(await mkdtemp(join(place, "findling-reading-")));
    try {
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
    await rm(this.path, { recursive: true, force: true });
  }
}
