import type { DatetimePrecision } from "../index-schema.js";
import { dateFromDays, daysFromDate, daysInMonth } from "./calendar.js";

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;
const DATE_ONLY = /^(\d{4})-(\d{2})-(\d{2})$/;
const UNIX_SECONDS = /^(-?)(\d+)(?:\.(\d+))?$/;

const SECONDS_PER_DAY = 86_400;
const NANOSECONDS_PER_SECOND = 1_000_000_000;
/** 0001-01-01T00:00:00Z and 9999-12-31T23:59:59Z in Unix seconds. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

const FRACTION_DIGITS: Readonly<Record<DatetimePrecision, number>> = {
  seconds: 0,
  milliseconds: 3,
  microseconds: 6,
  nanoseconds: 9,
};

/**
 * The canonical form of an instant (`CanonicalValue`): RFC 3339 in UTC with `Z`, truncated to the
 * precision, without trailing zeros in the fraction. Equal instants give equal strings.
 *
 * Takes RFC 3339 with zone (`t` and `z` too), `YYYY-MM-DD` as midnight UTC, and Unix seconds as a
 * number or as decimal digits with optional minus and fraction, exact to the nanosecond. Truncation
 * goes back in time, also before 1970.
 *
 * A leap second (RFC 3339, 5.7) is the instant that follows it.
 *
 * Null for anything else: dates that do not exist, a second 60 elsewhere than at the end of a month, instants outside the UTC years 0001 to 9999.
 */
export function parseDatetime(input: string | number, precision: DatetimePrecision): string | null {
  if (typeof input === "number") return fromNumber(input, precision);
  return fromRfc3339(input, precision) ?? fromDateOnly(input, precision) ?? fromDigits(input, precision);
}

function fromRfc3339(input: string, precision: DatetimePrecision): string | null {
  const match = RFC_3339.exec(input);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second, fraction, sign, offsetHour, offsetMinute] = match;
  const days = existingDay(Number(year), Number(month), Number(day));
  const inOrder =
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) <= 60 &&
    Number(offsetHour ?? 0) < 24 &&
    Number(offsetMinute ?? 0) < 60;
  if (days === null || !inOrder) return null;
  const offset = (Number(offsetHour ?? 0) * 3600 + Number(offsetMinute ?? 0) * 60) * (sign === "-" ? -1 : 1);
  const seconds =
    days * SECONDS_PER_DAY + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset;
  // A leap second ends a month in UTC, and is the instant after it: Unix time doesn't count it.
  if (Number(second) === 60 && !beginsMonth(seconds)) return null;
  return canonical(seconds, nanosecondsOf(fraction ?? ""), precision);
}

function beginsMonth(seconds: number): boolean {
  return seconds % SECONDS_PER_DAY === 0 && dateFromDays(seconds / SECONDS_PER_DAY).day === 1;
}

function fromDateOnly(input: string, precision: DatetimePrecision): string | null {
  const match = DATE_ONLY.exec(input);
  if (match === null) return null;
  const days = existingDay(Number(match[1]), Number(match[2]), Number(match[3]));
  return days === null ? null : canonical(days * SECONDS_PER_DAY, 0, precision);
}

function fromNumber(input: number, precision: DatetimePrecision): string | null {
  if (!Number.isFinite(input)) return null;
  // The shortest decimal form is what the caller wrote; tiny numbers would come with an exponent.
  return fromDigits(Math.abs(input) < 1e-6 ? input.toFixed(20) : String(input), precision);
}

function fromDigits(input: string, precision: DatetimePrecision): string | null {
  const match = UNIX_SECONDS.exec(input);
  if (match === null) return null;
  const [, sign, whole, fraction = ""] = match;
  // A number that is too long to be exact is far outside the years all the same.
  const seconds = Number(whole);
  if (sign !== "-") return canonical(seconds, nanosecondsOf(fraction), precision);
  const beyond = /[1-9]/.test(fraction.slice(9)) ? 1 : 0;
  const nanoseconds = nanosecondsOf(fraction) + beyond;
  if (nanoseconds === 0) return canonical(-seconds, 0, precision);
  return canonical(-seconds - 1, NANOSECONDS_PER_SECOND - nanoseconds, precision);
}

function existingDay(year: number, month: number, day: number): number | null {
  return day >= 1 && day <= daysInMonth(year, month) ? daysFromDate(year, month, day) : null;
}

function nanosecondsOf(fraction: string): number {
  return Number(fraction.slice(0, 9).padEnd(9, "0"));
}

function canonical(seconds: number, nanoseconds: number, precision: DatetimePrecision): string | null {
  if (seconds < FIRST_SECOND || seconds > LAST_SECOND) return null;
  const days = Math.floor(seconds / SECONDS_PER_DAY);
  const secondOfDay = seconds - days * SECONDS_PER_DAY;
  const { year, month, day } = dateFromDays(days);
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
  const hour = padded(Math.floor(secondOfDay / 3600), 2);
  const minute = padded(Math.floor(secondOfDay / 60) % 60, 2);
  const fraction = padded(nanoseconds, 9).slice(0, FRACTION_DIGITS[precision]).replace(/0+$/, "");
  const point = fraction === "" ? "" : ".";
  return `${date}T${hour}:${minute}:${padded(secondOfDay % 60, 2)}${point}${fraction}Z`;
}

function padded(value: number, digits: number): string {
  return String(value).padStart(digits, "0");
}
