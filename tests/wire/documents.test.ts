// Contract 3.3, 4.3: documents in and out.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, WireServer } from "./wire-server.js";

let server: WireServer;
let name = "";
let count = 0;
beforeAll(async () => {
  server = await WireServer.start({ documentsPerRequest: 50 });
});
afterAll(() => server.stopAndRemove());

async function freshIndex(fields: Record<string, unknown> = {}): Promise<string> {
  name = `documents-${++count}`;
  await server.createIndex(name, { fields: { id: { type: "text" }, title: { type: "text" }, ...fields } });
  return name;
}

const add = (body: unknown) => server.post(`/index/${name}/documents`, body);

describe("adding", () => {
  test("answers success, a sentence, the number and the new internal ids in order", async () => {
    await freshIndex();
    const answer = await add([{ id: "1" }, { id: "2" }]);
    expect(answer.json).toEqual({
      status: 200,
      data: {
        success: true,
        detail: "changes accepted; commit or roll back to finish",
        num_added: 2,
        ids: [expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)],
      },
    });
    await server.post(`/index/${name}/commit`);
    for (const [index, id] of answer.json.data.ids.entries()) {
      expect((await server.get(`/index/${name}/documents/${id}`)).json.id).toBe(String(index + 1));
    }
  });

  test("takes one object in place of an array", async () => {
    await freshIndex();
    expect((await add({ id: "1" })).json.data.num_added).toBe(1);
  });

  test("always adds: an equal source id replaces nothing", async () => {
    await freshIndex();
    await server.addCommitted(name, [{ id: "1" }, { id: "1" }]);
    await server.addCommitted(name, [{ id: "1" }]);
    expect(await server.idsOf(name, "id:1")).toEqual(["1", "1", "1"]);
  });

  test("drops members that the schema does not have, a supplied _id too, and names at most 20", async () => {
    await freshIndex();
    const { data } = (await add({ id: "1", color: "red", size: 3, toString: 1 })).json;
    expect(data.ignored_fields.toSorted()).toEqual(["color", "size", "toString"]);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`m${index}`, index]));
    expect((await add({ id: "2", ...many })).json.data.ignored_fields).toHaveLength(20);
    const withId = (await add({ _id: "f".repeat(32), id: "own" })).json.data;
    expect(withId.ids).not.toContain("f".repeat(32));
    await server.post(`/index/${name}/commit`);
    const read = (await server.get(`/index/${name}/documents/${withId.ids[0]}`)).json.data;
    expect(read.doc).toEqual({ id: "own" });
  });

  test("is all or nothing, and names the first problem and every place", async () => {
    await freshIndex({ rating: { type: "f64" } });
    const answer = await add([
      { id: "1" },
      { id: "2" },
      { id: "3" },
      { id: "4", rating: "good" },
      { id: "5" },
    ]);
    expectError(answer, 400, "invalid_document");
    expect(answer.json.message).toContain("[3].rating");
    expect(answer.json.data).not.toHaveProperty("details");
    expect(answer.json.data.errors[0].path).toBe("[3].rating");
    await server.post(`/index/${name}/commit`);
    expect(await server.idsOf(name, "*")).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["an empty array", []],
    ["a string", "text"],
    ["a number", 7],
    ["an array of numbers", [1]],
    ["an array with null", [{ id: "1" }, null]],
    ["an array in an array", [[{ id: "1" }]]],
    ["more documents than the limit", Array.from({ length: 51 }, () => ({ id: "1" }))],
  ])("refuses %s", async (_case, body) => {
    await freshIndex();
    expectError(
      await server.send("POST", `/index/${name}/documents`, { key: ADMIN, body: JSON.stringify(body) }),
      400,
    );
  });

  test("a required field must have a value", async () => {
    await freshIndex({ needed: { type: "text", required: true } });
    for (const document of [{}, { needed: null }])
      expectError(await add([document]), 400, "invalid_document");
    expect((await add([{ needed: "here" }])).status).toBe(200);
  });
});

