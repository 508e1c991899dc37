// Bad input of every kind: a clear 4xx in the envelope, never a 5xx, in bounded time; afterwards the server is as before.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError, expectErrorEnvelope } from "./expect-error.js";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  tags: { type: "text", multi: true },
  kind: { type: "facet" },
  count: { type: "u64" },
  offset: { type: "i64" },
  rating: { type: "f64" },
  at: { type: "datetime" },
  raw: { type: "json" },
};
beforeEach(async () => {
  await server.post("/index", { override_if_exists: true, index: { name: "books", fields: FIELDS } });
  await server.addCommitted("books", [{ id: "kept", title: "kept" }]);
});

const json = { "content-type": "application/json" };
const send = (method: string, path: string, body: string | Uint8Array): Promise<WireAnswer> =>
  server.send(method, path, { key: ADMIN, body, headers: json });
const addText = (body: string | Uint8Array) => send("POST", "/index/books/documents", body);
const searchText = (body: string | Uint8Array) => send("POST", "/index/books/search", body);

async function expectUnchanged(): Promise<void> {
  expect((await server.post("/index/books/commit")).status).toBe(200);
  expect(await server.idsOf("books", "*")).toEqual(["kept"]);
  expect(server.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
}

describe("megabytes of little", () => {
  const million = 1_000_000;
  test.each<[string, string]>([
    ["a megabyte of opening brackets", "[".repeat(million)],
    ["a megabyte of balanced brackets", "[".repeat(million / 2) + "]".repeat(million / 2)],
    ["a megabyte of braces", "{".repeat(million)],
    ["a megabyte of quotes", '"'.repeat(million)],
    ["a megabyte of backslashes", `"${"\\".repeat(million)}`],
    ["a megabyte of commas", `[${",".repeat(million)}]`],
    ["a megabyte of digits", `${"9".repeat(million)}`],
    ["a megabyte of minus signs", "-".repeat(million)],
    ["a megabyte of white space", " ".repeat(million)],
    ["a megabyte of NUL", "\0".repeat(million)],
    ["a flat array of a million numbers", `[${"1,".repeat(million / 2)}1]`],
    ["an array of a hundred thousand arrays", `[${"[],".repeat(100_000)}[]]`],
    [
      "an object of thirty thousand members",
      `{${Array.from({ length: 30_000 }, (_, i) => `"m${i}":1`).join()}}`,
    ],
  ])("%s is no document and no search", async (_case, body) => {
    for (const answer of [await addText(body), await searchText(body)]) {
      // An object of many unknown members is a document without fields.
      if (answer.status === 200) expect(answer.json.data.ignored_fields).toHaveLength(20);
      else expectErrorEnvelope(answer);
      expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500);
      expect(answer.text.length).toBeLessThan(100_000);
    }
    await server.post("/index/books/rollback");
    await expectUnchanged();
  });

  test("100,000 brackets in a query string", async () => {
    for (const ctx of [
      "(",
      ")",
      "[",
      "{",
      "NOT ",
      "-",
      "+",
      '"',
      "\\",
      "title:(",
      "*",
      "^1",
      "~",
      "a AND ",
    ]) {
      const answer = await server.post("/index/books/search", {
        query: { exact: { ctx: ctx.repeat(100_000) } },
      });
      expectError(answer, 400, "invalid_request");
      const short = await server.post("/index/books/search", {
        query: { exact: { ctx: ctx.repeat(10_000 / ctx.length) } },
      });
      expect([200, 400], ctx).toContain(short.status);
    }
  });
});

