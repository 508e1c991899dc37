import { type EventFilter, TYPING_GAP_MS, type VisibleEvents } from "../../../ports/event-store.js";
import { ABSENT_KEY, EVENT_CLASS } from "../event-columns.js";
import type { Dialect } from "./dialect.js";
import type { StatementBuilder } from "./statement.js";

/** The table of events. */
export const EVENT_TABLE = "findling_events";

export const IS_SEARCH: string = `IN (${EVENT_CLASS.search}, ${EVENT_CLASS.searchWithoutResults})`;

/** A condition on the table's columns. */
export function conditionOf(filter: EventFilter, build: StatementBuilder): string {
  const { dialect } = build;
  const conditions = [
    `received_at >= ${build.whole(filter.from)}`,
    `received_at < ${build.whole(filter.to)}`,
  ];
  const equal = (column: string, value: string | undefined): void => {
    if (value !== undefined) conditions.push(`${column} = ${build.text(value)}`);
  };
  equal("organization_id", filter.organizationId);
  equal("application_id", filter.applicationId);
  equal("user_id", filter.userId);
  equal("user_type", filter.userType);
  equal("session_id", filter.sessionId);
  equal("event_name", filter.eventName);
  if (filter.indexNames !== undefined) {
    const names = build.texts(filter.indexNames);
    conditions.push(`index_names <> '' AND ${dialect.sharesAny(dialect.split("index_names"), names)}`);
  }
  if (filter.visible !== undefined) conditions.push(visibleCondition(filter.visible, build));
  return conditions.join(" AND ");
}

function visibleCondition(visible: VisibleEvents, build: StatementBuilder): string {
  const { dialect } = build;
  const indexesAreVisible = dialect.holdsAll(build.texts(visible.indexNames), dialect.split("index_names"));
  const federationIsVisible = dialect.contains(build.texts(visible.federationNames), "federation_name");
  return (
    `CASE WHEN index_names = '' THEN federation_name <> '' AND ${federationIsVisible}` +
    ` ELSE ${indexesAreVisible} END`
  );
}

/**
 * What to select from: rows of the table that the filter lets through, among them the columns named;
 * `class` is what the event counts as.
 */
export function sourceOf(filter: EventFilter, columns: readonly string[], build: StatementBuilder): string {
  const condition = conditionOf(filter, build);
  if (filter.collapsesTyping !== true) {
    return `(SELECT event_class AS class, ${columns.join(", ")} FROM ${EVENT_TABLE} WHERE ${condition}) AS source`;
  }
  return `(
    SELECT event_class AS class, ${columns.join(", ")}
    FROM ${EVENT_TABLE} WHERE ${condition} AND NOT (${IS_TYPED})
    UNION ALL
    SELECT CASE WHEN ${isStep(build.dialect)} THEN ${EVENT_CLASS.other} ELSE event_class END AS class,
      ${columns.join(", ")}
    FROM ${typedSearches(condition, columns, build.dialect)}
  ) AS source`;
}

/**
 * The searches that `collapsesTyping` leaves out, whatever the filter says about it; `class` is what they
 * would count as. Only searches of sessions are looked at: cheaper than selecting what is left.
 */
export function stepsOf(filter: EventFilter, build: StatementBuilder): string {
  const typed = typedSearches(conditionOf(filter, build), [], build.dialect);
  return `(SELECT event_class AS class FROM ${typed} WHERE ${isStep(build.dialect)}) AS steps`;
}

/** A search that may be a step of one that is being typed, or what it ends in. */
const IS_TYPED = `event_class ${IS_SEARCH} AND session_key <> '${ABSENT_KEY}' AND term <> ''`;

/** The columns named, and `received_at`, `term`, `event_class`, each beside the next search of its session. */
function typedSearches(condition: string, columns: readonly string[], dialect: Dialect): string {
  return `(
    SELECT ${[...new Set(["received_at", "term", "event_class", ...columns])].join(", ")},
      ${dialect.next("received_at")} OVER sequence AS next_received_at,
      ${dialect.next("term")} OVER sequence AS next_term
    FROM ${EVENT_TABLE} WHERE ${condition} AND ${IS_TYPED}
    WINDOW sequence AS (
      PARTITION BY session_key ORDER BY received_at, event_id ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING
    )
  ) AS typed`;
}

function isStep(dialect: Dialect): string {
  // No next one is null in some stores, 0 and an empty text in others; no term that is typed is empty.
  return (
    `next_term <> '' AND next_received_at - received_at <= ${TYPING_GAP_MS} AND` +
    ` (${dialect.startsWith("next_term", "term")} OR ${dialect.startsWith("term", "next_term")})`
  );
}
