import Type, { type TSchema } from "typebox";
import { hasMoreCodePoints } from "./code-points.js";
import { invalidMember } from "./invalid-member.js";
import { EVENT_TEXT_LENGTH_MAX } from "./measure-event.js";
import { parseInstant } from "./values/parse-instant.js";

/** Length of a time bucket: UTC, weeks begin on Monday. */
export const GRANULARITIES = ["minutes", "hours", "days", "weeks", "months", "years"] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** What searches can be told apart by. A region is named within its country, a city within its region. */
export const BREAKDOWN_DIMENSIONS = [
  "os",
  "platform",
  "country",
  "region",
  "city",
  "locale",
  "userType",
  "searchKind",
] as const;
export type BreakdownDimension = (typeof BREAKDOWN_DIMENSIONS)[number];

export const EXPORT_FORMATS = ["ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Which events a dashboard or an export is about (contract 3.10). */
export interface EventSelection {
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number;
  /** Milliseconds since the Unix epoch, exclusive; not before `from`. */
  readonly to: number;
  readonly organizationId?: string;
  readonly applicationId?: string;
  readonly userId?: string;
  readonly userType?: string;
  readonly sessionId?: string;
  readonly eventName?: string;
  /** At least one name. */
  readonly indexNames?: readonly string[];
}

export interface DashboardQuery {
  readonly selection: EventSelection;
  readonly granularity: Granularity;
  /** Rows of a page of the term lists. */
  readonly rpp: number;
  /** From 1. */
  readonly page: number;
  /** Extension: searches that are steps of one still being typed count as that one. */
  readonly collapsesTyping: boolean;
}

/** Members of a URL's query: text, or a list of it where a name comes several times. */
export type UrlQuery = Readonly<Record<string, unknown>>;

const TEXT_PARAMETERS = {
  organization_id: "organizationId",
  application_id: "applicationId",
  user_id: "userId",
  user_type: "userType",
  session_id: "sessionId",
  event_name: "eventName",
} as const satisfies Readonly<Record<string, keyof EventSelection>>;

const DAY_MS = 86_400_000;
const RANGE_DEFAULT_MS = 30 * DAY_MS;
/** A month has more minutes than are counted one by one. */
const MINUTES_RANGE_DEFAULT_MS = DAY_MS;
const RPP_DEFAULT = 10;
const RPP_MAX = 1_000;
const PAGE_MAX = 1_000_000;

/** The indexes that the query names; read before the rest is checked, because scope comes first (contract 1.6). */
export function queriedIndexNames(query: UrlQuery): readonly string[] {
  const names = (parameterOf(query, "index_names") ?? "").split("|").map((name) => name.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/**
 * @param nowMs milliseconds since the Unix epoch; the default range ends with the second that it is in
 * @throws FindlingError `invalid_request`
 */
export function parseDashboardQuery(query: UrlQuery, nowMs: number): DashboardQuery {
  const granularity = parseGranularity(parameterOf(query, "granularity") ?? "days");
  const rangeMs = granularity === "minutes" ? MINUTES_RANGE_DEFAULT_MS : RANGE_DEFAULT_MS;
  return {
    selection: parseSelection(query, nowMs, rangeMs),
    granularity,
    rpp: parseCount(query, "rpp", { byDefault: RPP_DEFAULT, most: RPP_MAX }),
    page: parseCount(query, "page", { byDefault: 1, most: PAGE_MAX }),
    collapsesTyping: parseFlag(query, "collapse_typing"),
  };
}

/** @throws FindlingError `invalid_request` */
export function parseBreakdownDimension(query: UrlQuery): BreakdownDimension {
  const value = parameterOf(query, "by") ?? "os";
  const dimension = BREAKDOWN_DIMENSIONS.find((each) => wireDimension(each) === value);
  if (dimension !== undefined) return dimension;
  throw invalidMember("by", `must be one of ${WIRE_DIMENSIONS.join(", ")}, not '${value}'`);
}

/** As it is written in a URL and an answer: `user_type`. */
export function wireDimension(dimension: BreakdownDimension): string {
  return dimension.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const WIRE_DIMENSIONS: readonly string[] = BREAKDOWN_DIMENSIONS.map(wireDimension);

/** All events unless the query says otherwise. @throws FindlingError `invalid_request` */
export function parseExportQuery(
  query: UrlQuery,
  nowMs: number,
): { readonly selection: EventSelection; readonly format: ExportFormat } {
  const value = parameterOf(query, "format") ?? "ndjson";
  const format = EXPORT_FORMATS.find((each) => each === value);
  if (format === undefined) throw invalidMember("format", `must be ndjson or parquet, not '${value}'`);
  return { selection: parseSelection(query, nowMs, null), format };
}

/** @param rangeMs before the end, where no start is given; null = from the beginning of time */
function parseSelection(query: UrlQuery, nowMs: number, rangeMs: number | null): EventSelection {
  const to = parseTime(query, "date_end") ?? endOfSecond(nowMs);
  const from = parseTime(query, "date_start") ?? (rangeMs === null ? 0 : to - rangeMs);
  if (from > to) throw invalidMember("date_start", "lies after 'date_end'; exchange them");
  const indexNames = queriedIndexNames(query);
  const texts: { [Member in (typeof TEXT_PARAMETERS)[keyof typeof TEXT_PARAMETERS]]?: string } = {};
  for (const [parameter, member] of Object.entries(TEXT_PARAMETERS)) {
    const value = parameterOf(query, parameter);
    if (value === undefined) continue;
    if (hasMoreCodePoints(value, EVENT_TEXT_LENGTH_MAX)) {
      throw invalidMember(parameter, `is longer than ${EVENT_TEXT_LENGTH_MAX} characters`);
    }
    if (value.includes("\0")) throw invalidMember(parameter, "holds the character U+0000");
    texts[member] = value;
  }
  return { from, to, ...texts, ...(indexNames.length > 0 && { indexNames }) };
}

/** The last of several values; an empty one counts as none, as forms send what is not filled in. */
function parameterOf(query: UrlQuery, name: string): string | undefined {
  const given = Object.hasOwn(query, name) ? query[name] : undefined;
  const last: unknown = Array.isArray(given) ? given.at(-1) : given;
  return typeof last === "string" && last !== "" ? last : undefined;
}

function parseTime(query: UrlQuery, name: string): number | undefined {
  const value = parameterOf(query, name)?.trim();
  if (value === undefined) return undefined;
  // In a URL a plus that is not encoded stands for a space: the one before an offset was meant.
  const instant = parseInstant(value.replace(/ (?=\d\d:\d\d$)/, "+"));
  if (instant !== null) return instant;
  throw invalidMember(name, `must be Unix seconds, YYYY-MM-DD or RFC 3339 with a zone, not '${value}'`);
}

/** The first whole second that is later: so that what happened just now is before it. */
function endOfSecond(timeMs: number): number {
  return (Math.floor(timeMs / 1000) + 1) * 1000;
}

function parseGranularity(value: string): Granularity {
  const found = GRANULARITIES.find((each) => each === value || each === `${value}s`);
  if (found !== undefined) return found;
  throw invalidMember("granularity", `must be one of ${GRANULARITIES.join(", ")}, not '${value}'`);
}

function parseCount(
  query: UrlQuery,
  name: string,
  { byDefault, most }: { readonly byDefault: number; readonly most: number },
): number {
  const value = parameterOf(query, name);
  if (value === undefined) return byDefault;
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  if (number >= 1 && number <= most) return number;
  throw invalidMember(name, `must be an integer from 1 to ${most}, not '${value}'`);
}

function parseFlag(query: UrlQuery, name: string): boolean {
  const value = parameterOf(query, name) ?? "false";
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw invalidMember(name, `must be true or false, not '${value}'`);
}

const equalTo = (what: string): TSchema =>
  Type.Optional(Type.String({ description: `Only events of this ${what}.` }));
const time = (description: string): TSchema =>
  Type.Optional(Type.String({ description: `Unix seconds, YYYY-MM-DD or RFC 3339. ${description}` }));

const selectionMembers = {
  date_start: time("Inclusive; 30 days before the end unless given, one day where `granularity` is minutes."),
  date_end: time("Exclusive; now unless given."),
  index_names: Type.Optional(
    Type.String({ description: "Names joined with `|`: only events that name one of these indexes." }),
  ),
  organization_id: equalTo("organization"),
  application_id: equalTo("application"),
  user_id: equalTo("user"),
  user_type: equalTo("type of user, `anonymous` or `authenticated`"),
  session_id: equalTo("session"),
  event_name: equalTo("name"),
};

const dashboardMembers = {
  ...selectionMembers,
  granularity: Type.Optional(
    Type.String({
      default: "days",
      description: `${GRANULARITIES.join(", ")}, also singular; in UTC, weeks begin on Monday.`,
    }),
  ),
  rpp: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: RPP_MAX,
      default: RPP_DEFAULT,
      description: "Rows of a page of the lists.",
    }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGE_MAX, default: 1 })),
  collapse_typing: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        "Extension. Of searches in one session that follow each other within 5 seconds, one term beginning with the other, only the last counts.",
    }),
  ),
};

export const dashboardQuerySchema: TSchema = Type.Object(dashboardMembers);

export const breakdownQuerySchema: TSchema = Type.Object({
  by: Type.Optional(Type.Enum([...WIRE_DIMENSIONS], { default: "os" })),
  ...dashboardMembers,
});

export const exportQuerySchema: TSchema = Type.Object({
  format: Type.Optional(Type.Enum([...EXPORT_FORMATS], { default: "ndjson" })),
  ...selectionMembers,
  date_start: time("Inclusive; the first event of all unless given."),
});
