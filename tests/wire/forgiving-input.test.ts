// What people and programs send that isn't quite right, and is taken for what it was meant to be, or named.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  const fields = {
    id: { type: "text" },
    title: { type: "text" },
    kind: { type: "facet" },
    count: { type: "u64", indexed: true, fast: true },
    at: { type: "datetime", indexed: true },
    sold: { type: "bool", indexed: true },
  };
  await server.post("/index", { index: { name: "things", fields } });
  await server.addCommitted("things", [
    {
      id: "a,b",
      title: '5" pipe, red shoes',
      kind: "/a,b",
      count: 1,
      at: "2016-12-31T23:59:60Z",
      sold: true,
    },
    { id: "2", title: "shoes that are red", kind: "/c", count: 2, at: "2024-01-01", sold: false },
    { id: "O’Neill", title: "O’Neill jacket", kind: "/d", count: 3 },
  ]);
});
afterAll(() => server.stopAndRemove());

const search = (body: object): Promise<WireAnswer> => server.post("/index/things/search", body);
const exactIds = (ctx: string): Promise<readonly unknown[]> => server.idsOf("things", ctx);

test.each([
  ["“red shoes”", ["a,b"]],
  ["„red shoes“", ["a,b"]],
  ["‘red shoes’", ["a,b"]],
  ["title:“red shoes” AND sold:true", ["a,b"]],
  ['"5" pipe"', ["a,b"]],
  ["id:O’Neill", ["O’Neill"]],
  ["title:IN [pipe,jacket]", ["a,b", "O’Neill"]],
  ["count:IN [1,3]", ["a,b", "O’Neill"]],
  ["at:IN [2017-01-01,2024-01-01T00:00:00Z]", ["a,b", "2"]],
  ["sold:IN [true,false]", ["a,b", "2"]],
  ["kind:IN [/a,b /c]", ["a,b", "2"]],
  ["id:IN [a,b]", ["a,b"]],
  ["at:2016-12-31T23:59:60Z", ["a,b"]],
])("%s", async (ctx, ids) => {
  expect((await exactIds(ctx)).toSorted()).toEqual(ids.toSorted());
});

test("half a surrogate pair in a query is a character that nothing holds; in a document it is refused", async () => {
  const body = '{"query":{"fuzzy":{"ctx":"shoes \\ud83d"}}}';
  const headers = { "content-type": "application/json" };
  for (const pad of ["", " ".repeat(20_000)]) {
    const answer = await server.send("POST", "/index/things/search", {
      key: ADMIN,
      body: body + pad,
      headers,
    });
    expect(answer.json.data.count).toBe(2);
  }
  const query = '{"query":{"exact":{"ctx":"shoes \\ud83d"}}}';
  const removed = await server.send("DELETE", "/index/things/documents/query", {
    key: ADMIN,
    body: query,
    headers,
  });
  expectError(removed, 400, "invalid_json");
});

test("members of a search that mean nothing are named, whichever way it comes in and however often", async () => {
  const body = { query: "shoes", limt: 1, facets: { kind: { siez: 1 } } };
  for (let i = 0; i < 4; i++) {
    const { data } = (await search(body)).json;
    expect(data.hits).toHaveLength(2);
    expect(data.ignored_members).toEqual([
      { name: "limt", nearest: "limit" },
      { name: "siez", nearest: "size", path: "facets.kind.siez" },
    ]);
  }
  expect((await search({ ...body, cursor: true, limit: 1 })).json.data.ignored_members).toHaveLength(2);
  expect((await search({ query: "shoes" })).json.data).not.toHaveProperty("ignored_members");
});

test("a document of which nothing is kept is refused with the name that was meant", async () => {
  const answer = await server.post("/index/things/documents", [{ titel: "x" }]);
  expectError(answer, 400, "invalid_document");
  expect(answer.json.message).toContain("did you mean 'title'?");
  expectError(await server.post("/index/things/documents", {}), 400, "invalid_document");
});

