import { createHash } from "node:crypto";
import { mkdir, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderLock } from "../../engine/server-door.js";
import { FindlingError } from "../../errors/index.js";
import { CliError } from "../cli-error.js";

/** Between the making of a folder and the claim to it another process, ending, may take the folder away. */
const ATTEMPTS_MAX = 5;

/**
 * Runs work while no other process of this user on this machine does the same on an index: each would roll back what
 * the other has pending. The claim ends with the process, however it ends.
 *
 * @throws CliError `already_running`
 */
export async function alone<Result>(
  url: string,
  index: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const digest = createHash("sha256")
    .update(`${process.getuid?.() ?? ""} ${url} ${index}`)
    .digest("hex");
  const folder = join(tmpdir(), `findling-sync-of-${digest.slice(0, 16)}`);
  const lock = await claim(folder, index);
  try {
    return await work();
  } finally {
    await lock.release();
    // Another process may wait in it.
    await rmdir(folder).catch(() => undefined);
  }
}

async function claim(folder: string, index: string): Promise<FolderLock> {
  for (let attempt = 1; ; attempt++) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      return await FolderLock.take(folder);
    } catch (failure) {
      if (failure instanceof FindlingError && failure.code === "storage_locked") {
        throw new CliError(
          "already_running",
          `another sync of '${index}' is running on this machine; nothing has changed: run it again when that has ended`,
          failure,
        );
      }
      if (attempt === ATTEMPTS_MAX) throw failure;
    }
  }
}
