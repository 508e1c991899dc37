import { FindlingError } from "../../errors/index.js";
import type { EventArchive } from "../../ports/event-archive.js";
import type {
  Breakdown,
  BreakdownDimension,
  EventFilter,
  EventStore,
  EventStoreStatus,
  EventTotals,
  ExportFormat,
  GatheredEvents,
  Granularity,
  Page,
  StoredEvent,
  TermCounts,
  TermList,
  TermListName,
  TermLists,
  TimeBucket,
} from "../../ports/event-store.js";
import type { Logger } from "../../ports/logger.js";
import { DatabaseArchive } from "./event-archive.js";
import type { EventDatabase, ResultRow } from "./event-database.js";
import type { EventDrain } from "./event-drain.js";
import { exportNdjson, exportStatement } from "./event-export.js";
import { rowsOf } from "./event-rows.js";
import { GatheredRows, SpareBuffer } from "./gathered-rows.js";
import type { EventQueue } from "./queue/event-queue.js";
import {
  breakdownStatement,
  countStatement,
  sessionStatement,
  stepStatement,
  timeStatement,
  userStatement,
} from "./sql/dashboard-statements.js";
import { type Statement, StatementBuilder } from "./sql/statement.js";
import { TERM_ROW, termStatement } from "./sql/term-statement.js";

/** The event store: the queue takes events, the drain brings them into the database, which answers. */
export class QueuedEventStore implements EventStore {
  readonly #queue: EventQueue;
  readonly #drain: EventDrain;
  readonly #database: EventDatabase;
  readonly #logger: Logger;
  readonly #spare = new SpareBuffer();
  #isAnswering = true;
  #closing: Promise<void> | null = null;

  constructor(queue: EventQueue, drain: EventDrain, database: EventDatabase, logger: Logger) {
    this.#queue = queue;
    this.#drain = drain;
    this.#database = database;
    this.#logger = logger;
  }

