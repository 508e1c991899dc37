import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { FolderLock } from "./folder-lock.js";

/** What `mkdtemp` puts behind a prefix. */
const RANDOM = /^[A-Za-z0-9]{6}$/;
/** Between its making and its claim a folder looks as one does that a process has left. */
const CLAIMED_WITHIN_MS = 60_000;

/**
 * A folder for what one process needs while it runs. What a process has left that was killed is deleted by the next one
 * that makes a folder with the same prefix, as the claim to it ends with its process.
 */
export class PassingFolder {
  readonly path: string;
  readonly #lock: FolderLock;

  private constructor(path: string, lock: FolderLock) {
    this.path = path;
    this.#lock = lock;
  }

  /** @throws the system's error; FindlingError `storage_unavailable` */
  static async make(parent: string, prefix: string): Promise<PassingFolder> {
    // Nothing that is left, or whose it is, keeps anybody from making another.
    await deleteLeft(parent, prefix).catch(() => undefined);
    const path = await mkdtemp(join(parent, prefix));
    try {
      return new PassingFolder(path, await FolderLock.take(path));
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      throw error;
    }
  }

  async delete(): Promise<void> {
    await this.#lock.release();
    await rm(this.path, { recursive: true, force: true });
  }
}

async function deleteLeft(parent: string, prefix: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(prefix) || !RANDOM.test(name.slice(prefix.length))) continue;
    const path = join(parent, name);
    const status = await lstat(path).catch(() => null);
    if (status === null || !status.isDirectory() || status.uid !== (process.getuid?.() ?? status.uid))
      continue;
    if (Date.now() - status.mtimeMs < CLAIMED_WITHIN_MS) continue;
    await deleteUnlessHeld(path).catch(() => undefined);
  }
}

async function deleteUnlessHeld(path: string): Promise<void> {
  const lock = await FolderLock.take(path);
  await lock.release();
  await rm(path, { recursive: true, force: true });
}