describe("values (4.3): what goes in and what comes back", () => {
  const cases: readonly (readonly [object, unknown, unknown])[] = [
    [{ type: "text" }, "Text", "Text"],
    [{ type: "text" }, 5, "5"],
    [{ type: "text" }, true, "true"],
    [{ type: "facet" }, "a/b/", "/a/b"],
    [{ type: "facet" }, "/a", "/a"],
    [{ type: "bool" }, "true", true],
    [{ type: "bool" }, false, false],
    [{ type: "u64" }, 3, 3],
    [{ type: "u64" }, "12", 12],
    [{ type: "u64" }, "18446744073709551615", "18446744073709551615"],
    [{ type: "i64" }, -3, -3],
    [{ type: "i64" }, "-9223372036854775808", "-9223372036854775808"],
    [{ type: "f64" }, 9, 9],
    [{ type: "f64" }, "1.0", 1],
    [{ type: "datetime" }, "2024-05-06T07:08:09+02:00", "2024-05-06T05:08:09Z"],
    [{ type: "datetime" }, "2024-05-06", "2024-05-06T00:00:00Z"],
    [{ type: "datetime" }, 0, "1970-01-01T00:00:00Z"],
    [
      { type: "datetime", precision: "milliseconds" },
      "2024-05-06T07:08:09.1239Z",
      "2024-05-06T07:08:09.123Z",
    ],
    [{ type: "text", multi: true }, "one", ["one"]],
    [{ type: "text", multi: true }, ["one", "two"], ["one", "two"]],
    [{ type: "u64", multi: true }, [3, "4"], [3, 4]],
    [{ type: "text" }, ["one"], "one"],
    [{ type: "text", multi: true }, [], undefined],
    [{ type: "text" }, null, undefined],
    [{ type: "json" }, { deep: [1, { x: null }] }, { deep: [1, { x: null }] }],
    [{ type: "bytes" }, "aGVsbG8=", "aGVsbG8="],
    [{ type: "text", stored: false }, "hidden", undefined],
  ];

  test.each(cases)("%j: %j comes back as %j", async (field, value, stored) => {
    await freshIndex({ v: field });
    const [id] = await server.addCommitted(name, [{ id: "1", v: value }]);
    const { doc } = (await server.get(`/index/${name}/documents/${id}`)).json.data;
    expect(doc).toEqual(stored === undefined ? { id: "1" } : { id: "1", v: stored });
  });

  test.each<[object, unknown]>([
    [{ type: "text" }, { a: 1 }],
    [{ type: "text" }, ["one", "two"]],
    [{ type: "text" }, "x".repeat(1024 * 1024 + 1)],
    [{ type: "facet" }, "a//b"],
    [{ type: "facet" }, ""],
    [{ type: "facet" }, 5],
    [{ type: "bool" }, "yes"],
    [{ type: "bool" }, 1],
    [{ type: "u64" }, -1],
    [{ type: "u64" }, 1.5],
    [{ type: "u64" }, 2 ** 64],
    [{ type: "u64" }, 1e21],
    [{ type: "u64" }, "18446744073709551616"],
    [{ type: "u64" }, true],
    [{ type: "i64" }, "9223372036854775808"],
    [{ type: "f64" }, "NaN"],
    [{ type: "f64" }, "Infinity"],
    [{ type: "f64" }, "1x"],
    [{ type: "f64" }, ""],
    [{ type: "datetime" }, "yesterday"],
    [{ type: "datetime" }, "2024-13-01"],
    [{ type: "datetime" }, "2024-05-06T07:08:09"],
    [{ type: "datetime" }, "10000-01-01"],
    [{ type: "u64", multi: true }, [1, "x"]],
    [{ type: "u64", multi: true }, [[1]]],
    [{ type: "bytes" }, "not base64!"],
  ])("%j refuses %j", async (field, value) => {
    await freshIndex({ v: field });
    const answer = await add([{ id: "1", v: value }]);
    expectError(answer, 400, "invalid_document");
    expect(answer.json.data.errors[0].path).toMatch(/^\[0\]\.v/);
  });
});

