// What a key may do by an alias, while that is swapped, deleted and made anew: in searches, by primary key and in federations.
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

const NAMES = ["v1", "v2", "v3"] as const;

let server: WireServer;
/** Keys by the one name that they have in scope. */
const keys = new Map<string, string>();
beforeAll(async () => {
  server = await WireServer.start();
  for (const name of NAMES) {
    const fields = { sku: { type: "text" }, title: { type: "text" } };
    expect((await server.post("/index", { index: { name, fields, primary_key: "sku" } })).status).toBe(200);
    await server.addCommitted(name, [{ sku: "a", title: `of ${name}` }]);
  }
  for (const name of [...NAMES, "a", "b"]) {
    const answer = await server.post("/auth/key", { permissions: 31, allowed_indexes: [name] });
    expect(answer.status, answer.text).toBe(200);
    keys.set(name, answer.json.data.key);
  }
});
afterAll(() => server.stopAndRemove());

async function put(alias: string, index: string): Promise<void> {
  const answer = await server.put(`/alias/${alias}`, { index });
  expect(answer.status, answer.text).toBe(200);
}

/** Which index answers a search and a read by primary key for each key, or why none does. */
async function seen(alias: string, scope: string): Promise<string> {
  const key = keys.get(scope)!;
  const search = await server.post(`/index/${alias}/search`, { query: { exact: { ctx: "*" } } }, key);
  const read = await server.get(`/index/${alias}/documents/by-key/a`, key);
  expect(read.status).toBe(search.status);
  if (search.status !== 200) return search.json.data.code as string;
  expect(read.json.data.source_index).toBe(search.json.data.hits[0].source_index);
  expect(read.json.data.title).toBe(`of ${read.json.data.source_index}`);
  return read.json.data.source_index as string;
}

test("two aliases change places in one request, and keys go with them", async () => {
  await put("a", "v1");
  await put("b", "v2");
  expect(await seen("a", "a")).toBe("v1");
  expect(await seen("a", "v1")).toBe("v1");
  expect(await seen("a", "v2")).toBe("index_not_allowed");
  for (const [first, second] of [
    ["v2", "v1"],
    ["v1", "v2"],
    ["v2", "v1"],
  ] as const) {
    const body = [
      { alias: "a", index: first },
      { alias: "b", index: second },
    ];
    expect((await server.post("/alias/swap", body)).status).toBe(200);
    expect([await seen("a", "a"), await seen("b", "b")]).toEqual([first, second]);
    expect([await seen("a", first), await seen("b", second)]).toEqual([first, second]);
    expect([await seen("a", second), await seen("b", first)]).toEqual([
      "index_not_allowed",
      "index_not_allowed",
    ]);
    expect(await seen(first, "a")).toBe("index_not_allowed");
  }
  const chain = [
    { alias: "a", index: "v3" },
    { alias: "b", index: "v2" },
  ];
  expect((await server.post("/alias/swap", chain)).status).toBe(200);
  expect([await seen("a", "a"), await seen("b", "b"), await seen("b", "v2")]).toEqual(["v3", "v2", "v2"]);
});

test("one that is deleted and made anew, or becomes an index, gives no more than it did", async () => {
  await put("a", "v1");
  const fields = { sku: { type: "text" }, title: { type: "text" } };
  const draft = { index: { name: "a", fields, primary_key: "sku" } };
  expectError(await server.post("/index", draft), 400);
  expect((await server.delete("/alias/a")).status).toBe(200);
  expect(await seen("a", "a")).toBe("index_not_found");
  expect(await seen("a", "v1")).toMatch(/^index_not_(?:allowed|found)$/);
  await put("a", "v2");
  expect([await seen("a", "a"), await seen("a", "v2")]).toEqual(["v2", "v2"]);
  expect(await seen("a", "v1")).toBe("index_not_allowed");
  await server.delete("/alias/a");
  expect((await server.post("/index", draft)).status).toBe(200);
  await server.addCommitted("a", [{ sku: "a", title: "of a" }]);
  expect([await seen("a", "a"), await seen("a", "v2")]).toEqual(["a", "index_not_allowed"]);
  expectError(await server.put("/alias/a", { index: "v1" }), 409, "alias_conflict");
  expect((await server.delete("/index/a")).status).toBe(200);
});

test("a federation's member by an alias is the index of the moment, and writes by it go there", async () => {
  await put("b", "v1");
  const federation = { name: "all", index_configurations: [{ name: "b" }, { name: "v3" }] };
  expect((await server.post("/federation", federation)).status).toBe(200);
  const sources = async (): Promise<string[]> => {
    const { json } = await server.post("/federation/all/search", { query: { exact: { ctx: "*" } } });
    return json.data.hits.map(({ source_index }: { source_index: string }) => source_index).sort();
  };
  expect(await sources()).toEqual(["v1", "v3"]);
  await put("b", "v2");
  expect(await sources()).toEqual(["v2", "v3"]);
  const changed = await server.patch(
    "/index/b/documents",
    [{ sku: "a", title: "of v2, changed" }],
    keys.get("b"),
  );
  expect(changed.status, changed.text).toBe(200);
  expect((await server.post("/index/b/commit", undefined, keys.get("b"))).status).toBe(200);
  expect((await server.get("/index/v2/documents/by-key/a")).json.data.title).toBe("of v2, changed");
  expect((await server.get("/index/v1/documents/by-key/a")).json.data.title).toBe("of v1");
});
