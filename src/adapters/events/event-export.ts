import type { EventFilter } from "../../ports/event-store.js";
import type { ColumnKind } from "./event-columns.js";
import type { ResultRow } from "./event-database.js";
import { MEMBER_COLUMNS } from "./event-row.js";
import type { Dialect } from "./sql/dialect.js";
import { conditionOf, EVENT_TABLE } from "./sql/filter-sql.js";
import { type Statement, StatementBuilder } from "./sql/statement.js";

/** One column for each member of `StoredEvent`, by its name; absent is null. */
export function exportStatement(filter: EventFilter, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  const columns = MEMBER_COLUMNS.map(({ name, kind, member }) => {
    return `${exportedValue(`event.${name}`, kind, dialect)} AS "${member}"`;
  });
  return build.build(
    `SELECT ${columns.join(", ")} FROM (SELECT * FROM ${EVENT_TABLE} WHERE ${conditionOf(filter, build)}) AS event
     ORDER BY event.received_at, event.event_id`,
  );
}

function exportedValue(column: string, kind: ColumnKind, dialect: Dialect): string {
  if (kind === "words") return dialect.list(column);
  return kind === "text" || kind === "word" ? `nullif(${column}, '')` : column;
}

/** Events as lines of JSON, absent members left out; a chunk for each block of rows. */
export async function* exportNdjson(blocks: AsyncIterable<readonly ResultRow[]>): AsyncGenerator<Uint8Array> {
  for await (const rows of blocks) {
    let lines = "";
    for (const row of rows) {
      const event: Record<string, unknown> = {};
      MEMBER_COLUMNS.forEach(({ member }, column) => {
        if (row[column] !== null) event[member] = row[column];
      });
      lines += `${JSON.stringify(event)}\n`;
    }
    yield Buffer.from(lines);
  }
}
