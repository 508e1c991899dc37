/** A point in time: whole seconds since 1970-01-01T00:00:00Z (may be negative) and nanoseconds 0 to 999,999,999 after them. */
export interface Instant {
  readonly seconds: number;
  readonly nanoseconds: number;
  /** Whether the text held digits below the nanosecond that are not zero; they are cut off, not rounded. */
  readonly truncated: boolean;
}

/** 0001-01-01T00:00:00Z. */
export const INSTANT_SECONDS_MIN = -62_135_596_800;
/** 9999-12-31T23:59:59Z. */
export const INSTANT_SECONDS_MAX = 253_402_300_799;

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;
const DAYS_IN_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;
const EPOCH_DAYS = daysBeforeYear(1970);

/**
 * Reads an RFC 3339 date-time with `Z` or a zone offset, exact to the nanosecond; null if the text is
 * none. A leap second (`:60`) has no Unix time and is refused. The instant may lie outside the years
 * 0001 to 9999 by its zone offset.
 */
export function parseInstant(text: string): Instant | null {
  const match = RFC_3339.exec(text);
  if (match === null) return null;
  const year = Number(match[1]);
  const month = Number(match[2]);
  const day = Number(match[3]);
  const hour = Number(match[4]);
  const minute = Number(match[5]);
  const second = Number(match[6]);
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return null;
  if (hour > 23 || minute > 59 || second > 59 || offsetHours > 23 || offsetMinutes > 59) return null;

  const fraction = match[7] ?? "";
  const offset = (offsetHours * 60 + offsetMinutes) * (match[8] === "-" ? -60 : 60);
  const days = daysBeforeYear(year) + dayOfYear(year, month, day) - EPOCH_DAYS;
  return {
    seconds: days * 86_400 + hour * 3_600 + minute * 60 + second - offset,
    nanoseconds: Number(fraction.slice(0, 9).padEnd(9, "0")),
    truncated: /[1-9]/.test(fraction.slice(9)),
  };
}

/** RFC 3339 in UTC with `Z` and without a fraction that is zero or ends in zeros. Years 0001 to 9999. */
export function formatInstant(seconds: number, nanoseconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const secondOfDay = seconds - days * 86_400;
  let year = Math.floor((days + EPOCH_DAYS) / 365.2425);
  // The estimate is off by one year at most, at either end of a year.
  while (daysBeforeYear(year + 1) <= days + EPOCH_DAYS) year++;
  while (daysBeforeYear(year) > days + EPOCH_DAYS) year--;
  let day = days + EPOCH_DAYS - daysBeforeYear(year);
  let month = 1;
  for (; day >= daysInMonth(year, month); month++) day -= daysInMonth(year, month);

  const date = `${digits(year, 4)}-${digits(month, 2)}-${digits(day + 1, 2)}`;
  const hour = Math.floor(secondOfDay / 3_600);
  const minute = Math.floor(secondOfDay / 60) % 60;
  const time = `${digits(hour, 2)}:${digits(minute, 2)}:${digits(secondOfDay % 60, 2)}`;
  const fraction = nanoseconds === 0 ? "" : `.${digits(nanoseconds, 9).replace(/0+$/, "")}`;
  return `${date}T${time}${fraction}Z`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}

function isLeapYear(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}

function daysInMonth(year: number, month: number): number {
  return month === 2 && isLeapYear(year) ? 29 : DAYS_IN_MONTH[month - 1]!;
}

/** Days from 0000-01-01 to the first of January of the year, in the proleptic Gregorian calendar. */
function daysBeforeYear(year: number): number {
  if (year <= 0) return year * 366; // year 0 is a leap year; years below it don't occur
  const last = year - 1;
  return 366 + last * 365 + Math.floor(last / 4) - Math.floor(last / 100) + Math.floor(last / 400);
}

/** From 0. */
function dayOfYear(year: number, month: number, day: number): number {
  return DAYS_BEFORE_MONTH[month - 1]! + (month > 2 && isLeapYear(year) ? 1 : 0) + day - 1;
}
