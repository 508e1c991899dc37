import type { ClickHouseSettings } from "@clickhouse/client";
import { FindlingError } from "../../../errors/index.js";
import type { Tracing } from "../../../ports/tracing.js";
import { type EventBatch, type EventDatabase, RefusedBatchError, type ResultRow } from "../event-database.js";
import { CLICKHOUSE_DIALECT } from "../sql/dialect.js";
import { EVENT_TABLE } from "../sql/filter-sql.js";
import type { Statement } from "../sql/statement.js";
import { parseClickHouseUrl } from "./clickhouse-address.js";
import { ClickHouseConnection, ClickHouseFailure, streamOf } from "./clickhouse-connection.js";

/** Codes for data that can't be read as the table's columns: it will not fit later either. */
const REFUSALS: ReadonlySet<string> = new Set(["6", "26", "27", "53", "72", "117", "376"]);

/**
 * Events in a ClickHouse server, over HTTP.
 *
 * A batch goes in once because it is one block, thus one part, which is there whole or not at all:
 * - Before a batch is offered again, the table is asked for its id, which is in every row; no window
 *   or time-out can fool that.
 * - An earlier attempt that still runs when the table is asked carries the same deduplication token:
 *   whichever comes second is dropped by the server.
 */
export class ClickHouseDatabase implements EventDatabase {
  readonly kind = "clickhouse";
  readonly dialect: typeof CLICKHOUSE_DIALECT = CLICKHOUSE_DIALECT;
  readonly #connection: ClickHouseConnection;

  /** @throws FindlingError `invalid_configuration` */
  constructor({ url, tracing }: { readonly url: string; readonly tracing?: Tracing }) {
    this.#connection = new ClickHouseConnection(parseClickHouseUrl(url), tracing);
  }

  async insert(batch: EventBatch): Promise<void> {
    if (batch.isUncertain && (await this.#holds(batch.id))) return;
    try {
      await this.#connection.use("INSERT", async (client, http_headers) => {
        const { stream } = await client.exec({
          query: `INSERT INTO ${EVENT_TABLE} FORMAT JSONEachRow`,
          values: streamOf(batch.rows.map((lines) => withBatchId(lines, batch.id))),
          clickhouse_settings: insertSettings(batch.id),
          http_headers,
        });
        // There is nothing to read, but only at its end is the connection free.
        for await (const _ of stream);
      });
    } catch (error) {
      if (isRefusal(error)) throw new RefusedBatchError(error);
      throw error;
    }
  }

  select(statement: Statement): Promise<readonly ResultRow[]> {
    return this.#connection.use("SELECT", async (client, http_headers) => {
      const result = await client.query({
        query: statement.sql,
        query_params: parametersOf(statement),
        format: "JSONCompactEachRow",
        http_headers,
      });
      return result.json<ResultRow>();
    });
  }

  async *stream(statement: Statement): AsyncGenerator<readonly ResultRow[]> {
    const result = await this.#connection.use("SELECT", (client, http_headers) =>
      client.query({
        query: statement.sql,
        query_params: parametersOf(statement),
        format: "JSONCompactEachRow",
        http_headers,
      }),
    );
    try {
      for await (const rows of result.stream<ResultRow>()) yield rows.map((row) => row.json());
    } catch (error) {
      throw this.#connection.toFindlingError(error);
    } finally {
      result.close();
    }
  }

  async *parquet(statement: Statement): AsyncGenerator<Uint8Array> {
    const { stream } = await this.#connection.use("SELECT", (client, http_headers) =>
      client.exec({
        query: `${statement.sql} FORMAT Parquet`,
        query_params: parametersOf(statement),
        http_headers,
      }),
    );
    try {
      for await (const chunk of stream) yield chunk as Uint8Array;
    } catch (error) {
      throw this.#connection.toFindlingError(error);
    } finally {
      stream.destroy();
    }
  }

  async deleteWhere(condition: Statement): Promise<number> {
    const sql = `SELECT count(*) FROM ${EVENT_TABLE} WHERE ${condition.sql}`;
    const [row] = await this.select({ ...condition, sql });
    const count = Number(row?.[0] ?? 0);
    if (count === 0) return 0;
    await this.#connection.use("DELETE", (client, http_headers) =>
      client.command({
        query: `DELETE FROM ${EVENT_TABLE} WHERE ${condition.sql}`,
        query_params: parametersOf(condition),
        clickhouse_settings: { lightweight_deletes_sync: "2" },
        http_headers,
      }),
    );
    return count;
  }

  /** Nothing to forget: the ids are in the rows. */
  async forgetBatchesExcept(): Promise<void> {}

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #holds(batchId: string): Promise<boolean> {
    const [row] = await this.select({
      sql: `SELECT count(*) FROM ${EVENT_TABLE} WHERE batch_id = toUUID('${batchId}')`,
      parameters: {},
    });
    return Number(row?.[0] ?? 0) > 0;
  }
}

/** One block, whatever the server's defaults are. */
function insertSettings(batchId: string): ClickHouseSettings {
  return {
    async_insert: 0,
    insert_deduplicate: 1,
    insert_deduplication_token: batchId,
    input_format_parallel_parsing: 0,
    input_format_skip_unknown_fields: 0,
    max_insert_block_size: "10000000",
    min_insert_block_size_rows: "10000000",
    min_insert_block_size_bytes: "1000000000",
    wait_end_of_query: 1,
  };
}

/** Lines have no line feeds but their last character, and all begin as an object that isn't empty. */
function withBatchId(lines: Buffer, batchId: string): string {
  const member = `{"batch_id":"${batchId}",`;
  return member + lines.toString().slice(1).replaceAll("\n{", `\n${member}`);
}

function parametersOf(statement: Statement): Record<string, unknown> {
  return Object.fromEntries(Object.entries(statement.parameters).map(([name, { value }]) => [name, value]));
}

function isRefusal(error: unknown): boolean {
  return (
    error instanceof FindlingError &&
    error.cause instanceof ClickHouseFailure &&
    REFUSALS.has(error.cause.code)
  );
}
