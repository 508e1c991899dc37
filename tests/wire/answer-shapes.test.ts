// Specification, "Resources and their fields" and "Endpoints", and contract 3: every member of every answer
// that clients read, by name, type and presence, in answers that are as full as they can be; and the
// OpenAPI document says the same.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { departures } from "./documented-shape.js";
import { ADMIN, INGEST, type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
let openApi: ParsedJson;
let ids: readonly string[] = [];

const DOCUMENTS = [
  {
    id: "1",
    title: "Human World",
    tags: ["a"],
    kind: ["/fiction/space", "/news"],
    single: "/only/one",
    on: false,
    count: 0,
    big: "18446744073709551615",
    offset: -3,
    rating: 1.5,
    at: "2024-01-02T03:04:05Z",
    fine: "2024-01-02T03:04:05.123456789Z",
    raw: { deep: [null, {}] },
    blob: "aGk=",
  },
  { id: "2", title: "Human" },
];

beforeAll(async () => {
  server = await WireServer.start();
  openApi = (await server.send("GET", "/openapi.json")).json;
  await server.createIndex("full", {
    fields: {
      id: { type: "text" },
      title: { type: "text" },
      tags: { type: "text", multi: true },
      kind: { type: "facet", multi: true },
      single: { type: "facet" },
      on: { type: "bool" },
      count: { type: "u64" },
      big: { type: "u64" },
      offset: { type: "i64" },
      rating: { type: "f64" },
      at: { type: "datetime" },
      fine: { type: "datetime", precision: "nanoseconds" },
      raw: { type: "json" },
      blob: { type: "bytes" },
      secret: { type: "text", stored: false },
    },
    weight_multipliers: { title: 2 },
    language: "en",
    time_decay_field: "at",
    ingestion: { any: 1 },
    ai_enabled: true,
    ai: { llm_provider: "ollama", llm_base_url: "http://localhost:11434", search_summary: { model: "m" } },
  });
  await server.createIndex("plain");
  ids = await server.addCommitted("full", DOCUMENTS);
});
afterAll(() => server.stopAndRemove());

/** The answer's `data`, once it is a success that fits what is documented for the route. */
async function dataOf(
  operation: readonly [method: string, path: string],
  answering: Promise<WireAnswer>,
): Promise<ParsedJson> {
  const answer = await answering;
  expect(answer.status, answer.text).toBe(200);
  const [method, path] = operation;
  const response = openApi.paths[path][method.toLowerCase()].responses["200"];
  expect(departures(response.content["application/json"].schema, answer.json)).toEqual([]);
  return answer.json.data;
}

/** Member names and the types of their values; arrays by their elements. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shapeOf(member)]));
}

describe("search", () => {
  const operation = ["POST", "/index/{index_name}/search"] as const;
  const search = (body: object, index = "full") =>
    dataOf(operation, server.post(`/index/${index}/search`, body, READ));

  test("hits, count, time_taken and facets; a hit has doc, document_id, score and source_index", async () => {
    const data = await search({ query: { exact: { ctx: "human" } } });
    expect(Object.keys(data)).toEqual(["hits", "count", "time_taken", "facets"]);
    expect(Object.keys(data.hits[0])).toEqual(["doc", "document_id", "score", "source_index"]);
    expect(shapeOf({ ...data, hits: [] })).toEqual({
      hits: [],
      count: "number",
      time_taken: "number",
      facets: [
        {
          kind: [
            { path: "string", count: "number", children: [{ path: "string", count: "number" }] },
            { path: "string", count: "number" },
          ],
        },
        { single: [{ path: "string", count: "number", children: [{ path: "string", count: "number" }] }] },
      ],
    });
    expect(Number.isInteger(data.count)).toBe(true);
    for (const hit of data.hits) {
      expect(shapeOf({ ...hit, doc: {} })).toEqual({
        doc: {},
        document_id: "string",
        score: "number",
        source_index: "string",
      });
    }
  });

  test("doc: values in their types, multi fields as arrays, absent ones left out, _id not inside", async () => {
    const { hits } = await search({ query: { exact: { ctx: "*" } }, order_by: "id", sort: "asc" });
    expect(hits.map((hit: ParsedJson) => hit.doc)).toEqual(DOCUMENTS);
    expect(hits.map((hit: ParsedJson) => hit.document_id)).toEqual(ids);
  });

  test("a multi field with one value is an array, also for facets", async () => {
    await server.createIndex("one", {
      fields: { kind: { type: "facet", multi: true }, n: { type: "f64", multi: true } },
    });
    await server.addCommitted("one", [{ kind: "/a", n: 1 }]);
    expect((await search({ query: { exact: { ctx: "*" } } }, "one")).hits[0].doc).toEqual({
      kind: ["/a"],
      n: [1],
    });
  });

  test("without facet fields there is no facets member; order_by gives scores of 1", async () => {
    expect(Object.keys(await search({ query: "x" }, "plain"))).toEqual(["hits", "count", "time_taken"]);
    const { hits } = await search({ query: { exact: { ctx: "*" } }, order_by: "title" });
    expect(hits.map((hit: ParsedJson) => hit.score)).toEqual([1, 1]);
  });
});

describe("documents", () => {
  test("GET: the stored fields, and doc, document_id, score, source_index, mirrored", async () => {
    const operation = ["GET", "/index/{index_name}/documents/{document_id}"] as const;
    const answer = await server.get(`/index/full/documents/${ids[0]}`, INGEST);
    const data = await dataOf(operation, Promise.resolve(answer));
    const hit = { doc: DOCUMENTS[0], document_id: ids[0], score: 1, source_index: "full" };
    expect(data).toEqual({ ...DOCUMENTS[0], ...hit });
    expect(answer.json).toEqual({ ...data, status: 200, data });
  });

  test("POST: success, detail, num_added, ids, ignored_fields only if there are any", async () => {
    const operation = ["POST", "/index/{index_name}/documents"] as const;
    const add = (body: unknown) => dataOf(operation, server.post("/index/plain/documents", body, INGEST));
    expect(shapeOf(await add([{ id: "1" }, { id: "2" }]))).toEqual({
      success: "boolean",
      detail: "string",
      num_added: "number",
      ids: ["string", "string"],
    });
    expect(Object.keys(await add({ id: "1", x: 1 }))).toEqual([
      "success",
      "detail",
      "num_added",
      "ids",
      "ignored_fields",
    ]);
    await server.post("/index/plain/rollback");
  });

  test("DELETE: success, detail, num_removed, in all four forms", async () => {
    const [id] = await server.addCommitted("plain", [{ id: "9" }]);
    for (const [path, real, body] of [
      ["", "", { id: "none" }],
      ["/query", "/query", { query: { exact: { ctx: "id:none" } } }],
      ["/{document_id}", `/${id}`, undefined],
      ["/all", "/all", undefined],
    ] as const) {
      const operation = ["DELETE", `/index/{index_name}/documents${path}`] as const;
      const data = await dataOf(operation, server.delete(`/index/plain/documents${real}`, body, INGEST));
      expect(shapeOf(data)).toEqual({ success: "boolean", detail: "string", num_removed: "number" });
      expect(data.success).toBe(true);
    }
    await server.post("/index/plain/commit");
  });
});

describe("indexes", () => {
  test("GET: every setting, for those who may see it", async () => {
    const operation = ["GET", "/index/{index_name}"] as const;
    const data = await dataOf(operation, server.get("/index/full", ADMIN));
    expect(Object.keys(data).toSorted()).toEqual([
      "ai",
      "ai_enabled",
      "auto_commit_delay",
      "enable_language_stemming",
      "exclude_stop_words",
      "fields",
      "ingestion",
      "language",
      "name",
      "search_fields",
      "time_decay_field",
      "weight_multipliers",
    ]);
    expect(shapeOf({ ...data, fields: {}, ai: {} })).toMatchObject({
      name: "string",
      auto_commit_delay: "number",
      enable_language_stemming: "boolean",
      exclude_stop_words: "boolean",
      language: "string",
      time_decay_field: "string",
      weight_multipliers: { title: "number" },
      ai_enabled: "boolean",
    });
    const { ai_enabled: _, ...seen } = data;
    expect(await dataOf(operation, server.get("/index/full", INGEST))).toEqual(seen);
  });

  test("lists and statistics", async () => {
    expect(await dataOf(["GET", "/index"], server.get("/index", READ))).toEqual({
      index_names: expect.arrayContaining(["full", "plain"]),
    });
    const stats = await dataOf(["GET", "/index/stats"], server.get("/index/stats", READ));
    expect(Object.keys(stats)).toEqual(["index_count", "indices", "total_document_count"]);
    expect(stats.indices).toContainEqual({ full: { document_count: 2 } });
    expect(
      await dataOf(["GET", "/index/{index_name}/stats"], server.get("/index/full/stats", INGEST)),
    ).toEqual({
      document_count: 2,
    });
  });
});

test("keys: every member that was given, and no other", async () => {
  const body = {
    name: "n",
    permissions: 1,
    allowed_indexes: ["full"],
    status: "inactive",
    organization_id: "12",
    organization_name: "o",
    application_id: "app",
    application_name: "a",
    federation_name: "f",
  };
  const made = await dataOf(["POST", "/auth/key"], server.post("/auth/key", body));
  expect(made).toEqual({
    ...body,
    key: expect.stringMatching(/^[A-Za-z0-9]{40}$/),
    id: expect.stringMatching(/^[0-9a-f]{16}$/),
    organization_id: 12,
  });
  expect(await dataOf(["GET", "/auth/key/{key}"], server.get(`/auth/key/${made.key}`))).toEqual(made);
  expect(await dataOf(["GET", "/auth/key"], server.get("/auth/key"))).toEqual([made]);
  expect(await dataOf(["GET", "/auth/organization/{id}"], server.get("/auth/organization/12"))).toEqual([
    made,
  ]);
  expect(await dataOf(["GET", "/auth/application/{id}"], server.get("/auth/application/app"))).toEqual([
    made,
  ]);
  expect(await dataOf(["GET", "/auth/index/{index_name}"], server.get("/auth/index/full"))).toEqual([made]);
  const updated = await dataOf(
    ["POST", "/auth/key/{key}"],
    server.post(`/auth/key/${made.key}`, { status: "active" }),
  );
  expect(updated).toEqual({ ...made, status: "active" });
});

test("what is answered with a sentence is a string", async () => {
  const sentences: readonly (readonly [string, string, Promise<WireAnswer>])[] = [
    ["GET", "/healthcheck", server.send("GET", "/healthcheck")],
    ["POST", "/index", server.post("/index", { index: { name: "brief", fields: { id: { type: "text" } } } })],
    ["PATCH", "/index/{index_name}", server.patch("/index/plain", {})],
    ["POST", "/index/{index_name}/commit", server.post("/index/plain/commit")],
    ["POST", "/index/{index_name}/rollback", server.post("/index/plain/rollback")],
    ["GET", "/auth/key/check/{permission}", server.get("/auth/key/check/1")],
  ];
  for (const [method, path, answer] of sentences)
    expect(typeof (await dataOf([method, path], answer))).toBe("string");
});

test("errors fit the documented envelope, with and without details", async () => {
  const { schema } = {
    schema: openApi.components.schemas.error ?? Object.values(openApi.components.schemas)[0],
  };
  for (const answer of [
    await server.get("/index/none"),
    await server.send("GET", "/index"),
    await server.post("/index/full/documents", [{ rating: "x" }, { at: "y" }]),
    await server.post("/index/full/search", { query: { exact: { ctx: "a AND" } } }),
    await server.post("/index", { index: { name: "x", fields: { a: { type: "txt" } } } }),
  ]) {
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(departures(schema, answer.json)).toEqual([]);
  }
});
