// Properties: whatever the tables of the code name is in the manual: routes, members of the search body, error codes
// with their status, settings with their default, metrics, members of every request and answer.
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
import { manualPages, type Page, proseOf, readPage } from "./manual-pages.js";

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

describe("the manual has, as code,", () => {
  const description = JSON.parse(readPage("docs/openapi.json").text) as Description;
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method} ${path}`, operation })),
  );
  const shown = new Set(manualPages().flatMap(codeOf).join("\n").match(/\w+/g));
  const withoutMention = (names: readonly string[]): readonly string[] =>
    names.filter((name) => (name.match(/\w+/g) ?? []).some((word) => !shown.has(word)));

  test("every member of every request's body and URL", () => {
    expect(operations.length).toBe(ROUTE_TABLE.length);
    const missing = operations.flatMap(({ route, operation: { parameters = [], requestBody } }) => {
      const ofUrl = parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name);
      const ofBody = memberNames(requestBody?.content);
      return withoutMention([...ofUrl, ...ofBody]).map((name) => `${route}: ${name}`);
    });
    expect(missing).toEqual([]);
  });

  test("every member of every answer", () => {
    const answered = operations.map(({ route, operation: { responses } }) => ({
      route,
      names: [...new Set(memberNames(resolved(responses, description)))],
    }));
    expect(answered.filter(({ names }) => names.length > 5).length).toBeGreaterThan(30);
    const missing = answered.flatMap(({ route, names }) =>
      withoutMention(names).map((name) => `${route}: ${name}`),
    );
    expect(missing).toEqual([]);
  });
});

/** What stands between backticks and in fences. */
function codeOf(page: Page): readonly string[] {
  const inProse = [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...page.blocks.map(({ text }) => text), ...inProse];
}

/** A part of the description with what it refers to put in its place. */
function resolved(part: unknown, description: Description, within: readonly string[] = []): unknown {
  if (typeof part !== "object" || part === null) return part;
  const { $ref: reference } = part as { readonly $ref?: string };
  if (typeof reference === "string") {
    const names = reference.split("/").slice(1);
    const target = names.reduce<unknown>(
      (found, name) => (found as Record<string, unknown>)[name],
      description,
    );
    return within.includes(reference) ? {} : resolved(target, description, [...within, reference]);
  }
  const members = Object.entries(part).map(([name, value]) => [name, resolved(value, description, within)]);
  return Array.isArray(part) ? members.map(([, value]) => value) : Object.fromEntries(members);
}

/** What is read of docs/openapi.json. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: unknown };
  readonly responses: unknown;
}

/** The names of members at any depth of a schema. */
function memberNames(schema: unknown): readonly string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const isMembers = schema === searchBodyMembers || schema === SEARCH_EXTENSION_MEMBERS;
  const own = isMembers ? schema : ((schema as { properties?: object }).properties ?? {});
  return [...Object.keys(own), ...Object.values(schema).flatMap(memberNames)];
}
