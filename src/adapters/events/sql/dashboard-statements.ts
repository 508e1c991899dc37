import type { BreakdownDimension, EventFilter, Granularity, Page } from "../../../ports/event-store.js";
import { ABSENT_KEY, EVENT_CLASS } from "../event-columns.js";
import type { Dialect } from "./dialect.js";
import { IS_SEARCH, sourceOf, stepsOf } from "./filter-sql.js";
import { type Statement, StatementBuilder } from "./statement.js";

const SEARCHES = `count(*) FILTER (WHERE class ${IS_SEARCH})`;
const CLICKS = `count(*) FILTER (WHERE class = ${EVENT_CLASS.click})`;
const WITHOUT_RESULTS = `count(*) FILTER (WHERE class = ${EVENT_CLASS.searchWithoutResults})`;

/** Columns: events, searches, without_results, clicks. Typing isn't collapsed. */
export function countStatement(filter: EventFilter, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  return build.build(
    `SELECT count(*) AS events, ${SEARCHES} AS searches, ${WITHOUT_RESULTS} AS without_results,
       ${CLICKS} AS clicks
     FROM ${allOf(filter, "received_at", build)}`,
  );
}

/** Columns: searches, without_results: what collapsing typing takes from these figures. */
export function stepStatement(filter: EventFilter, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  return build.build(
    `SELECT ${SEARCHES} AS searches, ${WITHOUT_RESULTS} AS without_results FROM ${stepsOf(filter, build)}`,
  );
}

/** Column: users. */
export function userStatement(filter: EventFilter, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  const source = allOf(filter, "user_key", build);
  return build.build(`SELECT count(*) AS users FROM (SELECT DISTINCT user_key FROM ${source}) AS users`);
}

/**
 * Columns: sessions, with_search, with_click, searches. Bits of the classes as in `EVENT_CLASS`. Typing
 * isn't collapsed, which matters to the searches alone: the last search of a session is never a step.
 */
export function sessionStatement(filter: EventFilter, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  return build.build(
    `SELECT count(*) AS sessions, count(*) FILTER (WHERE classes % 2 = 1) AS with_search,
       count(*) FILTER (WHERE classes % 4 >= 2) AS with_click, sum(searches) AS searches
     FROM (
       SELECT session_key, ${dialect.bitOr("class")} AS classes, ${SEARCHES} AS searches
       FROM ${allOf(filter, "session_key", build)}
       WHERE session_key <> '${ABSENT_KEY}'
       GROUP BY session_key
     ) AS each_session`,
  );
}

/** Every event that the filter lets through, as it counts when no typing is collapsed. */
function allOf(filter: EventFilter, column: string, build: StatementBuilder): string {
  return sourceOf({ ...filter, collapsesTyping: false }, [column], build);
}

const BUCKET_MS = { minutes: 60_000, hours: 3_600_000, days: 86_400_000, weeks: 604_800_000 } as const;
/** From the Monday before the epoch to the epoch. */
const WEEK_OFFSET_MS = 259_200_000;

function bucketOf(granularity: Granularity, dialect: Dialect): string {
  switch (granularity) {
    case "minutes":
    case "hours":
    case "days":
      return `received_at - received_at % ${BUCKET_MS[granularity]}`;
    case "weeks":
      return `received_at - (received_at + ${WEEK_OFFSET_MS}) % ${BUCKET_MS.weeks}`;
    case "months":
      return dialect.startOf("month", "received_at");
    case "years":
      return dialect.startOf("year", "received_at");
  }
}

/** Columns: start, searches, clicks. */
export function timeStatement(filter: EventFilter, granularity: Granularity, dialect: Dialect): Statement {
  const build = new StatementBuilder(dialect);
  return build.build(
    `SELECT bucket, ${SEARCHES} AS searches, ${CLICKS} AS clicks
     FROM (
       SELECT ${bucketOf(granularity, dialect)} AS bucket, class
       FROM ${sourceOf(filter, ["received_at"], build)} WHERE class <> ${EVENT_CLASS.other}
     ) AS counted
     GROUP BY bucket ORDER BY bucket`,
  );
}

const DIMENSION_COLUMNS: Record<BreakdownDimension, readonly string[]> = {
  os: ["os"],
  platform: ["platform"],
  country: ["country"],
  region: ["country", "region"],
  city: ["country", "region", "city"],
  locale: ["locale"],
  userType: ["user_type"],
  searchKind: ["search_kind"],
};

/** Columns: the path's, in order, then searches, clicks, users, total. */
export function breakdownStatement(
  filter: EventFilter,
  dimension: BreakdownDimension,
  page: Page,
  dialect: Dialect,
): Statement {
  const build = new StatementBuilder(dialect);
  const path = DIMENSION_COLUMNS[dimension].join(", ");
  const source = sourceOf(filter, [...DIMENSION_COLUMNS[dimension], "user_key"], build);
  return build.build(
    `SELECT ${path}, searches, clicks, users, count(*) OVER () AS total
     FROM (
       SELECT ${path}, ${SEARCHES} AS searches, ${CLICKS} AS clicks,
         ${dialect.countDistinct("user_key")} FILTER (WHERE class ${IS_SEARCH}) AS users
       FROM ${source} WHERE class <> ${EVENT_CLASS.other}
       GROUP BY ${path}
     ) AS parts
     WHERE searches > 0
     ORDER BY searches DESC, ${path}
     ${pageClause(page, build)}`,
  );
}

function pageClause(page: Page, build: StatementBuilder): string {
  return `LIMIT ${build.whole(page.limit)} OFFSET ${build.whole(page.offset)}`;
}
