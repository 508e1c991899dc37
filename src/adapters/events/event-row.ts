import { createHash } from "node:crypto";
import type { StoredEvent } from "../../ports/event-store.js";
import { EVENT_CLASS, EVENT_COLUMNS, type EventColumn, LIST_SEPARATOR } from "./event-columns.js";

const LONE_SURROGATE = /\\ud[89a-f]/i;

/** An event as the stores take it: a line of JSON by columns, absent ones left out, line feed included. */
export function toRow(event: StoredEvent): string {
  const row = JSON.stringify(columnsOf(event));
  // JSON.stringify escapes halves of surrogate pairs, which no store takes.
  return `${LONE_SURROGATE.test(row) ? JSON.stringify(wellFormed(columnsOf(event))) : row}\n`;
}

/** What the columns that follow from others hold, and the others. */
function columnsOf(event: StoredEvent): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const column of EVENT_COLUMNS) {
    const value = column.member === undefined ? undefined : event[column.member];
    if (value === undefined || value === "" || (typeof value === "number" && !Number.isFinite(value)))
      continue;
    row[column.name] = value;
  }
  row["index_names"] = event.indexNames
    .filter((name) => name !== "")
    .map((name) => name.replaceAll(LIST_SEPARATOR, "\ufffd"))
    .join(LIST_SEPARATOR);
  row["event_class"] = classOf(event);
  const term = normalizeTerm(event.searchTerm ?? "");
  if (term !== "") row["term"] = term;
  if (event.sessionId !== undefined && event.sessionId !== "") row["session_key"] = keyOf(event.sessionId);
  row["user_key"] = keyOf(event.userId);
  return row;
}

/** Terms are compared trimmed and lower-cased, by JavaScript's rules in every store. */
export function normalizeTerm(term: string): string {
  return term.trim().toLowerCase();
}

function classOf(event: StoredEvent): number {
  if (event.eventName === "document_clicked") return EVENT_CLASS.click;
  const hasSession = event.sessionId !== undefined && event.sessionId !== "";
  const isSearch =
    event.eventName === "search_completed" || (event.eventName === "api_queried" && !hasSession);
  if (!isSearch) return EVENT_CLASS.other;
  return event.numberOfDocuments === 0 ? EVENT_CLASS.searchWithoutResults : EVENT_CLASS.search;
}

/**
 * 128 bits of the text's SHA-256 as a UUID, which counts and groups several times faster than the text.
 * It stands for the text as ClickHouse's own `uniqExact` lets 128 bits stand for a string.
 */
function keyOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

function wellFormed(row: Record<string, unknown>): Record<string, unknown> {
  const mend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mend);
    return typeof value === "string" ? Buffer.from(value).toString() : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, mend(value)]));
}

/** The columns that an export reads. */
export const MEMBER_COLUMNS: readonly (EventColumn & { readonly member: keyof StoredEvent })[] =
  EVENT_COLUMNS.flatMap((column) =>
    column.member === undefined ? [] : [{ ...column, member: column.member }],
  );
