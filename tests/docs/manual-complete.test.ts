// Properties: whatever the tables of the code name is in the manual: routes, members of the search body, error codes
// with their status, settings with their default, metrics, members of every request.
import { describe, expect, test } from "vitest";
import { PrometheusMetrics } from "../../src/adapters/metrics/prometheus-metrics.js";
import { SETTINGS } from "../../src/config/index.js";
import { CURSOR_BODY_SCHEMA } from "../../src/contract/cursor.js";
import { ROUTE_TABLE } from "../../src/contract/route-table.js";
import { searchBodyMembers } from "../../src/contract/search-bodies.js";
import { SEARCH_EXTENSION_MEMBERS } from "../../src/contract/search-extensions.js";
import { ERROR_CODES } from "../../src/errors/index.js";
import { statusOf } from "../../src/http/answers/error-answer.js";
import { readExposition } from "../kit/exposition.js";
import { manualPages, readPage } from "./manual-pages.js";

const rowsOf = (path: string): readonly string[] =>
  readPage(path)
    .text.split("\n")
    .filter((line) => line.startsWith("|"));

test("every route is in docs/api.md, whose tables have no other", () => {
  const { text } = readPage("docs/api.md");
  const routes = ROUTE_TABLE.map(({ method, path }) => `${method} ${path}`);
  expect(routes.filter((route) => !text.includes(`\`${route}\``))).toEqual([]);
  const rows = rowsOf("docs/api.md").flatMap((row) => /^\| `([A-Z]+ [^`]+)` \|/.exec(row)?.[1] ?? []);
  expect(rows.filter((route) => !routes.includes(route))).toEqual([]);
});

test("every error code has a row in docs/errors.md with its status", () => {
  const shown = rowsOf("docs/errors.md").flatMap((row) => {
    const [, code, status] = /^\| `([a-z_]+)` \| (\d+) \|/.exec(row) ?? [];
    return code === undefined ? [] : [`${code} ${status}`];
  });
  expect(shown.toSorted()).toEqual(ERROR_CODES.map((code) => `${code} ${statusOf(code)}`).toSorted());
});

describe("docs/configuration.md", () => {
  const rows = rowsOf("docs/configuration.md");

  test("names no setting that there isn't", () => {
    const known = SETTINGS.map(({ environmentName }) => environmentName);
    const shown = rows.flatMap((row) => /^\| `(FINDLING_[A-Z_]+)` \|/.exec(row)?.[1] ?? []);
    expect(shown.toSorted()).toEqual(known.toSorted());
  });

  test.each(SETTINGS)("has a row for $environmentName with its default", (setting) => {
    const row = rows.find((each) => each.startsWith(`| \`${setting.environmentName}\` |`));
    expect(row?.split(" | ")[1]).toBe(shownDefault(setting.default));
  });
});

function shownDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return "none";
  if (typeof value === "boolean") return value ? "on" : "off";
  return `\`${Array.isArray(value) ? value.join(",") : String(value)}\``;
}

test("every metric is in docs/monitoring.md, and no other is", async () => {
  const metrics = new PrometheusMetrics({
    catalog: { indexes: () => [] },
    eventStore: {
      status: () => ({
        kind: "duckdb",
        isAvailable: true,
        waitingEvents: 0,
        waitingBytes: 0,
        damagedFiles: [],
      }),
    },
    searchCaches: () => [{ name: "terms", bytes: 1, hits: 2, misses: 3 }],
    cluster: { problem: null, outcomes: { done: 1 } },
    version: "1.2.3",
  });
  const { types } = readExposition(await metrics.text());
  metrics.close();
  const shown = rowsOf("docs/monitoring.md").flatMap((row) => /^\| `([a-z0-9_]+)` \|/.exec(row)?.[1] ?? []);
  expect(shown.toSorted()).toEqual([...types.keys()].toSorted());
});

test("every member of the search body is in docs/search-body.md", () => {
  const { text } = readPage("docs/search-body.md");
  const names = [searchBodyMembers, SEARCH_EXTENSION_MEMBERS, CURSOR_BODY_SCHEMA].flatMap(memberNames);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test("every member of every request's body and URL is in the manual", () => {
  const manual = manualPages()
    .map((page) => page.text)
    .join("\n");
  const description = JSON.parse(readPage("docs/openapi.json").text) as Description;
  const requests = Object.entries(description.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
  );
  expect(requests.length).toBe(ROUTE_TABLE.length);
  const missing = requests.flatMap(({ route, operation: { parameters = [], requestBody } }) => {
    const ofUrl = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
    return [...ofUrl, ...memberNames(requestBody?.content)]
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(manual))
      .map((name) => `${route}: ${name}`);
  });
  expect(missing).toEqual([]);
});

/** What is read of docs/openapi.json. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: unknown };
}

/** The names of members at any depth of a schema. */
function memberNames(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const isMembers = schema === searchBodyMembers || schema === SEARCH_EXTENSION_MEMBERS;
  const own = isMembers ? schema : ((schema as { properties?: object }).properties ?? {});
  return [...Object.keys(own), ...Object.values(schema).flatMap(memberNames)];
}
