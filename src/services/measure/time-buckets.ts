import { refusalAt } from "../../contract/invalid-member.js";
import type { Granularity } from "../../contract/measure-query.js";
import { dateFromDays, daysFromDate } from "../../contract/values/calendar.js";

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DAYS_PER_WEEK = 7;
/** 1970-01-01 was a Thursday: so many days after a Monday. */
const EPOCH_WEEKDAY = 3;
const MONTHS_PER_YEAR = 12;

/** More points than any chart shows; ten thousand minutes are a week. */
export const BUCKETS_MAX = 10_000;

/** The number of the bucket that holds the time (milliseconds since the Unix epoch): one more for each bucket. */
function bucketNumber(timeMs: number, granularity: Granularity): number {
  const days = Math.floor(timeMs / DAY_MS);
  switch (granularity) {
    case "minutes":
      return Math.floor(timeMs / MINUTE_MS);
    case "hours":
      return Math.floor(timeMs / HOUR_MS);
    case "days":
      return days;
    case "weeks":
      return Math.floor((days + EPOCH_WEEKDAY) / DAYS_PER_WEEK);
    case "months": {
      const { year, month } = dateFromDays(days);
      return year * MONTHS_PER_YEAR + month - 1;
    }
    case "years":
      return dateFromDays(days).year;
  }
}

/** The inverse: the bucket's first millisecond. */
function bucketStart(number: number, granularity: Granularity): number {
  switch (granularity) {
    case "minutes":
      return number * MINUTE_MS;
    case "hours":
      return number * HOUR_MS;
    case "days":
      return number * DAY_MS;
    case "weeks":
      return (number * DAYS_PER_WEEK - EPOCH_WEEKDAY) * DAY_MS;
    case "months": {
      const year = Math.floor(number / MONTHS_PER_YEAR);
      return daysFromDate(year, number - year * MONTHS_PER_YEAR + 1, 1) * DAY_MS;
    }
    case "years":
      return daysFromDate(number, 1, 1) * DAY_MS;
  }
}

interface TimeRange {
  /** Milliseconds since the Unix epoch, inclusive. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/**
 * The starts of all buckets that the range touches, ascending; of the first one perhaps before the range.
 *
 * @throws FindlingError `invalid_request` if there are more than `BUCKETS_MAX`
 */
export function bucketStarts({ from, to }: TimeRange, granularity: Granularity): readonly number[] {
  if (from >= to) return [];
  const first = bucketNumber(from, granularity);
  const count = bucketNumber(to - 1, granularity) - first + 1;
  if (count > BUCKETS_MAX) {
    const message = `from 'date_start' to 'date_end' there are ${count} ${granularity}, at most ${BUCKETS_MAX} are counted one by one; choose a shorter range or a coarser 'granularity'`;
    throw refusalAt("granularity", message);
  }
  return Array.from({ length: count }, (_, i) => bucketStart(first + i, granularity));
}

/** The calendar month in UTC that holds the time. */
export function monthOf(timeMs: number): TimeRange {
  const number = bucketNumber(timeMs, "months");
  return { from: bucketStart(number, "months"), to: bucketStart(number + 1, "months") };
}
