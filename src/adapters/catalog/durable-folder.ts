import { existsSync, readFileSync } from "node:fs";
import { mkdir, open, readdir, readFile, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";

/** What the name of a file ends in that a write has not yet put in place. */
export const TEMPORARY_SUFFIX = ".tmp";

/** What the name of a copy goes on with that is kept of a damaged file: `keys.json.damaged`, `keys.json.damaged-2`. */
export const DAMAGED_SUFFIX = ".damaged";

/** The change was made but may not outlive a crash of the machine: its folder could not be synced. */
export class UnsettledChangeError extends Error {
  constructor(file: string, cause: unknown) {
    super(`the folder of '${file}' could not be synced`, { cause });
    this.name = "UnsettledChangeError";
  }
}

/**
 * A folder of small files that are replaced whole. After `write` or `remove` has resolved the
 * change survives a crash of the machine; a crash before leaves the file as it was.
 * Files are readable by their owner only, because access keys are among them.
 */
export class DurableFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /**
   * Makes the folder if need be and clears away what an interrupted write has left. On a file system that takes nothing
   * new, full or read-only, one that is missing is one without files until the first write.
   */
  static async open(path: string): Promise<DurableFolder> {
    try {
      const made = await mkdir(path, { recursive: true, mode: 0o700 });
      if (made !== undefined) await syncFolder(dirname(path));
      for (const name of await readdir(path)) {
        if (name.endsWith(TEMPORARY_SUFFIX)) await rm(join(path, name));
      }
    } catch (error) {
      if (!isWantOfRoom(error)) throw error;
    }
    return new DurableFolder(path);
  }

  /** A folder that is there and holds files of others, too: nothing in it is cleared away. */
  static existing(path: string): DurableFolder {
    return new DurableFolder(path);
  }

  fileOf(name: string): string {
    return join(this.path, name);
  }

  /** Names of its files, sorted. */
  async list(): Promise<readonly string[]> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissingFile(error)) return [];
      throw error;
    });
    return entries
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
      .toSorted();
  }

  /** Null if there is no such file. */
  async read(name: string): Promise<Uint8Array | null> {
    try {
      return await readFile(this.fileOf(name));
    } catch (error) {
      if (isMissingFile(error)) return null;
      throw error;
    }
  }

  /** As `read`, for thousands of files before anybody is answered: a promise each took several times as long. */
  readNow(name: string): Uint8Array | null {
    try {
      return readFileSync(this.fileOf(name));
    } catch (error) {
      if (isMissingFile(error)) return null;
      throw error;
    }
  }

  /**
   * No two writes of the same name at once.
   *
   * @throws UnsettledChangeError after the file has changed; any other error before
   */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const temporary = this.fileOf(name + TEMPORARY_SUFFIX);
    try {
      await mkdir(this.path, { recursive: true, mode: 0o700 });
      const file = await open(temporary, "w", 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.fileOf(name));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await this.#settle(name);
  }

  /** Removing what is not there is fine. @throws as `write` */
  async remove(name: string): Promise<void> {
    try {
      await unlink(this.fileOf(name));
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
    await this.#settle(name);
  }

  /**
   * Keeps a copy of a file that is damaged, before another takes its place. One that can't be read is renamed.
   *
   * @throws as `write`
   */
  async setAside(name: string): Promise<void> {
    let bytes: Uint8Array | null | undefined;
    try {
      bytes = await this.read(name);
    } catch {
      bytes = undefined;
    }
    if (bytes === null) return;
    for (let number = 1; ; number++) {
      const copy = `${name}${DAMAGED_SUFFIX}${number === 1 ? "" : `-${number}`}`;
      if (existsSync(this.fileOf(copy))) {
        // Of an earlier attempt.
        const kept = await this.read(copy).catch(() => null);
        if (bytes !== undefined && kept !== null && Buffer.compare(kept, bytes) === 0) return;
        continue;
      }
      if (bytes !== undefined) return this.write(copy, bytes);
      await rename(this.fileOf(name), this.fileOf(copy));
      return this.#settle(copy);
    }
  }

  async #settle(name: string): Promise<void> {
    try {
      await syncFolder(this.path);
    } catch (error) {
      throw new UnsettledChangeError(this.fileOf(name), error);
    }
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function isWantOfRoom(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "EROFS" || code === "ENOSPC" || code === "EDQUOT";
}

function isMissingFile(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