describe("GET by internal id", () => {
  test("is a hit with the document's fields spread beside, mirrored; the four names win", async () => {
    await freshIndex({
      doc: { type: "text" },
      score: { type: "f64" },
      status: { type: "text" },
      error: { type: "text" },
    });
    const document = { id: "5", title: "T", doc: "own", score: 3, status: "new", error: "none" };
    const [id] = await server.addCommitted(name, [document]);
    const { json } = await server.get(`/index/${name}/documents/${id}`);
    const hit = { doc: document, document_id: id, score: 1, source_index: name };
    expect(json.data).toEqual({ ...document, ...hit });
    expect(json).toEqual({ ...hit, status: 200, data: json.data, id: "5", title: "T" });
  });

  test("tells its version if asked to, which a change can be bound to", async () => {
    await freshIndex({ version: { type: "text" } });
    const [id] = await server.addCommitted(name, [{ id: "5", version: "own" }]);
    const path = `/index/${name}/documents/${id}`;
    expect((await server.get(path)).json.data.version).toBe("own");
    const { version, doc } = (await server.get(`${path}?version=true`)).json.data;
    const body = { query: { exact: { ctx: "*" } }, version: true };
    expect(version).toBe((await server.post(`/index/${name}/search`, body)).json.data.hits[0].version);
    expect(doc).toEqual({ id: "5", version: "own" });
    const change = (bound: string) =>
      server.patch(`/index/${name}/documents`, { _id: id, _version: bound, version: "new" });
    expectError(await change("0000000000000000"), 409, "version_conflict");
    expect((await change(version)).status).toBe(200);
    expectError(await server.get(`${path}?version=1`), 400, "invalid_request");
  });

  test("404 for what is not committed, deleted or never there", async () => {
    await freshIndex();
    const [pending] = (await add({ id: "1" })).json.data.ids;
    expectError(await server.get(`/index/${name}/documents/${pending}`), 404, "document_not_found");
    await server.post(`/index/${name}/commit`);
    expect((await server.get(`/index/${name}/documents/${pending}`)).status).toBe(200);
    for (const id of ["0".repeat(32), "nothing", "query", "all", "%00", "x".repeat(5000)]) {
      expectError(await server.get(`/index/${name}/documents/${id}`), 404, "document_not_found");
    }
  });
});

