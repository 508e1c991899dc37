import type { EventFilter, Page, TermListName } from "../../../ports/event-store.js";
import { EVENT_CLASS } from "../event-columns.js";
import type { Dialect } from "./dialect.js";
import { IS_SEARCH, sourceOf } from "./filter-sql.js";
import { type Statement, StatementBuilder } from "./statement.js";

/** What the first column of a row says. */
export const TERM_ROW: Readonly<Record<TermListName | "totals", number>> = {
  totals: 0,
  popular: 1,
  unpopular: 2,
  withoutResults: 3,
};

/**
 * Pages of lists of terms. Columns: list (a `TERM_ROW`), rank (for the order alone), term, searches,
 * clicks, average_position. The first row is the totals': terms in place of searches, and terms without
 * results in place of clicks.
 *
 * Nearly all of the work is grouping by term, so all lists share it.
 */
export function termStatement(
  filter: EventFilter,
  names: readonly TermListName[],
  page: Page,
  dialect: Dialect,
): Statement {
  const build = new StatementBuilder(dialect);
  const isClick = `class = ${EVENT_CLASS.click}`;
  const terms = `SELECT * FROM (
      SELECT term, count(*) FILTER (WHERE class ${IS_SEARCH}) AS searches,
        count(*) FILTER (WHERE class = ${EVENT_CLASS.searchWithoutResults}) AS fruitless,
        count(*) FILTER (WHERE ${isClick}) AS clicks,
        avg(document_position) FILTER (WHERE ${isClick}) AS average_position
      FROM ${sourceOf(filter, ["term", "document_position"], build)}
      WHERE class <> ${EVENT_CLASS.other} AND term <> ''
      GROUP BY term
    ) AS grouped
    WHERE searches > 0`;
  const part = `LIMIT ${build.whole(page.limit)} OFFSET ${build.whole(page.offset)}`;
  const lists = names.map((name) => `SELECT * FROM (${listOf(name)} ${part}) AS page`);
  return build.build(
    `WITH ${dialect.named("terms", terms)}
     SELECT * FROM (
       SELECT ${TERM_ROW.totals} AS list, 0 AS rank, '' AS term, count(*) AS searches,
         count(*) FILTER (WHERE fruitless > 0) AS clicks, NULL AS average_position
       FROM terms
       UNION ALL ${lists.join(" UNION ALL ")}
     ) AS lists
     ORDER BY list, rank, term`,
  );
}

function listOf(name: TermListName): string {
  const list = `${TERM_ROW[name]} AS list`;
  switch (name) {
    // Subtraction makes both ranks signed numbers: ClickHouse has no type for these and unsigned ones.
    case "popular":
      return `SELECT ${list}, 0 - searches AS rank, term, searches, clicks, average_position FROM terms ORDER BY rank, term`;
    case "unpopular":
      return `SELECT ${list}, searches - 0 AS rank, term, searches, clicks, average_position FROM terms ORDER BY rank, term`;
    case "withoutResults":
      return `SELECT ${list}, 0 - fruitless AS rank, term, fruitless AS searches, 0 AS clicks,
        NULL AS average_position FROM terms WHERE fruitless > 0 ORDER BY rank, term`;
  }
}
