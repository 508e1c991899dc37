import { Readable } from "node:stream";
import type { ClickHouseClient } from "@clickhouse/client";
import { FindlingError, loadOptional } from "../../../errors/index.js";
import { NO_TRACING, type Tracing } from "../../../ports/tracing.js";
import { MIGRATIONS, SCHEMA_VERSION, VERSION_TABLE } from "../sql/migrations.js";
import type { ClickHouseAddress } from "./clickhouse-address.js";

/** A dashboard must answer in less than the 30 s of contract 1.1. */
const QUERY_SECONDS_MAX = 20;
const REQUEST_TIMEOUT_MS = 25_000;
const QUERY_MEMORY_BYTES_MAX = 2 * 1024 ** 3;
const CONNECTIONS_MAX = 4;
const UNKNOWN_DATABASE = "81";
const ERROR_LENGTH_MAX = 300;

/** A client whose schema is up to date, and errors without secrets. */
export class ClickHouseConnection {
  readonly #address: ClickHouseAddress;
  readonly #tracing: Tracing;
  #opening: Promise<ClickHouseClient> | null = null;

  constructor(address: ClickHouseAddress, tracing: Tracing = NO_TRACING) {
    this.#address = address;
    this.#tracing = tracing;
  }

  /**
   * Connects and migrates if need be; a failed attempt doesn't count.
   *
   * @param operation such as `SELECT`, for traces
   * @param work gets headers for its request
   * @throws FindlingError `storage_unavailable`
   */
  async use<T>(
    operation: string,
    work: (client: ClickHouseClient, headers: Record<string, string>) => Promise<T>,
  ): Promise<T> {
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    const call = this.#tracing.beginCall(operation, {
      "db.system.name": "clickhouse",
      "db.operation.name": operation,
    });
    let failure: string | undefined;
    try {
      return await work(await this.#opening, { ...call.headers });
    } catch (error) {
      failure = "storage_unavailable";
      throw this.toFindlingError(error);
    } finally {
      call.end({}, failure);
    }
  }

  /** Anything that ClickHouse or the way there has thrown; its own text may repeat data, so it is cut. */
  toFindlingError(error: unknown): Error {
    if (error instanceof FindlingError) return error;
    const code = errorCode(error);
    const text = error instanceof Error ? error.message || error.name : String(error);
    const { password } = this.#address;
    const harmless = password === "" ? text : text.replaceAll(password, "***");
    const cause = new ClickHouseFailure(code, harmless.slice(0, ERROR_LENGTH_MAX));
    return new FindlingError("storage_unavailable", "the event store can't answer now", { cause });
  }

  async close(): Promise<void> {
    const client = await this.#opening?.catch(() => null);
    await client?.close();
  }

  async #open(): Promise<ClickHouseClient> {
    const client = await this.#connect(this.#address.database);
    try {
      await this.#createDatabase(client);
      await migrate(client);
      return client;
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  async #connect(database: string): Promise<ClickHouseClient> {
    const { ClickHouseLogLevel, createClient } = await loadOptional(
      "@clickhouse/client",
      () => import("@clickhouse/client"),
    );
    const { origin, username, password } = this.#address;
    return createClient({
      url: origin,
      username,
      password,
      database,
      application: "findling",
      request_timeout: REQUEST_TIMEOUT_MS,
      max_open_connections: CONNECTIONS_MAX,
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        async_insert: 0,
        max_execution_time: QUERY_SECONDS_MAX,
        max_memory_usage: String(QUERY_MEMORY_BYTES_MAX),
        output_format_json_quote_64bit_integers: 0,
        output_format_json_quote_denormals: 0,
      },
    });
  }

  /** Makes the database if it isn't there, for which the user may lack the right if it is. */
  async #createDatabase(client: ClickHouseClient): Promise<void> {
    try {
      await client.command({ query: "SELECT 1" });
    } catch (error) {
      if (errorCode(error) !== UNKNOWN_DATABASE) throw error;
      const elsewhere = await this.#connect("default");
      try {
        await elsewhere.command({ query: `CREATE DATABASE IF NOT EXISTS ${this.#address.database}` });
      } finally {
        await elsewhere.close();
      }
    }
  }
}

/** What ClickHouse or the network said. */
export class ClickHouseFailure extends Error {
  /** ClickHouse's error number or the network's error name. */
  readonly code: string;

  constructor(code: string, text: string) {
    super(code === "" ? text : `error ${code}: ${text}`);
    this.name = "ClickHouseFailure";
    this.code = code;
  }
}

/** Rows of lines of JSON, as one stream. */
export function streamOf(chunks: readonly (string | Buffer)[]): Readable {
  return Readable.from(chunks, { objectMode: false });
}

async function migrate(client: ClickHouseClient): Promise<void> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS ${VERSION_TABLE} (version UInt32, applied_at Int64)
            ENGINE = MergeTree ORDER BY version`,
  });
  const result = await client.query({
    query: `SELECT max(version) FROM ${VERSION_TABLE}`,
    format: "JSONCompactEachRow",
  });
  const version = Number((await result.json<[number]>())[0]?.[0] ?? 0);
  if (version > SCHEMA_VERSION) {
    throw new FindlingError(
      "storage_unavailable",
      `the event store has schema version ${version}, this program knows ${SCHEMA_VERSION}: use a newer one`,
    );
  }
  for (const migration of MIGRATIONS.filter((each) => each.version > version)) {
    for (const query of migration.clickhouse) await client.command({ query });
    await client.command({
      query: `INSERT INTO ${VERSION_TABLE} SELECT ${migration.version}, toInt64(toUnixTimestamp(now())) * 1000`,
    });
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
