import { type EventFilter, TYPING_GAP_MS, type VisibleEvents } from "../../../ports/event-store.js";
import { EVENT_CLASS } from "../event-columns.js";
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
    conditions.push(dialect.sharesAny("index_names", build.texts(filter.indexNames)));
  }
  if (filter.visible !== undefined) conditions.push(visibleCondition(filter.visible, build));
  return conditions.join(" AND ");
}

function visibleCondition(visible: VisibleEvents, build: StatementBuilder): string {
  const { dialect } = build;
  const namesNoIndex = dialect.isEmpty("index_names");
  const indexesAreVisible = dialect.holdsAll(build.texts(visible.indexNames), "index_names");
  const federationIsVisible = dialect.contains(build.texts(visible.federationNames), "federation_name");
  return (
    `CASE WHEN ${namesNoIndex} THEN federation_name <> '' AND ${federationIsVisible}` +
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
  const isTyped = `(event_class ${IS_SEARCH} AND session_id <> '' AND term <> '')`;
  const inner = [...new Set(["received_at", "term", ...columns])];
  const { dialect } = build;
  const isStep =
    `is_typed AND next_count = 1 AND next_received_at - received_at <= ${TYPING_GAP_MS} AND` +
    ` (${dialect.startsWith("next_term", "term")} OR ${dialect.startsWith("term", "next_term")})`;
  return `(
    SELECT CASE WHEN ${isStep} THEN ${EVENT_CLASS.other} ELSE event_class END AS class, ${columns.join(", ")}
    FROM (
      SELECT ${inner.join(", ")}, event_class, ${isTyped} AS is_typed,
        count(*) OVER following AS next_count,
        max(received_at) OVER following AS next_received_at,
        max(term) OVER following AS next_term
      FROM ${EVENT_TABLE} WHERE ${condition}
      WINDOW following AS (
        PARTITION BY session_id, ${isTyped} ORDER BY received_at, event_id
        ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING
      )
    ) AS sequence
  ) AS source`;
}
