import { lstatSync } from "node:fs";
import { open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { storageError } from "./storage-error.js";

/**
 * Marks the folder of an index that is being made, or is about to be deleted: whoever finds it, and nobody who names
 * it, may delete it. A folder without the mark holds somebody's data, whoever names it.
 */
const MARK = ".disposable";

/** Durable once it resolves. @throws FindlingError `storage_unavailable` */
export async function markDisposable(folder: string): Promise<void> {
  try {
    const file = await open(join(folder, MARK), "w");
    await file.close();
    await syncFolder(folder);
  } catch (error) {
    throw storageError("write", join(folder, MARK), error);
  }
}

/** Durable once it resolves; does nothing where there is no mark. @throws FindlingError `storage_unavailable` */
export async function keepFolder(folder: string): Promise<void> {
  if (!isDisposable(folder)) return;
  try {
    await rm(join(folder, MARK), { force: true });
    await syncFolder(folder);
  } catch (error) {
    throw storageError("delete", join(folder, MARK), error);
  }
}

/** At once: a start asks it of thousands of folders. */
export function isDisposable(folder: string): boolean {
  return lstatSync(join(folder, MARK), { throwIfNoEntry: false }) !== undefined;
}

/** Deletes a folder and all that is in it, the mark last: what a crash leaves of it is marked still. */
export async function deleteDisposable(folder: string): Promise<void> {
  try {
    for (const name of await readdir(folder)) {
      if (name !== MARK) await rm(join(folder, name), { recursive: true, force: true });
    }
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw storageError("delete", folder, error);
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folders; its file systems log names by themselves.
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
