import { DatePattern, rfcZone } from "./date-pattern.js";

/** The format of whole milliseconds since the Unix epoch, as JavaScript and Java give them. */
export const UNIX_MILLISECONDS = "unix_ms";

const SQL =
  /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:(?:[Tt]|\s+)(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:\s*(Z|z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?)?$/;
/** How MySQL writes that there is no date. */
const ZERO_DATE = /^0000-00-00(?:[ T]00:00:00(?:\.0+)?)?$/;
const MILLISECONDS = /^-?\d{1,16}$/;
/** Patterns that are kept; those of all fields of any index that is written at a time. */
const PATTERNS_MAX = 1000;

export function isZeroDate(text: string): boolean {
  return ZERO_DATE.test(text);
}

/** Whether a datetime field's `format` may be this. */
export function isTimeFormat(format: string): boolean {
  return format === UNIX_MILLISECONDS || patternOf(format) !== null;
}

/**
 * A time as databases write it, in a form that `parseDatetime` takes: by the format if one is named, else
 * `2023-12-31 23:59:59`, `2023-12-31T23:59`, `2023/12/31` with fraction and zone or without; a time without a zone is in
 * UTC. Null for anything else.
 */
export function writtenTime(text: string, format: string | undefined): string | number | null {
  if (format === UNIX_MILLISECONDS) {
    if (MILLISECONDS.test(text)) return Number(text) / 1000;
  } else if (format !== undefined) {
    const read = patternOf(format)?.read(text);
    if (read != null) return read;
  }
  const match = SQL.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour = "0", minute = "00", second = "00", fraction, zone] = match;
  const date = `${year}-${month!.padStart(2, "0")}-${day!.padStart(2, "0")}`;
  const time = `${hour.padStart(2, "0")}:${minute}:${second}${fraction === undefined ? "" : `.${fraction}`}`;
  return `${date}T${time}${rfcZone(zone)}`;
}

const PATTERNS = new Map<string, DatePattern | null>();

function patternOf(format: string): DatePattern | null {
  let pattern = PATTERNS.get(format);
  if (pattern === undefined) {
    if (PATTERNS.size >= PATTERNS_MAX) PATTERNS.clear();
    pattern = DatePattern.of(format);
    PATTERNS.set(format, pattern);
  }
  return pattern;
}
