import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import {
  deleteDisposable,
  FileDirectory,
  holdsData,
  isDisposable,
  keepFolder,
  markDisposable,
} from "../../engine/server-door.js";
import type { StorageId } from "../../ports/search-backend.js";

/** What the services name storage: other folders are somebody else's. */
const STORAGE_ID = /^[0-9a-f]{32}$/;

/**
 * The folders of a server's indexes, `indexes/<storage id>`. A folder is marked while it may be deleted: from its
 * making until the catalog names it, and from just before the catalog names it no more. So a folder that nobody names
 * is deleted if it is marked or empty, and else set aside: its catalog entry has been lost.
 */
export class IndexFolders {
  readonly #root: string;
  readonly #onProblem: (message: string, error: unknown) => void;

  /** @param root the folder `indexes` of the data folder */
  constructor(root: string, onProblem: (message: string, error: unknown) => void) {
    this.#root = root;
    this.#onProblem = onProblem;
  }

  path(storageId: StorageId): string {
    return join(this.#root, storageId);
  }

  /**
   * Deletes what is left of indexes that were being made or deleted, unless not all that has a name is known.
   *
   * @returns names of folders that are set aside
   */
  async tidy(
    named: ReadonlySet<StorageId>,
    { deletes }: { readonly deletes: boolean },
  ): Promise<readonly string[]> {
    const setAside: string[] = [];
    const entries = existsSync(this.#root) ? await readdir(this.#root, { withFileTypes: true }) : [];
    for (const entry of entries) {
      if (!entry.isDirectory()) continue;
      const folder = this.path(entry.name);
      if (named.has(entry.name)) await this.keep(entry.name);
      else if (deletes && (await mayBeDeleted(folder, entry.name))) await this.#deleteLater(entry.name);
      else if (await holdsData(await FileDirectory.open(folder, { create: false })))
        setAside.push(entry.name);
    }
    return setAside;
  }

  /** Or at a later start. */
  async #deleteLater(storageId: StorageId): Promise<void> {
    await this.delete(storageId).catch((error: unknown) =>
      this.#onProblem(`what is left of storage '${storageId}' can't be deleted now`, error),
    );
  }

  async make(storageId: StorageId): Promise<void> {
    const folder = this.path(storageId);
    await FileDirectory.open(folder, { create: true });
    await markDisposable(folder);
  }

  async keep(storageId: StorageId): Promise<void> {
    await keepFolder(this.path(storageId)).catch((error: unknown) =>
      this.#onProblem(`storage '${storageId}' stays marked as one that may be deleted`, error),
    );
  }

  /** Without the mark, which a full disk may not take, a crash leaves a folder that is set aside. */
  async release(storageId: StorageId): Promise<void> {
    await markDisposable(this.path(storageId)).catch(() => undefined);
  }

  /** @throws FindlingError `storage_unavailable` */
  async delete(storageId: StorageId): Promise<void> {
    await this.release(storageId);
    await deleteDisposable(this.path(storageId));
  }
}

async function mayBeDeleted(folder: string, name: string): Promise<boolean> {
  if (isDisposable(folder)) return true;
  // Left by versions that didn't mark what they made.
  return STORAGE_ID.test(name) && !(await holdsData(await FileDirectory.open(folder, { create: false })));
}
