// Whatever comes in, the answer is a success or a clear error in the envelope, never a 5xx (contract 1.5, 1.6).
// FINDLING_FUZZ_RUNS sets how many requests each property sends; fast-check prints the seed of a failure.
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROUTE_TABLE, type RouteRow } from "../../src/contract/route-table.js";
import type { SchemaNode } from "../../src/http/docs/schema-outline.js";
import { expectErrorEnvelope } from "./expect-error.js";
import { validValue, withWrongPlace } from "./schema-values.js";
import { ADMIN, type ParsedJson, type WireAnswer, WireServer } from "./wire-server.js";

const RUNS = Number(process.env["FINDLING_FUZZ_RUNS"] ?? 25);
const INDEX = "fuzzed";

let server: WireServer;
let openApi: ParsedJson;
beforeAll(async () => {
  server = await WireServer.start();
  openApi = (await server.send("GET", "/openapi.json")).json;
  await prepare();
});
afterAll(() => server.stopAndRemove());

/** The fuzzed index with every type of field, made again where fuzzing has deleted or changed it. */
async function prepare(): Promise<void> {
  await server.post("/index", {
    override_if_exists: true,
    index: {
      name: INDEX,
      fields: {
        id: { type: "text" },
        title: { type: "text", multi: true },
        kind: { type: "facet" },
        on: { type: "bool" },
        count: { type: "u64" },
        offset: { type: "i64" },
        rating: { type: "f64" },
        at: { type: "datetime" },
        blob: { type: "bytes" },
        raw: { type: "json" },
      },
    },
  });
  await server.addCommitted(INDEX, [
    { id: "1", title: ["human world"], kind: "/a/b", rating: 1.5, at: 0, raw: {} },
  ]);
}

const rowsWithBody = ROUTE_TABLE.filter((row) => row.body !== null);

function pathOf(row: RouteRow): string {
  return row.path.replace(":index_name", INDEX).replace(/:[a-z_]+/g, "1");
}

/** Success or refusal, in an envelope, with a status that the OpenAPI document announces. */
function expectOrderly(answer: WireAnswer, row: RouteRow): void {
  expect(answer.status, answer.text).toBeLessThan(500);
  // Its answers are another protocol's.
  if (row.operationId === "callMcp") return;
  if (answer.status === 200) expect(answer.json).toMatchObject({ status: 200, data: expect.anything() });
  else expectErrorEnvelope(answer);
  const { responses } = openApi.paths[row.path.replace(/:([a-z_]+)/g, "{$1}")][row.method.toLowerCase()];
  expect(Object.keys(responses)).toContain(String(answer.status));
}

async function sendBody(row: RouteRow, body: string | Uint8Array): Promise<WireAnswer> {
  const headers = { "content-type": "application/json" };
  return server.send(row.method, pathOf(row), { key: ADMIN, body, headers });
}

