import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDatetime } from "./parse-datetime.js";
import { isTimeFormat, isZeroDate, writtenTime } from "./written-time.js";

/** What a text means in a format, in canonical form; null where it isn't written so, or no such time exists. */
function timeOf(text: string, format?: string): string | null {
  const time = writtenTime(text, format);
  return time === null ? null : parseDatetime(time, "nanoseconds");
}

test.each([
  ["2023-12-31 23:59:59", undefined, "2023-12-31T23:59:59Z"],
  ["2023-12-31", undefined, "2023-12-31T00:00:00Z"],
  ["2023/12/31 7:05", undefined, "2023-12-31T07:05:00Z"],
  ["2023-12-31T23:59:59.25", undefined, "2023-12-31T23:59:59.25Z"],
  ["2023-12-31 23:59:59,5", undefined, "2023-12-31T23:59:59.5Z"],
  ["2023-12-31 23:59:59+02", undefined, "2023-12-31T21:59:59Z"],
  ["2023-12-31 23:59:59.123456+00", undefined, "2023-12-31T23:59:59.123456Z"],
  ["2023-12-31 23:59:59 -0500", undefined, "2024-01-01T04:59:59Z"],
  ["2023-12-31 23:59:59 UTC", undefined, "2023-12-31T23:59:59Z"],
  ["2023-12-31T23:59:59Z", undefined, "2023-12-31T23:59:59Z"],
  ["2023-02-29 00:00:00", undefined, null],
  ["2023-12-31 25:00:00", undefined, null],
  ["31.12.2023", undefined, null],
  ["31.12.2023", "DD.MM.YYYY", "2023-12-31T00:00:00Z"],
  ["1.2.2023", "DD.MM.YYYY", null],
  ["1.2.2023", "D.M.YYYY", "2023-02-01T00:00:00Z"],
  ["31.12.2023 08:09", "DD.MM.YYYY HH:mm", "2023-12-31T08:09:00Z"],
  ["2023-12-31 08:09:10", "DD.MM.YYYY", "2023-12-31T08:09:10Z"],
  ["12/31/23 12:05 AM", "M/D/YY h:mm A", "2023-12-31T00:05:00Z"],
  ["12/31/99 12:05 pm", "M/D/YY h:mm A", "1999-12-31T12:05:00Z"],
  ["Tue, 02 Jan 2024 10:00:00 GMT", "ddd, DD MMM YYYY HH:mm:ss Z", "2024-01-02T10:00:00Z"],
  ["3 September 2024", "D MMMM YYYY", "2024-09-03T00:00:00Z"],
  ["3 Nonesuch 2024", "D MMMM YYYY", null],
  ["20231231", "YYYYMMDD", "2023-12-31T00:00:00Z"],
  ["20231231T101112", "YYYYMMDD[T]HHmmss", "2023-12-31T10:11:12Z"],
  ["31.12.2023 um 10.30", "DD.MM.YYYY [um] HH.mm", "2023-12-31T10:30:00Z"],
  ["2023-12-31 10:11:12.345 +0130", "YYYY-MM-DD HH:mm:ss.SSS Z", "2023-12-31T08:41:12.345Z"],
  ["1700000000123", "unix_ms", "2023-11-14T22:13:20.123Z"],
  ["31.13.2023", "DD.MM.YYYY", null],
  ["00:00 1.1.2024", "HH:mm D.M.YYYY", "2024-01-01T00:00:00Z"],
] as const)("%j in the format %j is %j", (text, format, time) => {
  expect(timeOf(text, format)).toBe(time);
});

test("formats are patterns that name a day, and nothing twice", () => {
  for (const format of ["DD.MM.YYYY", "M/D/YY", "YYYYMMDD", "unix_ms", "[on] D MMM YYYY"])
    expect(isTimeFormat(format), format).toBe(true);
  for (const format of [
    "",
    "DD.MM",
    "YYYY",
    "HH:mm",
    "dd.mm.yyyy",
    "DD.MM.YYYY DD",
    "YYYY-MM-DD q",
    "[YYYY-MM-DD",
  ])
    expect(isTimeFormat(format), format).toBe(false);
});

test("zero dates of MySQL are none", () => {
  expect(["0000-00-00", "0000-00-00 00:00:00", "0000-00-00 00:00:00.000"].every(isZeroDate)).toBe(true);
  expect(isZeroDate("0001-01-01")).toBe(false);
});

test("what a pattern writes is read back", () => {
  const date = fc.date({ min: new Date("1970-01-01"), max: new Date("2068-12-31"), noInvalidDate: true });
  const patterns = ["DD.MM.YYYY HH:mm:ss", "M/D/YY h:mm:ss A", "D MMM YYYY HH:mm:ss", "YYYYMMDDHHmmss"];
  fc.assert(
    fc.property(date, fc.constantFrom(...patterns), (at, pattern) => {
      const whole = new Date(Math.floor(at.getTime() / 1000) * 1000);
      expect(timeOf(written(whole, pattern), pattern)).toBe(whole.toISOString().replace(".000Z", "Z"));
    }),
  );
});

/** A time by a pattern, piece by piece. */
function written(at: Date, pattern: string): string {
  const [year, month, day, hour, minute, second] = at.toISOString().split(/[-T:.]/) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const hour12 = Number(hour) % 12 === 0 ? 12 : Number(hour) % 12;
  const pieces: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(2),
    MMM: at.toUTCString().slice(8, 11),
    MM: month,
    M: String(Number(month)),
    DD: day,
    D: String(Number(day)),
    HH: hour,
    h: String(hour12),
    mm: minute,
    ss: second,
    A: Number(hour) < 12 ? "AM" : "PM",
  };
  return pattern.replace(/YYYY|YY|MMM|MM|M|DD|D|HH|h|mm|ss|A/g, (token) => pieces[token]!);
}
