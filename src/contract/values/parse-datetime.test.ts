import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { DATETIME_PRECISIONS } from "../index-schema.js";
import { dateFromDays, daysFromDate, daysInMonth } from "./calendar.js";
import { parseDatetime } from "./parse-datetime.js";

describe("parseDatetime", () => {
  test.each([
    ["2024-02-29T12:34:56Z", "2024-02-29T12:34:56Z"],
    ["2024-02-29t12:34:56z", "2024-02-29T12:34:56Z"],
    ["2024-01-01T00:00:00+02:00", "2023-12-31T22:00:00Z"],
    ["2024-01-01T00:00:00-02:30", "2024-01-01T02:30:00Z"],
    ["2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00Z"],
    ["2024-01-01T00:00:00.120Z", "2024-01-01T00:00:00.12Z"],
    ["2024-01-01T00:00:00.123456789987Z", "2024-01-01T00:00:00.123456789Z"],
    ["2024-05-06", "2024-05-06T00:00:00Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ["9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"],
    ["0000-12-31T23:30:00-01:00", "0001-01-01T00:30:00Z"],
    ["1700000000", "2023-11-14T22:13:20Z"],
    ["1700000000.123456789", "2023-11-14T22:13:20.123456789Z"],
    ["-1", "1969-12-31T23:59:59Z"],
    ["-0.25", "1969-12-31T23:59:59.75Z"],
    ["-0", "1970-01-01T00:00:00Z"],
    ["-0.0000000001", "1969-12-31T23:59:59.999999999Z"],
    ["-0.9999999999", "1969-12-31T23:59:59Z"],
    [1_700_000_000, "2023-11-14T22:13:20Z"],
    [1_700_000_000.123, "2023-11-14T22:13:20.123Z"],
    [1e-9, "1970-01-01T00:00:00.000000001Z"],
    [-0, "1970-01-01T00:00:00Z"],
    [253_402_300_799, "9999-12-31T23:59:59Z"],
    ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"],
    ["1990-12-31T15:59:60.5-08:00", "1991-01-01T00:00:00.5Z"],
    [-62_135_596_800, "0001-01-01T00:00:00Z"],
  ])("reads %j as %s", (input, expected) => {
    expect(parseDatetime(input, "nanoseconds")).toBe(expected);
  });

  test.each([
    "",
    " 2024-01-01",
    "2024-01-01\n",
    "2024-01-01T00:00:00",
    "2024-01-01 00:00:00Z",
    "2024-01-01T00:00Z",
    "2024-01-01T00:00:00.Z",
    "2023-02-29",
    "2023-02-29T00:00:00Z",
    "2100-02-29",
    "2024-13-01",
    "2024-00-10",
    "2024-04-31",
    "2024-04-00",
    "2024-01-01T24:00:00Z",
    "2024-01-01T00:60:00Z",
    "2016-12-30T23:59:60Z",
    "2016-12-31T22:59:60Z",
    "2016-12-31T23:59:61Z",
    "2024-01-01T00:00:00+24:00",
    "2024-01-01T00:00:00+00:60",
    "0000-01-01",
    "0001-01-01T00:00:00+00:01",
    "9999-12-31T23:59:59-00:01",
    "20240-01-01",
    "1e9",
    "+5",
    "0x10",
    ".5",
    "5.",
    "253402300800",
    "9".repeat(400),
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1e300,
    253_402_300_800,
    -62_135_596_801,
  ])("refuses %j", (input) => {
    expect(parseDatetime(input, "nanoseconds")).toBeNull();
  });

  test("truncates to the precision, back in time", () => {
    const written = "1969-12-31T23:59:58.987654321Z";
    expect(DATETIME_PRECISIONS.map((precision) => parseDatetime(written, precision))).toEqual([
      "1969-12-31T23:59:58Z",
      "1969-12-31T23:59:58.987Z",
      "1969-12-31T23:59:58.987654Z",
      "1969-12-31T23:59:58.987654321Z",
    ]);
    expect(parseDatetime("-1.5", "seconds")).toBe("1969-12-31T23:59:58Z");
  });

  test("agrees with Date on every millisecond of the years 0001 to 9999", () => {
    const milliseconds = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
    fc.assert(
      fc.property(milliseconds, (time) => {
        const iso = new Date(time).toISOString();
        expect(parseDatetime(iso, "milliseconds")).toBe(iso.replace(/\.?0+Z$/, "Z"));
        expect(parseDatetime(String(Math.floor(time / 1000)), "seconds")).toBe(`${iso.slice(0, 19)}Z`);
      }),
    );
  });

  test("is stable: a canonical form is its own canonical form", () => {
    const parts = fc.tuple(
      fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }),
      fc.stringMatching(/^\d{1,12}$/),
      fc.constantFrom(...DATETIME_PRECISIONS),
    );
    fc.assert(
      fc.property(parts, ([seconds, fraction, precision]) => {
        const canonical = parseDatetime(`${seconds}.${fraction}`, precision);
        if (canonical === null) return;
        expect(parseDatetime(canonical, precision)).toBe(canonical);
      }),
    );
  });
});

describe("calendar", () => {
  test("counts days as Date does", () => {
    fc.assert(
      fc.property(fc.integer({ min: -800_000, max: 2_950_000 }), (days) => {
        const { year, month, day } = dateFromDays(days);
        const date = new Date(days * 86_400_000);
        expect([year, month, day]).toEqual([
          date.getUTCFullYear(),
          date.getUTCMonth() + 1,
          date.getUTCDate(),
        ]);
        expect(daysFromDate(year, month, day)).toBe(days);
        expect(day).toBeLessThanOrEqual(daysInMonth(year, month));
      }),
    );
  });
});
