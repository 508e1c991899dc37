import { randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { FindlingError } from "../../../errors/index.js";
import { EVENT_COLUMNS } from "../event-columns.js";
import { type EventBatch, type EventDatabase, RefusedBatchError, type ResultRow } from "../event-database.js";
import { DUCKDB_DIALECT } from "../sql/dialect.js";
import { EVENT_TABLE } from "../sql/filter-sql.js";
import { BATCH_TABLE } from "../sql/migrations.js";
import type { Statement } from "../sql/statement.js";
import {
  closeDuckDb,
  type DuckDbOptions,
  inTransaction,
  type OpenDuckDb,
  openDuckDb,
  toFindlingError,
} from "./open-duckdb.js";

/** A dashboard must answer in less than the 30 s of contract 1.1. */
const QUERY_TIMEOUT_MS = 20_000;
/** Ids of batches are kept this long at least: were a backup of the waiting files put back, they would go in once. */
const BATCH_MEMORY_MS = 86_400_000;
/** DuckDB reads lines into buffers of twice this size. */
const LINE_BYTES_MIN = 1024 * 1024;

/** Events in a file of DuckDB's, which runs on threads of its own: the event loop waits for nothing. */
export class DuckDbDatabase implements EventDatabase {
  readonly kind = "duckdb";
  readonly dialect: typeof DUCKDB_DIALECT = DUCKDB_DIALECT;
  readonly #options: DuckDbOptions;
  readonly #abandoned = new WeakSet<OpenDuckDb>();
  #opening: Promise<OpenDuckDb> | null = null;

  constructor(options: DuckDbOptions) {
    this.#options = options;
  }

  insert(batch: EventBatch): Promise<void> {
    return this.#use(async ({ writer, temporaryFolder }) => {
      const file = join(temporaryFolder, `${batch.id}.ndjson`);
      try {
        // DuckDB reads the lines by itself: nothing is parsed on the event loop.
        await writeFile(file, batch.rows);
        await writer.use((connection) => insertOnce(connection, batch, file));
      } catch (error) {
        throw isRefusal(error) ? new RefusedBatchError(error) : error;
      } finally {
        await rm(file, { force: true });
      }
    });
  }

  select(statement: Statement): Promise<readonly ResultRow[]> {
    return this.#use(({ readers }) =>
      readers.use(async (connection) => {
        const timer = setTimeout(() => connection.interrupt(), QUERY_TIMEOUT_MS);
        try {
          const result = await connection.run(statement.sql, ...(await bound(statement)));
          return (await result.getRowsJS()).map((row) => row.map(plain));
        } finally {
          clearTimeout(timer);
        }
      }),
    );
  }

  async *stream(statement: Statement): AsyncGenerator<readonly ResultRow[]> {
    const database = await this.#open();
    // On a connection of its own, so that a slow reader keeps no dashboard waiting.
    const connection = await database.instance.connect();
    try {
      const result = await connection.stream(statement.sql, ...(await bound(statement)));
      for await (const rows of result.yieldRowsJs()) yield rows.map((row) => row.map(plain));
    } catch (error) {
      throw this.#failureOf(error, database);
    } finally {
      connection.closeSync();
    }
  }

  async *parquet(statement: Statement): AsyncGenerator<Uint8Array> {
    const database = await this.#open();
    const file = join(database.temporaryFolder, `${randomUUID()}.parquet`);
    const connection = await database.instance.connect();
    try {
      const copy = `COPY (${statement.sql}) TO '${file.replaceAll("'", "''")}' (FORMAT parquet)`;
      await connection.run(copy, ...(await bound(statement)));
      yield* createReadStream(file);
    } catch (error) {
      throw this.#failureOf(error, database);
    } finally {
      connection.closeSync();
      await rm(file, { force: true });
    }
  }

  deleteWhere(condition: Statement): Promise<number> {
    return this.#use(({ writer }) =>
      writer.use(async (connection) => {
        const sql = `DELETE FROM ${EVENT_TABLE} WHERE ${condition.sql}`;
        return (await connection.run(sql, ...(await bound(condition)))).rowsChanged;
      }),
    );
  }

  /** Puts in what `DatabaseArchive` has written: all of the files or none. @throws FindlingError if one is none */
  insertParquet(files: readonly string[]): Promise<void> {
    return this.#use(({ writer }) =>
      writer.use((connection) =>
        inTransaction(connection, async () => {
          for (const file of files) {
            const path = file.replaceAll("'", "''");
            await connection.run(`INSERT INTO ${EVENT_TABLE} BY NAME SELECT * FROM read_parquet('${path}')`);
          }
        }),
      ),
    );
  }

  forgetBatchesExcept(ids: readonly string[]): Promise<void> {
    const isOffered = ids.length === 0 ? "false" : `batch_id IN (${ids.map((id) => `'${id}'`).join(", ")})`;
    return this.#use(({ writer }) =>
      writer.use(async (connection) => {
        await connection.run(
          `DELETE FROM ${BATCH_TABLE}
           WHERE inserted_at < epoch_ms(current_timestamp) - ${BATCH_MEMORY_MS} AND NOT (${isOffered})`,
        );
      }),
    );
  }

  async close(): Promise<void> {
    const open = await this.#opening?.catch(() => null);
    if (open === null || open === undefined) return;
    open.readers.interrupt();
    await open.writer
      .use(async (connection) => void (await connection.run("CHECKPOINT")))
      .catch(() => undefined);
    await closeDuckDb(open);
  }

  async #use<T>(work: (database: OpenDuckDb) => Promise<T>): Promise<T> {
    const database = await this.#open();
    try {
      return await work(database);
    } catch (error) {
      throw error instanceof RefusedBatchError ? error : this.#failureOf(error, database);
    }
  }

  /** Opens it if need be; a failed attempt doesn't count. */
  #open(): Promise<OpenDuckDb> {
    this.#opening ??= openDuckDb(this.#options).catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  /**
   * What to tell the caller. A database that could not write its file, say on a full disk, works for
   * nobody until it is opened again, which begins here.
   */
  #failureOf(error: unknown, database: OpenDuckDb): FindlingError {
    const isInvalid = error instanceof Error && error.message.includes("database has been invalidated");
    if (isInvalid && !this.#abandoned.has(database)) {
      this.#abandoned.add(database);
      // The file must be closed first: nothing keeps one process from opening it twice.
      this.#opening = closeDuckDb(database).then(() => {
        this.#opening = null;
        return this.#open();
      });
      this.#opening.catch(() => undefined);
    }
    return toFindlingError(error, this.#options.path);
  }
}