test("identifiers and facet paths that look the same are the same, composed or not", async () => {
  const fields = { id: { type: "text" }, kind: { type: "facet" } };
  await server.post("/index", { index: { name: "accents", fields } });
  await server.addCommitted("accents", [
    { id: "\u00e9clair", kind: "/caf\u00e9/x" },
    { id: "e\u0301table", kind: "cafe\u0301" },
  ]);
  for (const accent of ["\u00e9", "e\u0301"]) {
    expect(await server.idsOf("accents", `id:${accent}clair`)).toEqual(["\u00e9clair"]);
    expect(await server.idsOf("accents", `id:IN [${accent}table]`)).toEqual(["e\u0301table"]);
    expect(await server.idsOf("accents", `id:${accent}*`)).toHaveLength(2);
    expect(await server.idsOf("accents", `kind:caf${accent}`)).toHaveLength(2);
    expect(await server.idsOf("accents", `kind:IN [/caf${accent}/x]`)).toHaveLength(1);
  }
  const { data } = (await server.post("/index/accents/search", { query: { exact: { ctx: "*" } } })).json;
  expect(data.facets).toEqual([
    { kind: [{ path: "/caf\u00e9", count: 2, children: [{ path: "/caf\u00e9/x", count: 1 }] }] },
  ]);
});

describe("keys", () => {
  test("a delete that names an empty key deletes none", async () => {
    await server.post("/auth/key", { allowed_indexes: ["things"], permissions: 1 });
    for (const path of ["/auth/key/", "/auth/key/?x=1", "/auth/key//"]) {
      expectError(await server.delete(path), 404, "not_found");
    }
    expect((await server.get("/auth/key/")).json.data).toHaveLength(1);
    expect((await server.delete("/auth/key")).status).toBe(200);
    expect((await server.get("/auth/key")).json.data).toHaveLength(0);
  });
});

describe("federations", () => {
  test("that name a deleted index are put back as they were read", async () => {
    await server.post("/index", { index: { name: "gone", fields: { id: { type: "text" } } } });
    const members = [{ name: "things" }, { name: "gone", weight_multiplier: 2 }];
    await server.post("/federation", { name: "both", index_configurations: members });
    await server.delete("/index/gone");
    const { data } = (await server.get("/federation/both")).json;
    const put = await server.put("/federation/both", data);
    expect(put.status, put.text).toBe(200);
    expect((await server.get("/federation/both")).json.data.index_configurations).toEqual(
      data.index_configurations,
    );
    const other = [{ name: "things" }, { name: "never" }];
    expectError(
      await server.put("/federation/both", { ...data, index_configurations: other }),
      400,
      "invalid_federation",
    );
  });

  test("say which indexes an order leaves out", async () => {
    const fields = { id: { type: "text" }, title: { type: "text" }, count: { type: "datetime", fast: true } };
    await server.post("/index", { index: { name: "dated", fields } });
    await server.addCommitted("dated", [{ id: "d", title: "shoes", count: "2024-01-01" }]);
    const members = [{ name: "things" }, { name: "dated" }];
    await server.post("/federation", { name: "mixed", index_configurations: members });
    const ordered = { query: "shoes", order_by: "count" };
    const { data } = (await server.post("/federation/mixed/search", ordered)).json;
    expect(data.count).toBe(2);
    expect(data.left_out).toEqual([
      { index: "dated", reason: expect.stringContaining("datetime here and of number elsewhere") },
    ]);
    const plain = (await server.post("/federation/mixed/search", { query: "shoes" })).json.data;
    expect(plain.count).toBe(3);
    expect(plain).not.toHaveProperty("left_out");
  });
});

test("minutes without dates are those of the last day", async () => {
  const { status, json } = await server.get("/measure/dashboard/summary?granularity=minutes");
  expect(status).toBe(200);
  expect(json.data).toMatchObject({
    daily_active_users: expect.any(Number),
    monthly_active_users: expect.any(Number),
    searches_chart: { series: [{ data: expect.any(Array) }] },
  });
});