  /** The stored events as files, for backups. */
  get archive(): EventArchive {
    return new DatabaseArchive(this.#database, () => this.flush());
  }

  async record(events: readonly StoredEvent[]): Promise<void> {
    if (events.length === 0) return;
    // A few events are in the queue when this returns.
    const rows = rowsOf(events);
    await this.#queue.append(rows instanceof Promise ? await rows : rows, events.length);
  }

  gather(): GatheredEvents {
    return new GatheredRows(this.#queue, this.#spare);
  }

  async totals(filter: EventFilter): Promise<EventTotals> {
    const { dialect } = this.#database;
    const [steps, counts, users, sessions] = await Promise.all([
      this.#steps(filter),
      this.#selectOne(countStatement(filter, dialect)),
      this.#selectOne(userStatement(filter, dialect)),
      this.#selectOne(sessionStatement(filter, dialect)),
    ]);
    return {
      events: numberAt(counts, 0),
      searches: numberAt(counts, 1) - numberAt(steps, 0),
      searchesWithoutResults: numberAt(counts, 2) - numberAt(steps, 1),
      clicks: numberAt(counts, 3),
      activeUsers: numberAt(users, 0),
      sessions: numberAt(sessions, 0),
      sessionsWithSearch: numberAt(sessions, 1),
      sessionsWithClick: numberAt(sessions, 2),
      // Steps are of sessions only.
      searchesInSessions: numberAt(sessions, 3) - numberAt(steps, 0),
    };
  }

  async countSearches(filter: EventFilter): Promise<number> {
    const [steps, counts] = await Promise.all([
      this.#steps(filter),
      this.#selectOne(countStatement(filter, this.#database.dialect)),
    ]);
    return numberAt(counts, 1) - numberAt(steps, 0);
  }

  async overTime(filter: EventFilter, granularity: Granularity): Promise<readonly TimeBucket[]> {
    const rows = await this.#select(timeStatement(filter, granularity, this.#database.dialect));
    return rows
      .map((row) => ({ start: numberAt(row, 0), searches: numberAt(row, 1), clicks: numberAt(row, 2) }))
      .filter(({ searches, clicks }) => searches > 0 || clicks > 0);
  }

  async terms<Name extends TermListName>(
    filter: EventFilter,
    names: readonly Name[],
    page: Page,
  ): Promise<TermLists<Name>> {
    const rows = await this.#select(termStatement(filter, names, page, this.#database.dialect));
    const totals = rows[0] ?? [];
    const lists = names.map((name): [Name, TermList] => [
      name,
      {
        terms: rows.filter((row) => numberAt(row, 0) === TERM_ROW[name]).map(termCountsOf),
        total: numberAt(totals, name === "withoutResults" ? 4 : 3),
      },
    ]);
    return Object.fromEntries(lists) as TermLists<Name>;
  }

  async breakdown(filter: EventFilter, dimension: BreakdownDimension, page: Page): Promise<Breakdown> {
    const { rows, total } = await this.#selectPage(page, (part) =>
      breakdownStatement(filter, dimension, part, this.#database.dialect),
    );
    const parts = rows.map((row) => {
      const pathLength = row.length - 4;
      return {
        path: row.slice(0, pathLength).map(String),
        searches: numberAt(row, pathLength),
        clicks: numberAt(row, pathLength + 1),
        users: numberAt(row, pathLength + 2),
      };
    });
    return { rows: parts, total };
  }

  async deleteUser(userId: string): Promise<number> {
    await this.flush();
    const build = new StatementBuilder(this.#database.dialect);
    return this.#asked(this.#database.deleteWhere(build.build(`user_id = ${build.text(userId)}`)));
  }

  async deleteBefore(time: number): Promise<number> {
    await this.flush();
    const build = new StatementBuilder(this.#database.dialect);
    return this.#asked(this.#database.deleteWhere(build.build(`received_at < ${build.whole(time)}`)));
  }

  export(filter: EventFilter, format: ExportFormat): AsyncIterable<Uint8Array> {
    const statement = exportStatement(filter, this.#database.dialect);
    if (format === "parquet") return this.#database.parquet(statement);
    return exportNdjson(this.#database.stream(statement));
  }

  flush(): Promise<void> {
    return this.#drain.drain();
  }

  status(): EventStoreStatus {
    return {
      kind: this.#database.kind,
      isAvailable: this.#isAnswering && this.#drain.isAvailable,
      waitingEvents: this.#queue.waitingEvents,
      waitingBytes: this.#queue.waitingBytes,
      damagedFiles: [...this.#queue.damagedFiles],
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    await this.#queue.close();
    await this.#drain.stop();
    // Events are safe on disk: a store that is away is not waited for.
    if (this.#drain.isAvailable) {
      await this.#drain
        .drain()
        .catch((error: unknown) => this.#logger.warn("usage events wait for the next start", {}, error));
    }
    await this.#database.close();
  }

  /** Nothing is a step unless typing is collapsed. */
  async #steps(filter: EventFilter): Promise<ResultRow> {
    return filter.collapsesTyping === true
      ? this.#selectOne(stepStatement(filter, this.#database.dialect))
      : [];
  }

  async #selectOne(statement: Statement): Promise<ResultRow> {
    const [row] = await this.#select(statement);
    return row ?? [];
  }

  /** Rows whose last column is the length of the whole list, which a page behind the end lacks. */
  async #selectPage(
    page: Page,
    statementOf: (page: Page) => Statement,
  ): Promise<{ readonly rows: readonly ResultRow[]; readonly total: number }> {
    const rows = page.limit === 0 ? [] : await this.#select(statementOf(page));
    const first = rows[0];
    if (first !== undefined) return { rows, total: numberAt(first, first.length - 1) };
    if (page.offset === 0 && page.limit > 0) return { rows, total: 0 };
    const beginning = await this.#selectOne(statementOf({ offset: 0, limit: 1 }));
    return { rows, total: numberAt(beginning, beginning.length - 1) };
  }

  #select(statement: Statement): Promise<readonly ResultRow[]> {
    return this.#asked(this.#database.select(statement));
  }

  /** Remembers whether the database answers. */
  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      const result = await answer;
      this.#isAnswering = true;
      return result;
    } catch (error) {
      if (error instanceof FindlingError) this.#isAnswering = false;
      throw error;
    }
  }
}

function termCountsOf(row: ResultRow): TermCounts {
  return {
    term: textAt(row, 2),
    searches: numberAt(row, 3),
    clicks: numberAt(row, 4),
    averageClickPosition: row[5] === null ? null : numberAt(row, 5),
  };
}

/** Sums over nothing are null in some stores. */
function numberAt(row: ResultRow, column: number): number {
  return Number(row[column] ?? 0);
}

function textAt(row: ResultRow, column: number): string {
  return String(row[column] ?? "");
}