describe("text that is no text", () => {
  test.each<[string, Uint8Array | string]>([
    [
      "a byte that UTF-8 never has",
      Buffer.from([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
    ],
    ["an overlong slash", Buffer.from([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xc0, 0xaf, 0x22, 0x7d])],
    [
      "a surrogate in UTF-8",
      Buffer.from([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    ],
    ["a cut character", Buffer.from('{"id":"ü"}').subarray(0, 8)],
    ["a raw control character in a string", '{"id":"a\u0001b"}'],
    ["NaN", '{"rating":NaN}'],
    ["a comment", '{"id":"1"/*x*/}'],
    ["a trailing comma", '{"id":"1",}'],
    ["single quotes", "{'id':'1'}"],
    ["two values", '{"id":"1"}{"id":"2"}'],
    ["NDJSON", '{"id":"1"}\n{"id":"2"}\n'],
    ["a byte order mark", '\ufeff{"id":"1"}'],
  ])("%s: 400 invalid_json", async (_case, body) => {
    expectError(await addText(body), 400, "invalid_json");
    expectError(await searchText(body), 400, "invalid_json");
    await expectUnchanged();
  });

  test.each([
    ["a high surrogate alone, escaped", '{"id":"\\ud800"}'],
    ["a low surrogate alone, escaped", '{"id":"x\\udc00"}'],
    ["surrogates the wrong way round", '{"id":"\\udc00\\ud800"}'],
    ["a surrogate in a member's name", '{"\\ud800":"1"}'],
  ])("%s: 400 invalid_json in a document", async (_case, body) => {
    expectError(await addText(body), 400, "invalid_json");
    await expectUnchanged();
  });

  test("what is text, however odd, is kept exactly", async () => {
    const odd = "\0 \u0001 \u2028 \u2029 \ufeff \uffff \u{10ffff} 😀 e\u0301 \r\n \\ \" '";
    await server.addCommitted("books", [{ id: odd, title: odd, tags: [odd], raw: { [odd]: odd } }]);
    const { hits } = (await server.post("/index/books/search", { query: { exact: { ctx: "*" } } })).json.data;
    expect(hits[1].doc).toEqual({ id: odd, title: odd, tags: [odd], raw: { [odd]: odd } });
    const quoted = `id:"${odd.replace(/["\\]/g, "\\$&")}"`;
    expect(await server.idsOf("books", quoted)).toEqual([odd]);
    expect((await server.delete("/index/books/documents", { id: odd })).json.data.num_removed).toBe(1);
    await expectUnchanged();
  });

  test("a NUL is no part of a facet's path", async () => {
    expectError(await server.post("/index/books/documents", { kind: "/a\0b" }), 400, "invalid_document");
    expectError(
      await server.post("/index/books/search", { query: { exact: { ctx: "kind:/a\0b" } } }),
      400,
      "invalid_field_value",
    );
  });

  test.each([
    ["1,500 levels", "/a".repeat(1_500)],
    ["20,000 levels", "/a".repeat(20_000)],
    ["5,000 bytes", `/${"a".repeat(4_999)}`],
  ])("a facet's path has no %s", async (_, path) => {
    const refusals = [
      await server.post("/index/books/documents", [{ kind: path }]),
      await server.delete("/index/books/documents", { kind: path }),
    ];
    expectError(refusals[0]!, 400, "invalid_document");
    expectError(refusals[1]!, 400, "invalid_field_value");
    for (const { json: refusal } of refusals) {
      expect(refusal.message).toContain("of at most 64 levels and 4096 bytes");
    }
    const filter = path.length > 9_000 ? path.slice(0, 9_000) : path;
    const search = await server.post("/index/books/search", { query: { exact: { ctx: `kind:${filter}` } } });
    expectError(search, 400, "invalid_field_value");
    await expectUnchanged();
  });
});

describe("numbers", () => {
  test.each<[string, string, number]>([
    ["-0 is 0", '{"count":-0,"offset":-0,"rating":-0,"at":-0}', 200],
    ["exponents that come to an integer", '{"count":1e3,"offset":-12e0}', 200],
    ["the largest double", '{"rating":1.7976931348623157e308}', 200],
    ["the smallest double", '{"rating":5e-324}', 200],
    ["beyond the largest double", '{"rating":1e309}', 400],
    ["beyond the safe integers", '{"count":9007199254740993,"raw":12345678901234567890123}', 200],
    ["beyond 64 bits", '{"count":18446744073709551616}', 400],
    ["a million digits", `{"rating":${"1".repeat(1_000_000)}}`, 400],
    ["a million digits of JSON", `{"raw":${"1".repeat(1_000_000)}}`, 400],
    ["a million digits in a string", `{"count":"${"1".repeat(1_000_000)}"}`, 400],
    ["a million zeros after the point", `{"rating":0.${"0".repeat(1_000_000)}1}`, 200],
    ["a date beyond the years", '{"at":1e300}', 400],
    ["a date in a string of digits without end", `{"at":"${"9".repeat(10_000)}"}`, 400],
  ])("%s", async (_case, body, status) => {
    const answer = await addText(body);
    expect(answer.status, answer.text.slice(0, 300)).toBe(status);
    if (status !== 200) expectError(answer, 400, "invalid_document");
    await server.post("/index/books/rollback");
    await expectUnchanged();
  });

  test("-0 comes back as 0", async () => {
    await addText('{"id":"zero","count":-0,"offset":-0,"rating":-0,"at":-0}');
    await server.post("/index/books/commit");
    const answer = await server.post("/index/books/search", { query: { exact: { ctx: "id:zero" } } });
    expect(answer.text).toContain('"count":0,"offset":0,"rating":0,"at":"1970-01-01T00:00:00Z"');
  });

  test.each([
    "-1",
    "-0.5",
    "0.5",
    "1e300",
    "1e999",
    "9007199254740993",
    '"5"',
    "true",
    "[]",
    "{}",
    `1${"0".repeat(400)}`,
  ])("limit, offset and minimum %s", async (value) => {
    for (const member of ["limit", "offset", "minimum_number_should_match"]) {
      const answer = await searchText(`{"query":{"exact":{"ctx":"*"}},"${member}":${value}}`);
      if (answer.status === 200) expect([member, answer.json.data.hits]).toEqual(["offset", []]);
      else expectError(answer, 400);
    }
  });

  test("the largest offset there is finds nothing, at once", async () => {
    const body = { query: { exact: { ctx: "*" } }, offset: Number.MAX_SAFE_INTEGER, limit: 200 };
    for (const more of [{}, { order_by: "count" }]) {
      const { data } = (await server.post("/index/books/search", { ...body, ...more })).json;
      expect(data).toMatchObject({ hits: [], count: 1 });
    }
  });

  test.each([1e308, -1, 100.001, -Number.MIN_VALUE, Number.MAX_SAFE_INTEGER])(
    "a weight of %d: 400",
    async (weight) => {
      expectError(
        await server.patch("/index/books", { weight_multipliers: { title: weight } }),
        400,
        "invalid_schema",
      );
    },
  );

  test.each([0, 5e-324, 1e-300, 100])("a weight of %d: scores are finite numbers", async (weight) => {
    expect((await server.patch("/index/books", { weight_multipliers: { title: weight } })).status).toBe(200);
    for (const query of [
      { exact: { ctx: "kept^99999999" } },
      { fuzzy: { ctx: "kepp" } },
      { dynamic: { ctx: "kept kepp" } },
    ]) {
      const { hits } = (await server.post("/index/books/search", { query })).json.data;
      expect(hits).toHaveLength(1);
      expect(Number.isFinite(hits[0].score), String(hits[0].score)).toBe(true);
    }
  });

  test.each([1e308, 1e15, 5e-324])(
    "an automatic commit after %d seconds is a setting like any other",
    async (delay) => {
      expect((await server.patch("/index/books", { auto_commit_delay: delay })).status).toBe(200);
      await server.post("/index/books/documents", { id: "2" });
      expect(await server.idsOf("books", "*")).toEqual(delay < 1 ? ["kept", "2"] : ["kept"]);
      await server.patch("/index/books", { auto_commit_delay: 0 });
    },
  );
});

describe("members with a meaning to JavaScript", () => {
  test("__proto__ is refused inside a member", async () => {
    for (const body of [
      '{"id":"1","raw":{"a":[{"__proto__":{}}]}}',
      '{"id":"1","raw":{"__proto__":1}}',
      '{"raw":{"\\u005f_proto__":1}}',
    ]) {
      expectError(await addText(body), 400, "invalid_json");
      expectError(await send("PATCH", "/index/books", body), 400, "invalid_json");
    }
    await expectUnchanged();
  });

  test("__proto__ is a member like any other that nobody knows", async () => {
    const added = await addText('[{"id":"1","__proto__":{"id":"2"},"titel":"x"}]');
    expect(added.json.data).toMatchObject({ num_added: 1, ignored_fields: ["__proto__", "titel"] });
    expectError(await addText('{"__proto__":{"id":"2"}}'), 400, "invalid_document");
    const searched = await searchText(
      '{"__proto__":{"limit":0},"query":{"exact":{"ctx":"kept","__proto__":{}}}}',
    );
    expect(searched.json.data).toMatchObject({
      count: 1,
      ignored_members: [{ name: "__proto__" }, { name: "__proto__", path: "query.exact.__proto__" }],
    });
    expect(searched.json.data.hits).toHaveLength(1);
    await server.post("/index/books/commit");
    expect(await server.idsOf("books", "*")).toEqual(["kept", "1"]);
  });

  test("constructor, toString and hasOwnProperty are names like any other", async () => {
    const names = ["constructor", "toString", "hasOwnProperty", "valueOf", "prototype", "__defineGetter__"];
    const fields = Object.fromEntries(names.map((each) => [each, { type: "text" }]));
    await server.post("/index", { override_if_exists: true, index: { name: "odd", fields } });
    const document = Object.fromEntries(names.map((each) => [each, `value of ${each}`]));
    const [id] = await server.addCommitted("odd", [document]);
    expect((await server.get(`/index/odd/documents/${id}`)).json.data.doc).toEqual(document);
    for (const each of names) {
      const answer = await server.post("/index/odd/search", { query: { exact: { ctx: `${each}:value` } } });
      expect(answer.json.data.count, each).toBe(1);
    }
    const { data } = (await server.get("/index/odd")).json;
    expect(Object.keys(data.fields)).toEqual(names);
    expect(data.search_fields).toEqual(names);
    expect((await server.put("/index/odd", { index: data })).status).toBe(200);
    await server.delete("/index/odd");
  });

  test("a member named twice is refused, at any depth and however it is written", async () => {
    for (const body of ['{"id":"1","id":"1"}', '{"raw":{"a":1,"b":{"c":1,"c":2}}}', '{"a":1,"\\u0061":2}']) {
      expectError(await addText(body), 400, "invalid_json");
    }
    expectError(await searchText('{"query":"a","query":"b"}'), 400, "invalid_json");
    // The same name in different objects is nothing unusual.
    expect((await addText('[{"id":"1","raw":{"id":1}},{"id":"2","raw":[{"id":1},{"id":1}]}]')).status).toBe(
      200,
    );
  });
});

describe("lists of any length", () => {
  test("10,000 clauses", async () => {
    const query = Array.from({ length: 10_000 }, () => ({ fuzzy: { ctx: "kept" } }));
    const answer = await server.post("/index/books/search", { query });
    expectError(answer, 400, "invalid_request");
    expect(answer.json.message).toContain("at most 64");
    expectError(await server.delete("/index/books/documents/query", { query }), 400, "invalid_request");
  });

  test("more words than the limit, in one clause or in all together", async () => {
    await server.patch("/index/books", { search_fields: ["title"] });
    const prefixes = { exact: { ctx: "a* b* c* d* ".repeat(800) } };
    const one = { exact: { ctx: "b ".repeat(5000) } };
    // The longest text there is, in four fields, of the shortest words.
    expect((await server.post("/index/books/search", { query: [one, one, one, one] })).status).toBe(200);
    for (const query of [
      Array.from({ length: 64 }, () => prefixes),
      Array.from({ length: 64 }, () => ({ fuzzy: prefixes.exact })),
      [one, one, one, one, { fuzzy: { ctx: "b" } }],
      [one, one, one, { exact: { ctx: `"${"b ".repeat(4994)}b"*` } }],
      prefixes,
    ]) {
      for (const answer of [
        await server.post("/index/books/search", { query }),
        await server.delete("/index/books/documents/query", { query }),
      ]) {
        expectError(answer, 400, "invalid_request");
        expect(answer.json.message).toContain("at most 20000");
      }
    }
    await expectUnchanged();
  });

  test("10,001 documents, one over the limit; 10,000 are taken", async () => {
    const documents = Array.from({ length: 10_001 }, (_, id) => ({ id: String(id) }));
    const answer = await server.post("/index/books/documents", documents);
    expectError(answer, 400, "invalid_request");
    expect(answer.json.message).toContain("at most 10000");
    expect((await server.post("/index/books/documents", documents.slice(1))).json.data.num_added).toBe(
      10_000,
    );
    await server.post("/index/books/rollback");
    await expectUnchanged();
  });

  test("thousands of wrong documents are answered with the first few", async () => {
    const answer = await server.post(
      "/index/books/documents",
      Array.from({ length: 5000 }, () => ({ count: "x" })),
    );
    expectError(answer, 400, "invalid_document");
    expect(answer.json.data.errors.length).toBeLessThanOrEqual(20);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test("20,000 values in one field, in one delete, in one key's scope, in one schema", async () => {
    const values = Array.from({ length: 20_000 }, (_, i) => `value${i}`);
    expect((await server.post("/index/books/documents", { id: "many", tags: values })).status).toBe(200);
    expectError(await server.post("/index/books/documents", { title: values }), 400, "invalid_document");
    expect(
      (await server.delete("/index/books/documents", { id: [...values, "many"] })).json.data.num_removed,
    ).toBe(1);
    for (const [method, path, body] of [
      ["POST", "/auth/key", { permissions: 1, allowed_indexes: values }],
      ["PATCH", "/index/books", { search_fields: values }],
      ["POST", "/index", { index: { name: "wide", fields: Object.fromEntries(values.map((v) => [v, 5])) } }],
    ] as const) {
      const answer = await server.send(method, path, { key: ADMIN, body });
      expect(answer.status, answer.text.slice(0, 200)).toBeLessThan(500);
      expect(answer.text.length).toBeLessThan(5_000_000);
    }
    await server.delete("/auth/key");
    await expectUnchanged();
  });

  test("what holds no documents has a bound on its values and on their names", async () => {
    const values = Array.from({ length: 50_001 }, () => 0);
    const names = Object.fromEntries(Array.from({ length: 10_001 }, (_, i) => [`m${i}`, 0]));
    for (const body of [values, { query: "a", more: values }, names, { index: { fields: names } }]) {
      for (const [method, path] of [
        ["POST", "/index"],
        ["PATCH", "/index/books"],
        ["POST", "/auth/key"],
        ["PUT", "/federation/all"],
        ["POST", "/index/books/search"],
        ["DELETE", "/index/books/documents"],
        ["DELETE", "/index/books/documents/query"],
      ] as const)
        expectError(await server.send(method, path, { key: ADMIN, body }), 413, "payload_too_large");
    }
    expect((await server.post("/index/books/documents", { id: "many", raw: values })).status).toBe(200);
    await server.post("/index/books/rollback");
    await expectUnchanged();
  });

  test("a message quotes little of what it refuses", async () => {
    const long = "x".repeat(200_000);
    for (const answer of [
      await server.post("/index/books/documents", { count: long }),
      await server.post("/index/books/search", { query: { [long]: { ctx: "a" } } }),
      await server.post("/index/books/search", { query: "a", order_by: long }),
      await server.patch("/index/books", { [long]: 1 }),
      await server.post("/index", { index: { name: long, fields: FIELDS } }),
      await server.post("/index", { index: { name: "x", fields: { [long]: { type: long } } } }),
      await server.delete("/index/books/documents", { [long]: "1" }),
      await server.get(`/auth/key/check/${"x".repeat(8000)}`),
    ]) {
      expectError(answer, 400);
      expect(answer.text.length).toBeLessThan(20_000);
    }
  });
});

describe("what was probably meant is said", () => {
  const search = (body: object) => server.post("/index/books/search", body);
  test.each<[string, () => Promise<WireAnswer>, RegExp]>([
    [
      "a field of a query",
      () => search({ query: { exact: { ctx: "titel:x" } } }),
      /'titel', did you mean 'title'\?$/,
    ],
    ["an order", () => search({ query: "x", order_by: "raiting" }), /such field, did you mean 'rating'\?/],
    ["a field to show", () => search({ query: "x", fields: ["tilte"] }), /'tilte', did you mean 'title'\?$/],
    ["a facet to count", () => search({ query: "x", facets: ["kinds"] }), /'kinds', did you mean 'kind'\?$/],
    ["a field far from all", () => search({ query: { exact: { ctx: "popularity:x" } } }), /'popularity'$/],
    ["a body that is missing", () => searchText(""), /must be an object, not nothing at all$/],
    ["a body that is null", () => searchText("null"), /must be an object, not null$/],
    ["a comma too many", () => searchText('{"query": "x",}'), /from character 15 on$/],
    ["a path", () => server.get("/"), /\/docs on this server shows what there is$/],
  ])("%s", async (_case, answer, message) => {
    const { json: body } = await answer();
    expect(body.message).toMatch(message);
  });
});
