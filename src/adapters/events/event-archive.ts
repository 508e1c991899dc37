import type { EventArchive, Month } from "../../ports/event-archive.js";
import { EVENT_COLUMNS } from "./event-columns.js";
import type { EventDatabase } from "./event-database.js";
import { EVENT_TABLE } from "./sql/filter-sql.js";
import { StatementBuilder } from "./sql/statement.js";

/** Reads a database's table of events month by month, its columns as they are. */
export class DatabaseArchive implements EventArchive {
  readonly kind: "duckdb" | "clickhouse";
  readonly #database: EventDatabase;
  readonly #flush: () => Promise<void>;

  /** @param flush brings what waits into the database */
  constructor(database: EventDatabase, flush: () => Promise<void>) {
    this.kind = database.kind;
    this.#database = database;
    this.#flush = flush;
  }

  async months(): Promise<readonly Month[]> {
    await this.#flush();
    const { dialect } = this.#database;
    const month = dialect.startOf("month", "received_at");
    const rows = await this.#database.select(
      new StatementBuilder(dialect).build(
        `SELECT DISTINCT ${month} AS month FROM ${EVENT_TABLE} ORDER BY month`,
      ),
    );
    return rows.map(([start]) => new Date(Number(start)).toISOString().slice(0, 7));
  }

  parquet(month: Month): AsyncIterable<Uint8Array> {
    const build = new StatementBuilder(this.#database.dialect);
    const [year, number] = month.split("-").map(Number);
    const from = build.whole(Date.UTC(year!, number! - 1));
    const to = build.whole(Date.UTC(year!, number!));
    return this.#database.parquet(
      build.build(
        `SELECT ${EVENT_COLUMNS.map(({ name }) => name).join(", ")} FROM ${EVENT_TABLE}
         WHERE received_at >= ${from} AND received_at < ${to} ORDER BY received_at, event_id`,
      ),
    );
  }
}
