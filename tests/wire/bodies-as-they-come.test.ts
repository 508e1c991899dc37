// Bodies as NDJSON and CSV, packed bodies and answers, and bad documents that are skipped and named.
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, type WireAnswer, WireServer } from "./wire-server.js";

const MIB = 1024 * 1024;

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ documentBodyLimitMb: 8 });
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  const fields = {
    id: { type: "text" },
    title: { type: "text" },
    rating: { type: "f64" },
    kind: { type: "facet" },
  };
  await server.post("/index", { override_if_exists: true, index: { name: "books", fields } });
});

function add(
  type: string,
  body: string | Uint8Array,
  query = "",
  headers: Record<string, string> = {},
): Promise<WireAnswer> {
  return server.send("POST", `/index/books/documents${query}`, {
    key: ADMIN,
    body,
    headers: { "content-type": type, ...headers },
  });
}

async function ids(): Promise<readonly unknown[]> {
  await server.post("/index/books/commit");
  return server.idsOf("books", "*");
}

describe("NDJSON", () => {
  test("is a document in each line", async () => {
    const answer = await add(
      "application/x-ndjson; charset=utf-8",
      '{"id":"1","title":"a"}\r\n\n{"id":"2","rating":3,"other":1}',
    );
    expect(answer.json.data).toMatchObject({ num_added: 2, ignored_fields: ["other"] });
    expect(answer.json.data).not.toHaveProperty("num_skipped");
    expect(await ids()).toEqual(["1", "2"]);
  });

  test.each(["ndjson", "x-ndjson", "jsonl", "x-jsonlines"])("is called application/%s, too", async (name) => {
    expect((await add(`application/${name}`, '{"id":"1"}\n{"id":"2"}')).json.data).toMatchObject({
      num_added: 2,
    });
  });

  test("is all or nothing, and names line and place", async () => {
    const answer = await add("application/x-ndjson", '{"id":"1"}\n{"id":\n{"id":"3","rating":"x"}\n');
    expectError(answer, 400, "invalid_document");
    expect(answer.json.data.errors.map(({ path }: { path: string }) => path)).toEqual(["[1]", "[2].rating"]);
    expect(answer.json.message).toContain("line 2: '[1]' is not acceptable JSON");
    expect(await ids()).toEqual([]);
  });

  test("may be too long, in bytes and documents, or empty", async () => {
    expectError(
      await add("application/x-ndjson", `{"id":"${"x".repeat(8 * MIB)}"}`),
      413,
      "payload_too_large",
    );
    expectError(await add("application/x-ndjson", '{"id":"1"}\n'.repeat(10_001)), 400, "invalid_request");
    expectError(await add("application/x-ndjson", "\n \n"), 400, "invalid_request");
  });

  test("is taken where documents are added only", async () => {
    const headers = { "content-type": "application/x-ndjson" };
    const body = '{"query":"a"}';
    const searched = await server.send("POST", "/index/books/search", { key: ADMIN, body, headers });
    expectError(searched, 415, "unsupported_media_type");
    expectError(await add("text/plain", '{"id":"1"}'), 415, "unsupported_media_type");
  });
});

describe("CSV", () => {
  test.each([
    ["commas", 'id,title,rating\n1,"red, ""new""\nshoes",4.5\n2,,\n'],
    ["semicolons and a byte order mark", '\ufeffid;title;rating\r\n1;"red, ""new""\nshoes";4.5\r\n2;;\r\n'],
    [
      "a line that names the delimiter",
      'sep=|\r\nid|title|rating\r\n1|"red, ""new""\nshoes"|4.5\r\n2||\r\n||\r\n',
    ],
    ["lines that end with CR alone", 'id;title;rating\r1;"red, ""new""\nshoes";4.5\r2;;\r'],
  ])("with %s", async (_name, body) => {
    expect((await add("text/csv", body)).json.data).toMatchObject({ num_added: 2 });
    expect(await ids()).toEqual(["1", "2"]);
    const { hits } = (await server.post("/index/books/search", { query: { exact: { ctx: "id:1" } } })).json
      .data;
    expect(hits[0].doc).toEqual({ id: "1", title: 'red, "new"\nshoes', rating: 4.5 });
  });

  test("names what is wrong with rows and with the names", async () => {
    const answer = await add("text/csv", "id,rating\n1,2\n2\n3,x\n");
    expectError(answer, 400, "invalid_document");
    expect(answer.json.data.errors.map(({ message }: { message: string }) => message.slice(0, 12))).toEqual([
      "line 3: '[1]",
      "line 4: '[2]",
    ]);
    expectError(await add("text/csv", "id,id\n1,2\n"), 400, "invalid_request");
    expect(await ids()).toEqual([]);
  });

  test("of quotes that are never closed takes bounded time", async () => {
    const body = `id,title\n${'"x\n'.repeat(MIB)}`;
    expect([200, 400]).toContain((await add("text/csv", body, "?on_error=skip")).status);
  });
});

