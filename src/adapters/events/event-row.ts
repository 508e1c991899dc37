import { hash } from "node:crypto";
import type { OwnMembers, SharedMembers, StoredEvent } from "../../ports/event-store.js";
import { EVENT_CLASS, EVENT_COLUMNS, type EventColumn, LIST_SEPARATOR } from "./event-columns.js";

type MemberColumn = EventColumn & { readonly member: keyof StoredEvent };

/** The columns that keep a member as it is, and that an export reads. */
export const MEMBER_COLUMNS: readonly MemberColumn[] = EVENT_COLUMNS.flatMap((column) =>
  column.member === undefined ? [] : [{ ...column, member: column.member }],
);

/** What is written of each member, without its value. */
const MEMBER_PREFIXES = MEMBER_COLUMNS.filter(({ kind }) => kind !== "words").map(({ name, member }) => ({
  member,
  prefix: `,"${name}":`,
}));

const LONE_SURROGATE = /\\ud[89a-f]/i;
const ASCII = /^[\0-\x7f]*$/;

/**
 * An event as the stores take it: a line of JSON by columns, absent ones left out, line feed included.
 * Written by hand, as it costs half the time of making an object of columns first.
 */
export function toRow(event: StoredEvent): string {
  const row = encode(event);
  // JSON.stringify escapes halves of surrogate pairs, which no store takes.
  return row.includes("\\u") && LONE_SURROGATE.test(row) ? encode(wellFormed(event)) : row;
}

function encode(event: StoredEvent): string {
  return `{"event_class":${classOf(event)}${membersOf(event)}}\n`;
}

/** All but the class, each behind a comma. */
function membersOf(event: StoredEvent): string {
  let row = `,"user_key":"${keyOf(event.userId)}"`;
  for (let i = 0; i < MEMBER_PREFIXES.length; i++) {
    const { member, prefix } = MEMBER_PREFIXES[i]!;
    const value = event[member];
    if (value === undefined) continue;
    if (typeof value === "string") {
      if (value !== "") row += prefix + jsonOf(value);
    } else if (typeof value === "number" && Number.isFinite(value)) {
      row += prefix + String(value);
    }
  }
  const names = joined(event.indexNames);
  if (names !== "") row += `,"index_names":${jsonOf(names)}`;
  const term = normalizeTerm(event.searchTerm ?? "");
  if (term !== "") row += `,"term":${jsonOf(term)}`;
  const { sessionId } = event;
  if (sessionId !== undefined && sessionId !== "") row += `,"session_key":"${keyOf(sessionId)}"`;
  return row;
}

/** What the rows of events with the same shared members have in common. */
interface SharedRow {
  /** ASCII. */
  readonly members: string;
  readonly eventClass: number;
  /** The class where the number of documents is 0. */
  readonly classOfNone: number;
}

/** Null where it isn't all ASCII. */
const SHARED_ROWS = new WeakMap<SharedMembers, SharedRow | null>();

function sharedRowOf(shared: SharedMembers): SharedRow | null {
  let row = SHARED_ROWS.get(shared);
  if (row === undefined) {
    // Neither an empty text nor a number that isn't finite is written.
    const event = { ...shared, eventId: "", receivedAt: Number.NaN };
    const members = membersOf(event);
    const classOfNone = classOf({ ...event, numberOfDocuments: 0 });
    row =
      ASCII.test(members) && !LONE_SURROGATE.test(members)
        ? { members, eventClass: classOf(event), classOfNone }
        : null;
    SHARED_ROWS.set(shared, row);
  }
  return row;
}

/** The row of an event that is ASCII alone, made of what is remembered of the shared members; null of any other. */
export function toAsciiRow(own: OwnMembers, shared: SharedMembers): string | null {
  const { eventId, receivedAt, searchTerm = "", searchKind = "", numberOfDocuments } = own;
  const sharedRow = sharedRowOf(shared);
  const id = asciiJsonOf(eventId);
  const kind = asciiJsonOf(searchKind);
  const json = asciiJsonOf(searchTerm);
  if (sharedRow === null || id === null || kind === null || json === null) return null;
  let row = `{"event_class":${numberOfDocuments === 0 ? sharedRow.classOfNone : sharedRow.eventClass}`;
  if (eventId !== "") row += `,"event_id":${id}`;
  if (Number.isFinite(receivedAt)) row += `,"received_at":${receivedAt}`;
  if (searchTerm !== "") {
    const term = normalizeTerm(searchTerm);
    row += `,"search_term":${json}`;
    if (term === searchTerm) row += `,"term":${json}`;
    // What nothing was escaped in has nothing to be escaped in small letters.
    else if (term !== "")
      row += `,"term":${json.length === searchTerm.length + 2 ? `"${term}"` : jsonOf(term)}`;
  }
  if (searchKind !== "") row += `,"search_kind":${kind}`;
  if (Number.isFinite(numberOfDocuments)) row += `,"number_of_documents":${numberOfDocuments}`;
  return `${row}${sharedRow.members}}\n`;
}

/** Null of what isn't ASCII. */
function asciiJsonOf(text: string): string | null {
  if (PLAIN_TEXT.test(text)) return `"${text}"`;
  return ASCII.test(text) ? JSON.stringify(text) : null;
}

/** Texts of which JSON is a pair of quotes more: the most frequent ones, by a fifth of the time. */
const PLAIN_TEXT = /^[ !#-[\]-~]*$/;

function jsonOf(text: string): string {
  return PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** Terms are compared trimmed and lower-cased, by JavaScript's rules in every store. */
function normalizeTerm(term: string): string {
  return term.trim().toLowerCase();
}

/** Empty names left out. */
function joined(names: readonly string[]): string {
  // Nearly always there is one.
  const [only = ""] = names;
  if (names.length <= 1 && !only.includes(LIST_SEPARATOR)) return only;
  return names
    .filter((name) => name !== "")
    .map((name) => name.replaceAll(LIST_SEPARATOR, "\ufffd"))
    .join(LIST_SEPARATOR);
}

function classOf(event: StoredEvent): number {
  if (event.eventName === "document_clicked") return EVENT_CLASS.click;
  const hasSession = event.sessionId !== undefined && event.sessionId !== "";
  const isSearch =
    event.eventName === "search_completed" || (event.eventName === "api_queried" && !hasSession);
  if (!isSearch) return EVENT_CLASS.other;
  return event.numberOfDocuments === 0 ? EVENT_CLASS.searchWithoutResults : EVENT_CLASS.search;
}

/** Keys of users and sessions, most of which search more than once within a while. */
const KEYS = new Map<string, string>();
const KEYS_MAX = 4_096;

/**
 * 128 bits of the text's SHA-256 as a UUID, which counts and groups in less than half the text's time.
 * It stands for the text as ClickHouse's own `uniqExact` lets 128 bits stand for a string.
 */
function keyOf(text: string): string {
  let key = KEYS.get(text);
  if (key === undefined) {
    const hex = hash("sha256", text, "hex");
    key = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
    if (KEYS.size >= KEYS_MAX) KEYS.clear();
    KEYS.set(text, key);
  }
  return key;
}

function wellFormed(event: StoredEvent): StoredEvent {
  const mend = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(mend);
    return typeof value === "string" ? Buffer.from(value).toString() : value;
  };
  const entries = Object.entries(event).map(([member, value]) => [member, mend(value)]);
  return Object.fromEntries(entries) as StoredEvent;
}
