import { EVENT_COLUMNS } from "../event-columns.js";
import { CLICKHOUSE_DIALECT, type Dialect, DUCKDB_DIALECT } from "./dialect.js";
import { EVENT_TABLE } from "./filter-sql.js";

/** One step of the schema. A step is never changed once it was released: what follows is a new step. */
export interface Migration {
  readonly version: number;
  /** In one transaction. */
  readonly duckdb: readonly string[];
  /** Each may run again, as a crash may come between any two. */
  readonly clickhouse: readonly string[];
}

/** Which versions were applied: columns version, applied_at (milliseconds). */
export const VERSION_TABLE = "findling_schema";
/** DuckDB's batches that are in the table of events: columns batch_id, inserted_at (milliseconds). */
export const BATCH_TABLE = "findling_batches";

const columns = (dialect: Dialect): string =>
  EVENT_COLUMNS.map(({ name, kind }) => `${name} ${dialect.columnType(kind)}`).join(", ");

export const MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    duckdb: [
      `CREATE TABLE ${EVENT_TABLE} (${columns(DUCKDB_DIALECT)})`,
      `CREATE TABLE ${BATCH_TABLE} (batch_id UUID NOT NULL, inserted_at BIGINT NOT NULL)`,
    ],
    clickhouse: [
      // Without partitions, so that a batch is one part: all of it is there, or nothing.
      `CREATE TABLE IF NOT EXISTS ${EVENT_TABLE} (${columns(CLICKHOUSE_DIALECT)}, batch_id UUID,
         INDEX by_batch batch_id TYPE bloom_filter GRANULARITY 1,
         INDEX by_user user_id TYPE bloom_filter GRANULARITY 1)
       ENGINE = MergeTree ORDER BY (received_at, event_id)
       SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`,
    ],
  },
];

export const SCHEMA_VERSION: number = MIGRATIONS.at(-1)!.version;