/** The batch and the note that it is there go in with one transaction. */
async function insertOnce(connection: DuckDBConnection, batch: EventBatch, file: string): Promise<void> {
  await inTransaction(connection, async () => {
    const { rowCount } = await connection
      .runAndReadAll(`SELECT 1 FROM ${BATCH_TABLE} WHERE batch_id = '${batch.id}'`)
      .then(({ currentRowCount }) => ({ rowCount: currentRowCount }));
    if (rowCount > 0) return;
    await connection.run(`INSERT INTO ${BATCH_TABLE} VALUES ('${batch.id}', epoch_ms(current_timestamp))`);
    await connection.run(insertStatement(file, longestLine(batch.rows)));
  });
}

function insertStatement(file: string, lineBytes: number): string {
  const types = EVENT_COLUMNS.map(
    ({ name, kind }) => `${name}: '${DUCKDB_DIALECT.columnType(kind).replace(" NOT NULL", "")}'`,
  );
  const values = EVENT_COLUMNS.map(({ name, kind }) => {
    if (kind === "text" || kind === "word" || kind === "words") return `coalesce(${name}, '')`;
    return kind === "key" ? `coalesce(${name}, '${"0".repeat(32)}'::UUID)` : name;
  });
  return (
    `INSERT INTO ${EVENT_TABLE} SELECT ${values.join(", ")} FROM read_json('${file.replaceAll("'", "''")}',` +
    ` format = 'newline_delimited', maximum_object_size = ${lineBytes},` +
    ` columns = {${types.join(", ")}})`
  );
}

/** At least `LINE_BYTES_MIN`: what is shorter isn't looked at. */
function longestLine(rows: readonly Buffer[]): number {
  let longest = LINE_BYTES_MIN;
  for (const lines of rows) {
    if (lines.length <= longest) continue;
    for (let start = 0; start < lines.length; ) {
      const end = lines.indexOf(0x0a, start) + 1;
      longest = Math.max(longest, end - start);
      start = end;
    }
  }
  return longest;
}

function isRefusal(error: unknown): boolean {
  return error instanceof Error && /^(Conversion|Invalid Input|Constraint) Error/.test(error.message);
}

async function bound({
  parameters,
}: Statement): Promise<[Record<string, DuckDBValue>, Record<string, DuckDBType>]> {
  const { BIGINT, LIST, listValue, VARCHAR } = await import("@duckdb/node-api");
  const values: Record<string, DuckDBValue> = {};
  const types: Record<string, DuckDBType> = {};
  for (const [name, { kind, value }] of Object.entries(parameters)) {
    types[name] = kind === "text" ? VARCHAR : kind === "whole" ? BIGINT : LIST(VARCHAR);
    if (typeof value === "string") values[name] = value;
    else values[name] = typeof value === "number" ? BigInt(value) : listValue([...value]);
  }
  return [values, types];
}

function plain(value: unknown): string | number | null | readonly string[] {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(String);
  return typeof value === "string" || typeof value === "number" ? value : null;
}
