// Every moment of a range is in exactly one bucket, which begins where the calendar says; compared with
// steps of `Date` over random ranges.
import fc from "fast-check";
import { expect, test } from "vitest";
import { GRANULARITIES, type Granularity } from "../../contract/measure-query.js";
import { BUCKETS_MAX, bucketStarts, monthOf } from "./time-buckets.js";

const SPAN_MS = {
  minutes: 3_600_000,
  hours: 86_400_000,
  days: 90 * 86_400_000,
  weeks: 400 * 86_400_000,
  months: 1_500 * 86_400_000,
  years: 15_000 * 86_400_000,
} as const;

test("the buckets are those that the range's moments are in", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...GRANULARITIES),
      fc.integer({ min: Date.UTC(1950, 0), max: Date.UTC(2150, 0) }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (granularity, from, width, place) => {
        const to = from + Math.floor(SPAN_MS[granularity] * width) + 1;
        const starts = bucketStarts({ from, to }, granularity);
        expect(starts[0]).toBe(startOf(from, granularity));
        expect(starts.at(-1)).toBe(startOf(to - 1, granularity));
        for (const [i, start] of starts.entries()) {
          expect(startOf(start, granularity)).toBe(start);
          // The moment before belongs to the bucket before: nothing is left out.
          if (i > 0) expect(startOf(start - 1, granularity)).toBe(starts[i - 1]);
        }
        const moment = from + Math.floor((to - from) * place * 0.999);
        expect(starts).toContain(startOf(moment, granularity));
      },
    ),
  );
});

test("weeks begin on Mondays, in UTC, before 1970 too", () => {
  for (const start of bucketStarts({ from: -20 * 86_400_000, to: 20 * 86_400_000 }, "weeks")) {
    expect(new Date(start).toUTCString()).toMatch(/^Mon, .* 00:00:00 GMT$/);
  }
});

test("an empty range has none", () => {
  expect(bucketStarts({ from: 5, to: 5 }, "minutes")).toEqual([]);
});

test("too many are refused, naming the number and the way out", () => {
  const to = BUCKETS_MAX * 60_000;
  expect(bucketStarts({ from: 0, to }, "minutes")).toHaveLength(BUCKETS_MAX);
  expect(() => bucketStarts({ from: 0, to: to + 1 }, "minutes")).toThrow(
    /10001 minutes, at most 10000 .* coarser 'granularity'/,
  );
  expect(bucketStarts({ from: -62_135_596_800_000, to: 253_402_300_799_000 }, "years")).toHaveLength(9999);
});

test("the month of a time is the calendar's", () => {
  expect(monthOf(Date.UTC(2024, 1, 29, 23))).toEqual({ from: Date.UTC(2024, 1), to: Date.UTC(2024, 2) });
  expect(monthOf(Date.UTC(2024, 2))).toEqual({ from: Date.UTC(2024, 2), to: Date.UTC(2024, 3) });
  expect(monthOf(Date.UTC(2023, 11, 31))).toEqual({ from: Date.UTC(2023, 11), to: Date.UTC(2024, 0) });
});

/** Walks back from the time to where its bucket began, by what `Date` says. */
function startOf(time: number, granularity: Granularity): number {
  const date = new Date(time);
  date.setUTCSeconds(0, 0);
  if (granularity === "minutes") return date.getTime();
  date.setUTCMinutes(0);
  if (granularity === "hours") return date.getTime();
  date.setUTCHours(0);
  if (granularity === "weeks") while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1);
  if (granularity === "months" || granularity === "years") date.setUTCDate(1);
  if (granularity === "years") date.setUTCMonth(0);
  return date.getTime();
}
