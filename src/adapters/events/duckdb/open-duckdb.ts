import { closeSync, openSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { devNull } from "node:os";
import { dirname, join } from "node:path";
import type { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { CorruptionError, FindlingError, loadOptional } from "../../../errors/index.js";
import { MIGRATIONS, SCHEMA_VERSION, VERSION_TABLE } from "../sql/migrations.js";
import { ConnectionPool } from "./connection-pool.js";
import { FreedMemory } from "./freed-memory.js";

export interface DuckDbOptions {
  /** The database's file; it and its folder are made if need be. */
  readonly path: string;
  /** Mebibytes that DuckDB's buffers may take; the process grows by up to twice as much. */
  readonly memoryMb: number;
  /** Threads of one query. */
  readonly threads: number;
}

/** An open database: one connection writes, the others read. */
export interface OpenDuckDb {
  readonly instance: DuckDBInstance;
  readonly writer: ConnectionPool;
  readonly readers: ConnectionPool;
  /** For what is no query, which waits for none. */
  readonly housekeeper: ConnectionPool;
  /** For files that nobody needs after a crash. */
  readonly temporaryFolder: string;
  /** What the whole process has freed, looked after while the database is open. */
  readonly freedMemory: FreedMemory;
}

const READERS = 2;

const DESCRIPTORS_TO_LOAD = 16;

/** @throws FindlingError `storage_locked`, `storage_corrupt`, `storage_unavailable`; `not_supported` without DuckDB */
export async function openDuckDb(options: DuckDbOptions): Promise<OpenDuckDb> {
  const temporaryFolder = join(dirname(options.path), "temporary");
  try {
    requireDescriptors();
    // Loaded here because it takes 20 MiB and 50 ms, which a server that measures nothing is spared.
    const { DuckDBInstance } = await loadOptional("@duckdb/node-api", () => import("@duckdb/node-api"));
    await rm(temporaryFolder, { recursive: true, force: true });
    await mkdir(temporaryFolder, { recursive: true, mode: 0o700 });
    const instance = await DuckDBInstance.create(options.path, {
      threads: String(options.threads),
      memory_limit: `${options.memoryMb}MiB`,
      temp_directory: temporaryFolder,
      // Writing the file anew costs several hundred milliseconds, so it should be seldom.
      wal_autocheckpoint: "64MiB",
      preserve_insertion_order: "false",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    try {
      const writer = await instance.connect();
      await migrate(writer);
      const readers: DuckDBConnection[] = [];
      for (let i = 0; i < READERS; i++) readers.push(await instance.connect());
      const housekeeper = new ConnectionPool([await instance.connect()]);
      const freedMemory = new FreedMemory({
        residentBytes: () => process.memoryUsage.rss(),
        giveBack: () => giveBack(housekeeper, options),
      });
      freedMemory.start();
      return {
        instance,
        writer: new ConnectionPool([writer]),
        readers: new ConnectionPool(readers),
        temporaryFolder,
        housekeeper,
        freedMemory,
      };
    } catch (error) {
      instance.closeSync();
      throw error;
    }
  } catch (error) {
    throw toFindlingError(error, options.path);
  }
}

/**
 * Whether enough descriptors can be had to load DuckDB. If not, Node would take its package for missing, and remember
 * that for as long as the process lives.
 */
function requireDescriptors(): void {
  const held: number[] = [];
  try {
    for (let i = 0; i < DESCRIPTORS_TO_LOAD; i++) held.push(openSync(devNull, "r"));
  } finally {
    for (const descriptor of held) closeSync(descriptor);
  }
}

/** Waits until nobody uses it. */
export async function closeDuckDb(database: OpenDuckDb): Promise<void> {
  const { instance, writer, readers, housekeeper, freedMemory } = database;
  await freedMemory.stop();
  await Promise.all([readers.close(), writer.close(), housekeeper.close()]);
  instance.closeSync();
}

/** Whenever DuckDB is told its limit, the same as before included, it calls `malloc_trim(0)` once it holds to that. */
async function giveBack(housekeeper: ConnectionPool, { memoryMb }: DuckDbOptions): Promise<void> {
  await housekeeper.use((connection) => connection.run(`SET memory_limit = '${memoryMb}MiB'`));
}

async function migrate(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (version INTEGER NOT NULL, applied_at BIGINT NOT NULL)`,
  );
  const [row] = await (
    await connection.run(`SELECT coalesce(max(version), 0) FROM ${VERSION_TABLE}`)
  ).getRowsJS();
  const version = Number(row![0]);
  if (version > SCHEMA_VERSION) {
    throw new FindlingError(
      "storage_unavailable",
      `the event store has schema version ${version}, this program knows ${SCHEMA_VERSION}: use a newer one`,
    );
  }
  for (const migration of MIGRATIONS.filter((each) => each.version > version)) {
    await inTransaction(connection, async () => {
      for (const statement of migration.duckdb) await connection.run(statement);
      await connection.run(
        `INSERT INTO ${VERSION_TABLE} VALUES (${migration.version}, epoch_ms(current_timestamp))`,
      );
    });
  }
}

export async function inTransaction<T>(connection: DuckDBConnection, work: () => Promise<T>): Promise<T> {
  await connection.run("BEGIN TRANSACTION");
  try {
    const result = await work();
    await connection.run("COMMIT");
    return result;
  } catch (error) {
    // A statement that failed may have ended the transaction.
    await connection.run("ROLLBACK").catch(() => undefined);
    throw error;
  }
}

/** DuckDB tells its errors apart by their text only. */
export function toFindlingError(error: unknown, path: string): FindlingError {
  if (error instanceof FindlingError) return error;
  const text = error instanceof Error ? error.message : String(error);
  if (/could not set lock|conflicting lock/i.test(text)) {
    return new FindlingError("storage_locked", `another process has the event store '${path}' open`, {
      cause: error,
    });
  }
  if (/not a valid DuckDB database|corrupt|checksum|deserializ/i.test(text)) {
    return new CorruptionError(path, "DuckDB can't read it", { cause: error });
  }
  return new FindlingError("storage_unavailable", "the event store can't answer now", { cause: error });
}
