// Contract 3.10: the parameters of the dashboards, their defaults and what is refused.
import { describe, expect, test } from "vitest";
import {
  parseBreakdownDimension,
  parseDashboardQuery,
  parseExportQuery,
  queriedIndexNames,
} from "./measure-query.js";

const NOW = Date.UTC(2024, 4, 15, 12, 30, 0, 250);
const DAY = 86_400_000;
const parse = (query: Record<string, unknown>): ReturnType<typeof parseDashboardQuery> =>
  parseDashboardQuery(query, NOW);

test("asks for the last 30 days by day, first page of ten, unless told otherwise", () => {
  const to = Date.UTC(2024, 4, 15, 12, 30, 1);
  expect(parse({})).toEqual({
    selection: { from: to - 30 * DAY, to },
    granularity: "days",
    rpp: 10,
    page: 1,
    collapsesTyping: false,
  });
});

test("takes every parameter", () => {
  const query = parse({
    date_start: "1700000000",
    date_end: "1702592000",
    organization_id: "o",
    application_id: "a",
    user_id: "u",
    user_type: "anonymous",
    session_id: "s",
    event_name: "e",
    index_names: "one| two||one",
    granularity: "hour",
    rpp: "1000",
    page: "7",
    collapse_typing: "true",
    unknown: "ignored",
  });
  expect(query).toEqual({
    selection: {
      from: 1_700_000_000_000,
      to: 1_702_592_000_000,
      organizationId: "o",
      applicationId: "a",
      userId: "u",
      userType: "anonymous",
      sessionId: "s",
      eventName: "e",
      indexNames: ["one", "two"],
    },
    granularity: "hours",
    rpp: 1000,
    page: 7,
    collapsesTyping: true,
  });
});

test("takes the last of several values, and an empty one as none", () => {
  expect(parse({ rpp: ["3", "4"], user_id: ["u", ""], page: "" })).toMatchObject({ rpp: 4, page: 1 });
  expect(parse({ user_id: ["u", ""] }).selection).not.toHaveProperty("userId");
  expect(queriedIndexNames({ index_names: ["a", "b|c"] })).toEqual(["b", "c"]);
});

describe("times", () => {
  test.each([
    ["1700000000", 1_700_000_000_000],
    ["1700000000.5", 1_700_000_000_500],
    ["2023-11-14", Date.UTC(2023, 10, 14)],
    ["2023-11-14T22:13:20Z", 1_700_000_000_000],
    ["2023-11-14T23:13:20+01:00", 1_700_000_000_000],
    // What a plus that nobody encoded becomes.
    ["2023-11-14T23:13:20 01:00", 1_700_000_000_000],
    [" 2023-11-14 ", Date.UTC(2023, 10, 14)],
    ["-1", -1000],
  ])("%s", (date_start, from) => {
    expect(parse({ date_start }).selection.from).toBe(from);
  });

  test("the default start is 30 days before the end that is given", () => {
    expect(parse({ date_end: "2024-01-31" }).selection).toEqual({
      from: Date.UTC(2024, 0, 1),
      to: Date.UTC(2024, 0, 31),
    });
  });

  test("an empty range is one", () => {
    expect(parse({ date_start: "5", date_end: "5" }).selection).toEqual({ from: 5000, to: 5000 });
  });
});

test.each([
  ["date_start", "yesterday"],
  ["date_start", "2023-02-30"],
  ["date_end", "2023-11-14T22:13:20"],
  ["date_start", "9999-01-01"],
  ["granularity", "fortnights"],
  ["granularity", "day s"],
  ["rpp", "0"],
  ["rpp", "1001"],
  ["rpp", "ten"],
  ["rpp", "1e2"],
  ["page", "-1"],
  ["page", "1.5"],
  ["collapse_typing", "perhaps"],
  ["user_id", "x".repeat(1001)],
  ["user_id", "a\0"],
])("refuses %s=%s and says so", (name, value) => {
  expect(() => parse({ [name]: value })).toThrow(
    expect.objectContaining({
      code: "invalid_request",
      message: expect.stringContaining(`'${name}'`) as unknown,
      items: [expect.objectContaining({ path: name })],
    }),
  );
});

test("dimensions are named as on the wire", () => {
  expect(parseBreakdownDimension({})).toBe("os");
  expect(parseBreakdownDimension({ by: "user_type" })).toBe("userType");
  expect(() => parseBreakdownDimension({ by: "userType" })).toThrow("user_type");
});

test("an export takes everything unless told otherwise", () => {
  expect(parseExportQuery({}, NOW)).toMatchObject({ format: "ndjson", selection: { from: 0 } });
  expect(parseExportQuery({ format: "parquet", date_start: "7" }, NOW)).toMatchObject({
    format: "parquet",
    selection: { from: 7000 },
  });
  expect(() => parseExportQuery({ format: "csv" }, NOW)).toThrow("ndjson or parquet");
});
