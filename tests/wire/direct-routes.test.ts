// Property: a search is answered alike whichever way its path is written, straight from Node's server (plainly) or by
// the framework (any other way): status, headers, body, log line.
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ bodyLimitMb: 0.01, corsOrigins: ["https://shop.example"] });
  await server.createIndex("books");
  await server.post("/index/books/documents", [{ id: "1", title: "ünïcode world" }]);
  await server.post("/index/books/commit", {});
});
afterAll(() => server.stopAndRemove());

const FOUND = JSON.stringify({ query: { exact: { ctx: "world" } } });
const JSON_HEADERS = { "content-type": "application/json" };

test.each([
  ["a search", { key: READ, body: FOUND }],
  ["the same again", { key: READ, body: FOUND }],
  ["the same from memory", { key: READ, body: FOUND }],
  ["from a page that may ask", { key: READ, body: FOUND, headers: { origin: "https://shop.example" } }],
  ["from a page that may not", { key: READ, body: FOUND, headers: { origin: "https://other.example" } }],
  ["an index that isn't there", { index: "absent", body: FOUND }],
  ["no key", { key: "", body: FOUND }],
  ["an unknown key", { key: "nobody", body: FOUND }],
  ["no body", {}],
  ["no JSON", { body: '{"query":' }],
  ["no JSON, and long", { body: '{"query":'.padEnd(6_000) }],
  ["no UTF-8", { body: new Uint8Array([0x22, 0xff, 0x22]) }],
  ["a member twice", { body: '{"query":"a","query":"b"}' }],
  ["another type", { body: FOUND, headers: { "content-type": "text/plain" } }],
  ["compressed", { body: FOUND, headers: { ...JSON_HEADERS, "content-encoding": "deflate" } }],
  ["too large", { body: JSON.stringify({ query: "x".repeat(20_000) }) }],
  ["long, though not too large", { body: FOUND.padEnd(9_000) }],
  ["a query that can't be read", { body: JSON.stringify({ query: { exact: { ctx: "a AND" } } }) }],
  ["a limit beyond the most", { body: JSON.stringify({ query: "a", limit: 1_000 }) }],
  ["a cursor that isn't one", { body: JSON.stringify({ cursor: "nothing" }) }],
  ["an expectation", { body: FOUND, headers: { ...JSON_HEADERS, expect: "miracles" } }],
])("%s", async (_case, { index = "books", key = ADMIN, headers = JSON_HEADERS, ...sent }: Case) => {
  const ask = async (path: string) => {
    const { status, headers: told, text } = await server.send("POST", path, { key, headers, ...sent });
    const { date, "x-request-id": id, "content-length": length, connection, ...others } = told;
    const { "keep-alive": _keepAlive, ...rest } = others;
    expect([date, id, Number(length)]).toEqual([
      expect.any(String),
      expect.any(String),
      Buffer.byteLength(text),
    ]);
    const { time_taken: _time, ...data } = JSON.parse(text).data;
    const line = await server.logLineOf(id);
    return {
      status,
      rest,
      closes: connection === "close",
      data,
      logged: [line["method"], line["route"], line["status"]],
    };
  };
  const direct = await ask(`/index/${index}/search`);
  expect(direct).toEqual(await ask(`/index/${index}/search/`));
});

interface Case {
  readonly index?: string;
  readonly key?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

test("connections rest for longer than load balancers keep theirs", async () => {
  for (const path of ["/index/books/search", "/index/books/search/"]) {
    const { headers } = await server.send("POST", path, { key: READ, body: FOUND });
    expect(headers["keep-alive"]).toBe("timeout=72");
  }
});
