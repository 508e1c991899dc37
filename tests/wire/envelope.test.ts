// Contract 1.4, 1.5: one envelope for successes, one for errors, on every route of the table.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_TABLE, type RouteRow } from "../../src/contract/route-table.js";
import { departures } from "./documented-shape.js";
import { expectErrorEnvelope } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
let documentId = "";
let accessKey = "";
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

/** Contract 1.4, by hand: the routes of this server whose members are repeated at the top level. */
const MIRRORED = [
  "GET /index/:index_name/capabilities",
  "GET /index/:index_name/documents/:document_id",
  "GET /index/:index_name/synonyms",
  "GET /federation/:federation_name",
  "GET /federation/:federation_name/stats",
  "GET /measure/status",
  "GET /measure/dashboard/summary",
  "GET /measure/dashboard/conversion",
  "GET /measure/dashboard/usage",
  "POST /auth/key",
  "GET /auth/key/:key",
  "POST /auth/key/:key",
];

const EVENT = {
  event_name: "x",
  properties: { searchcraft_index_names: ["books"] },
  user: { user_id: "u" },
};

/** A body with which the route succeeds. */
function bodyOf(row: RouteRow): unknown {
  const fields = { id: { type: "text" }, title: { type: "text" } };
  switch (row.operationId) {
    case "createIndex":
      return { index: { name: `made-${Math.random()}`.replace(".", ""), fields } };
    case "replaceIndex":
      return { index: { fields } };
    case "patchIndex":
    case "patchIndexSettings":
      return {};
    case "patchIndexFields":
      return { colour: { type: "text" } };
    case "addDocuments":
      return [{ id: "1" }];
    case "deleteDocumentsByField":
      return { id: "1" };
    case "deleteDocumentsByQuery":
      return { query: { exact: { ctx: "*" } } };
    case "addSynonyms":
    case "deleteSynonyms":
      return ["ny:new york"];
    case "addStopwords":
    case "deleteStopwords":
      return ["gmbh"];
    case "createFederation":
      return { name: "library", index_configurations: [{ name: "books" }] };
    case "replaceFederation":
      return { index_configurations: [{ name: "books" }] };
    case "searchIndex":
    case "searchFederation":
    case "summarizeSearch":
      return { query: "x" };
    case "summarizeSearchAsText":
      return { indexName: "books", searchQuery: { query: "x" } };
    case "recordMeasureEvent":
      return EVENT;
    case "recordMeasureBatch":
      return [EVENT];
    case "createKey":
      return { permissions: 1, name: "n" };
    case "updateKey":
      return { name: "m" };
    default:
      return undefined;
  }
}

/** Everything that a route may touch, made anew, so that any route can run. */
async function prepare(): Promise<void> {
  await server.delete("/index/books");
  // Nothing is found in it that a model would have to be asked about.
  await server.createIndex("books", {
    ai_enabled: true,
    ai: { llm_provider: "ollama", search_summary: { model: "m" } },
  });
  await server.post("/index/books/synonyms", ["lotr:lord of the rings"]);
  [documentId = ""] = await server.addCommitted("books", [{ id: "1", title: "T" }]);
  await server.post("/federation", { name: "library", index_configurations: [{ name: "books" }] });
  accessKey = (await server.post("/auth/key", { permissions: 1, name: "k" })).json.data.key;
}

function pathOf(row: RouteRow): string {
  return row.path
    .replace(":index_name", "books")
    .replace(":federation_name", "library")
    .replace("/auth/index/:name", "/auth/index/books")
    .replace("/auth/federation/:name", "/auth/federation/library")
    .replace(":document_id", documentId)
    .replace(":key", accessKey)
    .replace(":permission", "1")
    .replace(":id", "1")
    .replace(/suggest$/, "suggest?q=x");
}

const named = (rows: readonly RouteRow[]) => rows.map((row) => [`${row.method} ${row.path}`, row] as const);

/**
 * MCP's answers are its own; the others need what this server hasn't got, a code, a place for backups, a primary key or
 * an alias, and have tests of their own.
 */
const ELSEWHERE: readonly string[] = [
  "callMcp",
  "signInWithCode",
  "listBackups",
  "createBackup",
  "verifyBackup",
  "restoreIndex",
  "updateDocuments",
  "getDocumentByKey",
  "deleteDocumentByKey",
  "putAlias",
  "deleteAlias",
  "swapAliases",
];
const enveloped = ROUTE_TABLE.filter(({ operationId }) => !ELSEWHERE.includes(operationId));

describe.each(named(enveloped))("%s", (name, row) => {
  test("succeeds as {status: 200, data}, with mirrored members exactly where the table says", async () => {
    await prepare();
    const answer = await server.send(row.method, pathOf(row), {
      key: "admin-key-of-the-tests",
      body: bodyOf(row),
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers["content-type"]).toBe(`${row.answerType ?? "application/json"}; charset=utf-8`);
    if (row.answerType !== undefined) return;
    const { status, data, ...mirrored } = answer.json;
    expect(status).toBe(200);
    expect(data).toBeDefined();
    const members = Object.entries(MIRRORED.includes(name) ? data : {});
    const expected = members.filter(([member]) => !["status", "data", "message", "error"].includes(member));
    expect(mirrored).toEqual(Object.fromEntries(expected));
    expect(expected.length > 0).toBe(MIRRORED.includes(name));
    expect(departures(row.answer, data)).toEqual([]);
  });
});

test.each(named(ROUTE_TABLE.filter((row) => row.access.kind !== "public")))(
  "%s fails in the error envelope",
  async (_name, row) => {
    expectErrorEnvelope(await server.send(row.method, pathOf(row)));
  },
);

test.each(named(ROUTE_TABLE.filter((row) => row.method === "GET")))(
  "HEAD in place of %s has the same status and type, and no body",
  async (_name, row) => {
    await prepare();
    const get = await server.get(pathOf(row));
    const head = await server.send("HEAD", pathOf(row), { key: "admin-key-of-the-tests" });
    expect([head.status, head.text]).toEqual([get.status, ""]);
    expect(head.headers["content-type"]).toBe(get.headers["content-type"]);
  },
);

test("every answer names its request", async () => {
  const ids = await Promise.all(
    ["/healthcheck", "/nothing", "/index/%zz"].map(
      async (path) => (await server.get(path)).headers["x-request-id"],
    ),
  );
  expect(new Set(ids).size).toBe(3);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-z]+$/);
});
