// Documents in bodies that are read in the thread that writes: every answer is that of the same documents in a small body, which is read where it arrives (contract 1.6, 3.3).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

/** More than what is read where it arrives. */
const PADDING = " ".repeat(40_000);

describe.each([true, false])("with a thread that writes: %s", (writingThread) => {
  let server: WireServer;
  beforeAll(async () => {
    server = await WireServer.start({ writingThread, documentsPerRequest: 50 });
  });
  afterAll(() => server.stopAndRemove());
  beforeEach(async () => {
    await server.delete("/index/books");
    const fields = { id: { type: "text" }, title: { type: "text" }, year: { type: "u64" } };
    await server.createIndex("books", { fields });
  });

  function add(body: string | Buffer, index = "books", headers: Record<string, string | undefined> = {}) {
    return server.send("POST", `/index/${index}/documents`, {
      key: ADMIN,
      body,
      headers: { "content-type": "application/json", ...headers },
    });
  }

  function shapeOf({ status, json }: WireAnswer): unknown {
    const { ids, ...rest } = json.data ?? {};
    return { status, json: { ...json, data: { ...rest, ids: ids?.length } } };
  }

  test.each([
    ["one document", '{"id":"1","title":"a"}'],
    ["several", '[{"id":"1"},{"id":"2","nothing":1,"more":2},{"id":"3","nothing":3}]'],
    ["none", "[]"],
    ["an object without members", "{}"],
    ["what is no document", '"text"'],
    ["nulls", "[null]"],
    ["too many", `[${'{"id":"x"},'.repeat(50)}{"id":"y"}]`],
    ["wrong values", '[{"id":"1"},{"year":"x"},{"year":-1,"title":{}},5]'],
    ["an id that has lost digits", '[{"id":"1"},{"id":1234567890123456789012}]'],
    ["many wrong values", `[${'{"year":"x"},'.repeat(40)}{}]`],
    ["a repeated name", '[{"id":"1"},{"id":"2","id":"3"}]'],
    ["a byte order mark", '\ufeff{"id":"1"}'],
    ["half a surrogate pair", '{"id":"\\ud83d"}'],
    ["broken JSON", '[{"id":"1"},{"id":}]'],
    ["JSON that goes on", "{} {}"],
    ["a prototype", '{"__proto__":{}}'],
  ])("%s", async (_case, body) => {
    const [small, large] = [await add(body), await add(body + PADDING)];
    expect(shapeOf(large)).toEqual(shapeOf(small));
  });

  test("what is cut, or not UTF-8", async () => {
    expectError(await add(`${PADDING}[{"id":"1"},{"id"`), 400, "invalid_json");
    const wrong = Buffer.concat([Buffer.from('{"id":"'), Buffer.of(0xff), Buffer.from(`"}${PADDING}`)]);
    expectError(await add(wrong), 400, "invalid_json");
  });

  test("broken JSON before a missing index, a missing index before wrong documents", async () => {
    expectError(await add(`{${PADDING}`, "none"), 400, "invalid_json");
    expectError(await add(`[5]${PADDING}`, "none"), 404, "index_not_found");
    expectError(
      await add(`[5]${PADDING}`, "none", { "content-type": "text/plain" }),
      415,
      "unsupported_media_type",
    );
    expectError(
      await add(`[5]${PADDING}`, "none", { "content-encoding": "deflate" }),
      415,
      "unsupported_media_type",
    );
  });

  test("documents keep their order and their ids, in one piece or in chunks", async () => {
    const documents = Array.from({ length: 50 }, (_, i) => ({
      id: `d${i}`,
      title: `ü${"word ".repeat(400)}`,
      year: i,
    }));
    const body = JSON.stringify(documents);
    const whole = await add(body);
    const chunked = await add(body, "books", { "content-length": undefined, "transfer-encoding": "chunked" });
    const ids = [...whole.json.data.ids, ...chunked.json.data.ids];
    expect(new Set(ids).size).toBe(100);
    await server.post("/index/books/commit");
    for (const place of [0, 1, 49, 50, 99]) {
      const { json } = await server.get(`/index/books/documents/${ids[place]}`);
      expect(json.data.doc).toEqual(documents[place % 50]);
    }
  });

  test("of senders that leave, each body is added whole or not at all, and others go on", async () => {
    const body = JSON.stringify(
      Array.from({ length: 50 }, (_, i) => ({ id: `d${i}`, title: "word ".repeat(400) })),
    );
    const leaving = Array.from({ length: 6 }, (_, i) =>
      fetch(`${server.running.url}/index/books/documents`, {
        method: "POST",
        headers: { authorization: ADMIN, "content-type": "application/json" },
        body,
        signal: AbortSignal.timeout(1 + i),
      }).then(
        (response) => response.text(),
        () => null,
      ),
    );
    await Promise.all([...leaving, add(body), add('{"id":"small"}')]);
    await server.post("/index/books/commit");
    const { json } = await server.post("/index/books/search", {
      query: { exact: { ctx: "word" } },
      limit: 1,
    });
    expect(json.data.count % 50).toBe(0);
    expect(json.data.count).toBeGreaterThanOrEqual(50);
    expect(server.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});
