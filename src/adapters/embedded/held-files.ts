import { open, stat } from "node:fs/promises";
import { join } from "node:path";
import { type HeldCommit, readDetachedCommit, systemErrorCode } from "../../engine/server-door.js";
import { CorruptionError, FindlingError } from "../../errors/index.js";
import type { HeldFiles, IndexFile } from "../../ports/index-files.js";

/**
 * The files of a commit that an open index holds, read for a copy of them.
 *
 * @param folder where the index is open from
 * @throws FindlingError `storage_corrupt` if one of them is gone; `storage_unavailable`
 */
export async function heldFilesIn(
  folder: string,
  held: HeldCommit & { readonly hasPendingWrites: boolean },
): Promise<HeldFiles> {
  const files: IndexFile[] = [];
  for (const file of held.files) {
    const { size } = await checked(join(folder, file.name), (path) => stat(path));
    files.push({ ...file, bytes: size });
  }
  return {
    commit: held.commit,
    files,
    documentCount: readDetachedCommit(folder, held.commit).documentCount,
    hasPendingWrites: held.hasPendingWrites,
    readInto: (name, offset, bytes) => readPart(join(folder, name), offset, bytes),
    release: () => held.release(),
  };
}

async function readPart(path: string, offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const { length } = bytes;
  const file = await checked(path, (each) => open(each, "r"));
  try {
    for (let read = 0; read < length; ) {
      const { bytesRead } = await checked(path, () => file.read(bytes, read, length - read, offset + read));
      if (bytesRead === 0) throw new CorruptionError(path, `it ends before byte ${offset + length}`);
      read += bytesRead;
    }
  } finally {
    await file.close();
  }
}

async function checked<T>(path: string, run: (path: string) => Promise<T>): Promise<T> {
  try {
    return await run(path);
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") throw new CorruptionError(path, "the file is gone");
    throw new FindlingError("storage_unavailable", `'${path}' can't be read`, {
      cause: error,
      ...(error instanceof Error && { details: error.message }),
    });
  }
}
