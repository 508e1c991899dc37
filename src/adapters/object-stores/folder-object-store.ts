import { randomUUID } from "node:crypto";
import { createReadStream, type Dirent } from "node:fs";
import { link, mkdir, open, readdir, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FindlingError } from "../../errors/index.js";
import { checkObjectKey, type ObjectStore, type StoredObject } from "../../ports/object-store.js";

const READ_BYTES = 1024 * 1024;

/** What the names of files begin with that are not whole yet; no key does. */
const UNFINISHED = ".unfinished-";

/** Objects as files of a folder, each under its key. */
export class FolderObjectStore implements ObjectStore {
  readonly description: string;
  readonly #root: string;

  /** @param root absolute path of the folder, which is made when something is put into it */
  constructor(root: string) {
    this.#root = root;
    this.description = `the folder '${root}'`;
  }

  async put(
    key: string,
    bytes: Uint8Array<ArrayBuffer>,
    { ifAbsent = false }: { readonly ifAbsent?: boolean } = {},
  ): Promise<boolean> {
    const path = this.#pathOf(key);
    return this.#checked(`'${key}' can't be written`, async () => {
      const folder = dirname(path);
      await this.#makeFolder(folder);
      const unfinished = join(folder, UNFINISHED + randomUUID());
      try {
        const file = await open(unfinished, "wx", 0o600);
        try {
          await file.writeFile(bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        if (!ifAbsent) await rename(unfinished, path);
        else if (!(await linkNew(unfinished, path))) return false;
        await syncFolder(folder);
        return true;
      } finally {
        await rm(unfinished, { force: true });
      }
    });
  }

  async get(key: string): Promise<AsyncIterable<Uint8Array> | null> {
    // Opened when it is read, so that nothing stays open of what nobody reads.
    return (await this.head(key)) === null ? null : this.#bytesOf(key);
  }

  async head(key: string): Promise<StoredObject | null> {
    const path = this.#pathOf(key);
    return this.#checked(`'${key}' can't be read`, async () => {
      const found = await stat(path).catch(nullIfMissing);
      return found === null || !found.isFile()
        ? null
        : { key, bytes: found.size, modifiedAtMs: found.mtimeMs };
    });
  }

  async *list(prefix: string): AsyncGenerator<StoredObject> {
    const depth = prefix.lastIndexOf("/");
    yield* this.#listFolder(depth < 0 ? "" : prefix.slice(0, depth), prefix);
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    await this.#checked(`'${key}' can't be deleted`, () => unlink(path).catch(nullIfMissing));
  }

  async *#listFolder(folder: string, prefix: string): AsyncGenerator<StoredObject> {
    const entries = await this.#checked(`'${folder}' can't be listed`, () =>
      readdir(join(this.#root, folder), { withFileTypes: true }).catch((error: unknown): Dirent[] => {
        nullIfMissing(error);
        return [];
      }),
    );
    // A folder's keys come where its name and a slash do.
    const order = (entry: Dirent): string => entry.name + (entry.isDirectory() ? "/" : "");
    entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith(".")) continue;
      const key = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) {
        if (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`))
          yield* this.#listFolder(key, prefix);
      } else if (key.startsWith(prefix)) {
        const object = await this.head(key);
        if (object !== null) yield object;
      }
    }
  }

  #pathOf(key: string): string {
    checkObjectKey(key);
    return join(this.#root, key);
  }

  async #makeFolder(folder: string): Promise<void> {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    // Each folder's name is in the one above.
    for (let each = folder; made !== undefined && each.length >= made.length; each = dirname(each))
      await syncFolder(dirname(each));
  }

  async *#bytesOf(key: string): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(this.#pathOf(key), { highWaterMark: READ_BYTES });
    } catch (error) {
      throw this.#failure(`'${key}' can't be read`, error);
    }
  }

  async #checked<T>(problem: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw this.#failure(problem, error);
    }
  }

  #failure(problem: string, error: unknown): FindlingError {
    return new FindlingError("storage_unavailable", `in ${this.description} ${problem}`, {
      cause: error,
      ...(error instanceof Error && { details: error.message }),
    });
  }
}

/** Gives a file a name that none has. @returns false if one has it */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP" && code !== "ENOSYS") throw error;
  }
  // A file system without hard links: whoever makes the empty file is the one.
  try {
    await (await open(to, "wx", 0o600)).close();
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
  await rename(from, to);
  return true;
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function nullIfMissing(error: unknown): null {
  const code = codeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return null;
  throw error;
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
