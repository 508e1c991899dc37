import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DuckDbDatabase } from "./duckdb/duckdb-database.js";

/**
 * Puts the files of an `EventArchive` into a new store of usage events, all or none.
 *
 * @param folder the store's own (`EventStoreOptions.folder`)
 * @throws FindlingError `storage_unavailable`; whatever the files' bytes throw
 */
export async function restoreEvents(
  folder: string,
  files: readonly AsyncIterable<Uint8Array>[],
  memoryMb: number,
): Promise<void> {
  if (files.length === 0) return;
  const incoming = join(folder, "incoming");
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  const database = new DuckDbDatabase({ path: join(folder, "events.duckdb"), memoryMb, threads: 1 });
  try {
    const paths: string[] = [];
    for (const chunks of files) {
      const path = join(incoming, `${randomUUID()}.parquet`);
      await pipeline(chunks, createWriteStream(path, { mode: 0o600 }));
      paths.push(path);
    }
    await database.insertParquet(paths);
  } finally {
    await database.close();
    await rm(incoming, { recursive: true, force: true });
  }
}