describe.each(rowsWithBody.map((row) => [`${row.method} ${row.path}`, row] as const))(
  "bodies of %s",
  (_name, row) => {
    const schema = row.body as SchemaNode;

    test("every place of the schema with a value of every wrong kind", async () => {
      const wrong = ["text", -1, 1.5, 1e308, true, null, [], {}, [[1]]];
      for (const body of withWrongPlace(schema, wrong)) {
        expectOrderly(await sendBody(row, JSON.stringify(body)), row);
      }
      await prepare();
    });

    test("values drawn from the schema, broken at random", async () => {
      await fc.assert(
        fc.asyncProperty(validValue(schema), fc.jsonValue(), fc.nat(), async (value, junk, place) => {
          const bodies = withWrongPlace(schema, [junk], value);
          expectOrderly(await sendBody(row, JSON.stringify(bodies[place % bodies.length])), row);
        }),
        { numRuns: RUNS },
      );
      await prepare();
    });

    test("any JSON", async () => {
      await fc.assert(
        fc.asyncProperty(fc.json({ maxDepth: 6 }), async (text) =>
          expectOrderly(await sendBody(row, text), row),
        ),
        { numRuns: RUNS },
      );
      await prepare();
    });

    test("valid JSON with bytes changed, cut or put in", async () => {
      const example = JSON.stringify(withWrongPlace(schema, [])[0] ?? { query: { exact: { ctx: "a" } } });
      const change = fc.record({
        at: fc.nat({ max: 400 }),
        drop: fc.nat({ max: 4 }),
        put: fc.uint8Array({ maxLength: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
          let bytes = Buffer.from(example);
          for (const { at, drop, put } of changes) {
            const place = at % (bytes.length + 1);
            bytes = Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + drop)]);
          }
          expectOrderly(await sendBody(row, bytes), row);
        }),
        { numRuns: RUNS },
      );
      await prepare();
    });

    test.each<[string, string | Buffer, number]>([
      ["brackets 100 000 deep", "[".repeat(100_000), 400],
      ["closed brackets 100 000 deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`, 400],
      ["objects 100 000 deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`, 400],
      ["depth inside of a known member", `{"query":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, 400],
      ["a __proto__ member", '{"a":{"__proto__":{"permissions":63}}}', 0],
      ["a repeated member", '{"id":"1","id":"2"}', 400],
      ["half a surrogate pair", '{"id":"\\ud800"}', 400],
      ["a byte order mark", '\ufeff{"id":"1"}', 400],
      ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400],
      ["UTF-16", Buffer.from('{"id":"1"}', "utf16le"), 400],
      ["a NUL byte", '{"id":"\u0000', 400],
      ["a number beyond all bounds", `{"id":1e999999,"limit":1${"0".repeat(1000)}}`, 0],
    ])("%s", async (_case, body, status) => {
      const answer = await sendBody(row, body);
      expectOrderly(answer, row);
      // In what is searched for, half a pair stands for a character that nobody knows.
      const isTaken =
        row.body === null || row.operationId === "callMcp" || /search|summar/i.test(row.operationId);
      if (status !== 0 && !(isTaken && _case === "half a surrogate pair")) expect(answer.status).toBe(status);
    });
  },
);

describe("documents of every kind", () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.double(),
    fc.maxSafeInteger(),
    fc.date({ noInvalidDate: true }),
  );
  const names = fc.constantFrom(
    "id",
    "title",
    "kind",
    "on",
    "count",
    "offset",
    "rating",
    "at",
    "blob",
    "raw",
    "other",
    "constructor",
  );
  const document = fc.dictionary(names, value, { maxKeys: 8 });

  test("are stored whole or refused whole, and can be found, read and deleted after", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 4 }), async (documents) => {
        const added = await server.post(`/index/${INDEX}/documents`, documents);
        expect([200, 400], added.text).toContain(added.status);
        if (added.status === 400) return expectErrorEnvelope(added);
        expect((await server.post(`/index/${INDEX}/commit`)).status).toBe(200);
        for (const id of added.json.data.ids) {
          const read = await server.get(`/index/${INDEX}/documents/${id}`);
          expect(read.status, read.text).toBe(200);
          const again = await server.post(`/index/${INDEX}/documents`, read.json.data.doc);
          expect(again.status, `${read.text}\n${again.text}`).toBe(200);
        }
        await server.post(`/index/${INDEX}/rollback`);
      }),
      { numRuns: RUNS },
    );
    expect(
      (await server.post(`/index/${INDEX}/search`, { query: { exact: { ctx: "*" } }, limit: 200 })).status,
    ).toBe(200);
    await prepare();
  });
});

describe("query strings", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "a",
      "human",
      "AND",
      "OR",
      "NOT",
      "IN",
      "TO",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      '"',
      "'",
      "*",
      "-",
      "+",
      "^2",
    ),
    fc.constantFrom(
      "~1",
      ":",
      ":>",
      ":<=",
      "title:",
      "count:",
      "at:",
      "kind:",
      "on:",
      "id:",
      "raw:",
      "blob:",
      "\\",
      " ",
      "\t",
    ),
    fc.constantFrom(
      "1",
      "-5",
      "true",
      "/a/b",
      "2024-01-01",
      "2024-01-01T00:00:00Z",
      ",",
      "`",
      "!",
      "\u0000",
      "1e400",
    ),
    fc.string({ unit: "grapheme", maxLength: 5 }),
  );

  test.each(["exact", "fuzzy", "dynamic"])(
    "of any kind, in %s mode, to search and to delete by",
    async (mode) => {
      const search = ROUTE_TABLE.find((row) => row.operationId === "searchIndex")!;
      const remove = ROUTE_TABLE.find((row) => row.operationId === "deleteDocumentsByQuery")!;
      await fc.assert(
        fc.asyncProperty(fc.array(piece, { maxLength: 12 }), fc.boolean(), async (pieces, spaced) => {
          const query = { [mode]: { ctx: pieces.join(spaced ? " " : "") } };
          for (const row of [search, remove]) {
            expectOrderly(await sendBody(row, JSON.stringify({ query })), row);
          }
        }),
        { numRuns: RUNS * 3 },
      );
      await server.post(`/index/${INDEX}/rollback`);
    },
  );
});

describe("requests of any kind", () => {
  test("paths", async () => {
    const segment = fc.oneof(
      fc.constantFrom(
        "index",
        "auth",
        "key",
        "documents",
        "query",
        "all",
        "search",
        "stats",
        "check",
        INDEX,
        "..",
        ".",
        "%",
        "%2e%2e",
        "%2F",
        "%00",
        "%ff",
        "__proto__",
      ),
      fc.string({ unit: "grapheme" }).map(encodeURIComponent),
    );
    const path = fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join("/")}`);
    // Not the methods that would delete what the other tests need.
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("GET", "POST", "PATCH", "PROPFIND"), path, async (method, target) => {
        const answer = await server.send(method, target, {
          key: ADMIN,
          body: method === "GET" ? undefined : "{}",
        });
        expect(answer.status, `${method} ${target} ${answer.text}`).toBeLessThan(500);
        if (answer.status !== 200) expectErrorEnvelope(answer);
      }),
      { numRuns: RUNS * 2 },
    );
    await prepare();
  });

  test("headers", async () => {
    const names = [
      "authorization",
      "content-type",
      "accept",
      "accept-version",
      "origin",
      "expect",
      "x-request-id",
      "if-none-match",
      "range",
      "content-encoding",
      "cookie",
      "x-sc-user-id",
    ];
    const text = fc.string({
      unit: fc
        .integer({ min: 32, max: 255 })
        .filter((code) => code !== 127)
        .map((code) => String.fromCharCode(code)),
    });
    const headers = fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 6 });
    await fc.assert(
      fc.asyncProperty(
        headers,
        fc.constantFrom("/index", "/healthcheck", "/nothing", `/index/${INDEX}/search`),
        async (sent, path) => {
          const answer = await server.send("POST", path, {
            key: ADMIN,
            body: '{"query":"x"}',
            headers: sent,
          });
          expect(answer.status).toBeLessThan(500);
          expect(answer.headers["access-control-allow-origin"]).toBe("*");
          if (answer.status !== 200) expectErrorEnvelope(answer);
        },
      ),
      { numRuns: RUNS },
    );
  });

  test("bytes that are hardly HTTP: the server answers or hangs up, and lives", async () => {
    const line = fc.constantFrom(
      "GET / HTTP/1.1",
      "POST /index HTTP/1.1",
      "GET  /",
      "\u0000",
      "HTTP/1.1 200 OK",
      "DELETE * HTTP/1.0",
      "OPTIONS * HTTP/1.1",
      "CONNECT a:1 HTTP/1.1",
      "GET http://evil.example/healthcheck HTTP/1.1",
    );
    const header = fc.constantFrom(
      "Host: x",
      "Host:",
      "Content-Length: 5",
      "Content-Length: x",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: x",
      "Connection: upgrade",
      "Upgrade: h2c",
      "Expect: x",
      ": y",
      "A\u0001: b",
      "Content-Type: ;;;=",
    );
    await fc.assert(
      fc.asyncProperty(
        line,
        fc.array(header, { maxLength: 4 }),
        fc.constantFrom("", "{}", "0\r\n\r\n", "zz\r\n"),
        async (first, rest, body) => {
          const bytes = `${[first, ...rest, "Connection: close"].join("\r\n")}\r\n\r\n${body}`;
          expect(await exchange(bytes)).not.toMatch(/^HTTP\/1\.1 5/);
        },
      ),
      { numRuns: RUNS },
    );
    expect((await server.send("GET", "/healthcheck")).status).toBe(200);
  });

  test("no log line of all this tells of an unexpected failure", () => {
    expect(server.logLines.filter((line) => line.includes("request failed"))).toEqual([]);
  });
});

/** What comes back for raw bytes, until the server closes or falls silent after we have ended. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(server.running.address.port, "127.0.0.1", () => socket.end(bytes));
    socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => resolve(text)).on("close", () => resolve(text));
  });
}