describe("deleting by a field", () => {
  const remove = (body: unknown) => server.delete(`/index/${name}/documents`, body);
  const left = async (): Promise<readonly unknown[]> => {
    await server.post(`/index/${name}/commit`);
    return (await server.idsOf(name, "*")).toSorted();
  };

  test("answers what it matched; no match is 200 with 0", async () => {
    await freshIndex();
    await server.addCommitted(name, [{ id: "1" }, { id: "2" }]);
    expect((await remove({ id: "1" })).json).toEqual({
      status: 200,
      data: { success: true, detail: "deletion accepted; commit or roll back to finish", num_removed: 1 },
    });
    expect((await remove({ id: "none" })).json.data.num_removed).toBe(0);
    expect(await left()).toEqual(["2"]);
  });

  test("an array of values matches any of them; id is the whole value", async () => {
    await freshIndex();
    await server.addCommitted(name, [{ id: "test-1" }, { id: "test-10" }, { id: "TEST-1" }, { id: "other" }]);
    expect((await remove({ id: ["test-1", "other", "none"] })).json.data.num_removed).toBe(2);
    expect(await left()).toEqual(["TEST-1", "test-10"]);
  });

  test("a text field matches like the quoted phrase, stopwords included", async () => {
    await freshIndex();
    await server.addCommitted(name, [
      { id: "of", title: "King of Spain" },
      { id: "in", title: "King in Spain" },
      { id: "longer", title: "the last king of spain sings" },
    ]);
    expect((await remove({ title: "King of Spain" })).json.data.num_removed).toBe(2);
    expect(await left()).toEqual(["in"]);
  });

  test("facets match the path or its descendants, numbers and dates by value", async () => {
    await freshIndex({
      kind: { type: "facet" },
      year: { type: "u64" },
      at: { type: "datetime" },
      on: { type: "bool" },
    });
    await server.addCommitted(name, [
      { id: "a", kind: "/x" },
      { id: "b", kind: "/x/y" },
      { id: "c", kind: "/xy" },
      { id: "d", year: 7 },
      { id: "e", at: "2024-01-01" },
      { id: "f", on: true },
    ]);
    expect((await remove({ kind: "x" })).json.data.num_removed).toBe(2);
    expect((await remove({ year: "7" })).json.data.num_removed).toBe(1);
    expect((await remove({ at: "2024-01-01T00:00:00Z" })).json.data.num_removed).toBe(1);
    expect((await remove({ on: true })).json.data.num_removed).toBe(1);
    expect(await left()).toEqual(["c"]);
  });

  test("a field that is not indexed is compared with the kept values", async () => {
    await freshIndex({ code: { type: "u64", indexed: false }, note: { type: "text", indexed: false } });
    await server.addCommitted(name, [
      { id: "a", code: 5, note: "red fish" },
      { id: "b", code: 6, note: "blue fish" },
    ]);
    expect((await remove({ code: 5 })).json.data.num_removed).toBe(1);
    expect((await remove({ note: "blue fish" })).json.data.num_removed).toBe(1);
    expect(await left()).toEqual([]);
  });

  test("_id is a field here", async () => {
    await freshIndex();
    const [first] = await server.addCommitted(name, [{ id: "1" }, { id: "2" }]);
    expect((await remove({ _id: first })).json.data.num_removed).toBe(1);
    expect(await left()).toEqual(["2"]);
  });

  test("reaches documents added earlier in the same transaction", async () => {
    await freshIndex();
    await add({ id: "1" });
    expect((await remove({ id: "1" })).json.data.num_removed).toBe(1);
    expect(await left()).toEqual([]);
  });

  test.each<[unknown, string | undefined]>([
    [{}, undefined],
    [[], undefined],
    [{ id: "1", title: "x" }, undefined],
    [{ id: { a: 1 } }, undefined],
    [{ id: null }, undefined],
    [{ nope: "1" }, "unknown_field"],
    [{ toString: "1" }, "unknown_field"],
    [{ year: "x" }, "invalid_field_value"],
    [{ blob: "aGVsbG8=" }, undefined],
    [{ raw: "1" }, undefined],
    ["id", undefined],
    [undefined, undefined],
  ])("refuses %j", async (body, code) => {
    await freshIndex({ year: { type: "u64" }, blob: { type: "bytes" }, raw: { type: "json" } });
    await server.addCommitted(name, [{ id: "1" }]);
    const answer = await server.send("DELETE", `/index/${name}/documents`, {
      key: ADMIN,
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    expectError(answer, 400, code as "unknown_field" | undefined);
    expect(await left()).toEqual(["1"]);
  });
});

describe("the other deletes", () => {
  test("by query: wrapped or bare, * for all; other members ignored", async () => {
    await freshIndex();
    await server.addCommitted(name, [{ id: "1" }, { id: "2" }, { id: "3" }, { id: "4" }]);
    const byQuery = (body: unknown) => server.delete(`/index/${name}/documents/query`, body);
    expect((await byQuery({ query: { exact: { ctx: "id:1" } }, limit: "x" })).json.data.num_removed).toBe(1);
    expect((await byQuery({ exact: { ctx: "id:2" } })).json.data.num_removed).toBe(1);
    expect(
      (await byQuery({ query: [{ exact: { ctx: "id:3" } }, { exact: { ctx: "id:9" } }] })).json.data
        .num_removed,
    ).toBe(1);
    expect((await byQuery({ exact: { ctx: "*" } })).json.data.num_removed).toBe(1);
    expectError(await byQuery({ query: { exact: { ctx: "a AND" } } }), 400, "query_syntax");
    expectError(await byQuery({ query: { exact: { ctx: "nope:1" } } }), 400, "unknown_field");
    expectError(await byQuery({}), 400);
  });

  test("all: the index remains", async () => {
    await freshIndex();
    await server.addCommitted(name, [{ id: "1" }, { id: "2" }]);
    await add({ id: "3" });
    expect((await server.delete(`/index/${name}/documents/all`)).json.data.num_removed).toBe(3);
    await server.post(`/index/${name}/commit`);
    expect((await server.get(`/index/${name}/stats`)).json.data).toEqual({ document_count: 0 });
  });

  test("by internal id, committed or pending; 404 if there is no such document", async () => {
    await freshIndex();
    const [committed] = await server.addCommitted(name, [{ id: "1" }]);
    const [pending] = (await add({ id: "2" })).json.data.ids;
    for (const id of [committed, pending]) {
      expect((await server.delete(`/index/${name}/documents/${id}`)).json.data.num_removed).toBe(1);
      expectError(await server.delete(`/index/${name}/documents/${id}`), 404, "document_not_found");
    }
    expectError(await server.delete(`/index/${name}/documents/nothing`), 404, "document_not_found");
  });
});

test("all of these are 404 on a missing index", async () => {
  for (const [method, path] of [
    ["POST", "/documents"],
    ["GET", "/documents/x"],
    ["DELETE", "/documents"],
    ["DELETE", "/documents/query"],
    ["DELETE", "/documents/all"],
    ["DELETE", "/documents/x"],
    ["POST", "/commit"],
    ["POST", "/rollback"],
  ] as const) {
    expectError(await server.send(method, `/index/none${path}`, { key: ADMIN }), 404, "index_not_found");
  }
});