describe("on_error=skip", () => {
  const DOCUMENTS = [{ id: "1" }, { id: "2", rating: "x" }, { titel: "y" }, { id: "4" }];
  const NDJSON = DOCUMENTS.map((each) => JSON.stringify(each)).join("\n");

  test.each([
    ["JSON", "application/json", JSON.stringify(DOCUMENTS)],
    ["long JSON", "application/json", JSON.stringify(DOCUMENTS) + " ".repeat(40_000)],
    ["NDJSON", "application/x-ndjson", NDJSON],
    ["long NDJSON", "application/x-ndjson", `${NDJSON}\n${" ".repeat(40_000)}`],
  ])("leaves out bad documents of %s and names them", async (name, type, body) => {
    const { status, json } = await add(type, body, "?on_error=skip");
    expect(status).toBe(200);
    const line = (at: number): object => (name.endsWith("NDJSON") ? { line: at } : {});
    expect(json.data).toMatchObject({
      num_added: 2,
      num_skipped: 2,
      errors: [
        { path: "[1].rating", message: expect.stringContaining("finite number"), ...line(2) },
        { path: "[2]", message: expect.stringContaining("did you mean 'title'"), ...line(3) },
      ],
    });
    expect(json.data.ids).toEqual([expect.any(String), null, null, expect.any(String)]);
    expect(await ids()).toEqual(["1", "4"]);
  });

  test("names at most 1,000 and counts the rest; nothing may be left", async () => {
    const { json } = await add("application/x-ndjson", '{"id":\n'.repeat(1_500), "?on_error=skip");
    expect(json.data).toMatchObject({ num_added: 0, num_skipped: 1_500 });
    expect(json.data.errors).toHaveLength(1_000);
    expectError(await add("application/json", "[{]", "?on_error=skip"), 400, "invalid_json");
    expectError(await add("application/json", "[{}]", "?on_error=ignore"), 400, "invalid_request");
  });
});

describe("packed bodies", () => {
  test.each([
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ])("%s, on any route", async (encoding, pack) => {
    const packed = { "content-encoding": encoding };
    const documents = Array.from({ length: 2_000 }, (_, i) => ({ id: String(i), title: "shoes" }));
    const added = await add("application/json", pack(JSON.stringify(documents)), "", packed);
    expect(added.json.data.num_added).toBe(2_000);
    await server.post("/index/books/commit");
    const body = pack(JSON.stringify({ query: "shoes", limit: 0 }));
    const headers = { "content-type": "application/json", ...packed };
    const searched = await server.send("POST", "/index/books/search", { key: ADMIN, body, headers });
    expect(searched.json.data.count).toBe(2_000);
  });

  test("that unpack to more than is allowed are refused as soon as they do", async () => {
    for (const [encoding, bomb] of [
      ["gzip", gzipSync(Buffer.alloc(64 * MIB, " "), { level: 1 })],
      [
        "br",
        brotliCompressSync(Buffer.alloc(32 * MIB, " "), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
      ],
    ] as const) {
      const before = process.memoryUsage().rss;
      const answer = await add("application/json", bomb, "", { "content-encoding": encoding });
      expectError(answer, 413, "payload_too_large");
      expect(process.memoryUsage().rss - before).toBeLessThan(48 * MIB);
    }
    expect((await add("application/json", '{"id":"1"}')).status).toBe(200);
  });

  test("that aren't what they say, or are packed otherwise, are refused", async () => {
    const whole = gzipSync('{"id":"1"}');
    for (const body of [whole.subarray(0, -4), Buffer.from("not packed")]) {
      const answer = await add("application/json", body, "", { "content-encoding": "gzip" });
      expectError(answer, 400, "invalid_request");
    }
    for (const encoding of ["deflate", "gzip, br", "zstd"]) {
      const answer = await add("application/json", whole, "", { "content-encoding": encoding });
      expectError(answer, 415, "unsupported_media_type");
    }
  });
});

describe("packed answers", () => {
  async function raw(
    method: string,
    path: string,
    body: string,
    accept: string,
  ): Promise<{ head: string; bytes: Buffer }> {
    return server.withConnection(async (socket) => {
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${ADMIN}\r\nContent-Type: application/json\r\nAccept-Encoding: ${accept}\r\nContent-Length: ${body.length}\r\n\r\n`;
      socket.write(head + body);
      const chunks: Buffer[] = [];
      for await (const chunk of socket) {
        chunks.push(chunk as Buffer);
        const all = Buffer.concat(chunks);
        const end = all.indexOf("\r\n\r\n");
        const answerHead = all.toString("latin1", 0, end);
        const length = Number(/content-length: (\d+)/i.exec(answerHead)?.[1]);
        if (end >= 0 && all.length >= end + 4 + length)
          return { head: answerHead, bytes: all.subarray(end + 4) };
      }
      throw new Error("the connection ended");
    });
  }

  test.each([
    ["gzip", "gzip", gunzipSync],
    ["gzip, deflate, br", "br", brotliDecompressSync],
    ["br;q=0.5, gzip", "gzip", gunzipSync],
  ])("%s: searches and other routes", async (accept, encoding, unpack) => {
    const documents = Array.from({ length: 20 }, (_, i) => ({
      id: String(i),
      title: `shoes ${"x".repeat(100)}`,
    }));
    await server.addCommitted("books", documents);
    const body = JSON.stringify({ query: { exact: { ctx: "*" } } });
    for (const [method, path, text] of [
      ["POST", "/index/books/search", body],
      ["POST", "/index/books/search?x=1", body],
      ["GET", "/openapi.json", ""],
    ] as const) {
      const { head, bytes } = await raw(method, path, text, accept);
      expect(head).toMatch(new RegExp(`content-encoding: ${encoding}`, "i"));
      expect(head).toMatch(/vary: .*accept-encoding/i);
      expect(JSON.parse(unpack(bytes).toString())).toBeTypeOf("object");
    }
    const small = JSON.stringify({ query: { exact: { ctx: "*" } }, limit: 0 });
    const { head } = await raw("POST", "/index/books/search", small, accept);
    expect(head).not.toMatch(/content-encoding/i);
    const plain = await raw("POST", "/index/books/search", body, "identity, gzip;q=0");
    expect(plain.head).not.toMatch(/content-encoding/i);
    expect(JSON.parse(plain.bytes.toString()).data.count).toBe(20);
  });
});
