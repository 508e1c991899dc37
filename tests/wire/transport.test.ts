// Contract 1.1: one origin, paths, bodies, content types; 8: body limits. Every rule by its sentence.
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { ADMIN, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ documentBodyLimitMb: 1, bodyLimitMb: 0.01 });
  await server.createIndex("books");
});
afterAll(() => server.stopAndRemove());

describe("paths", () => {
  test.each(["//healthcheck", "/healthcheck/", "///healthcheck//", "/healthcheck?x=1"])(
    "repeated slashes are collapsed and a trailing one is ignored: %s",
    async (path) => expectPlainSuccess(await server.send("GET", path), "service is healthy"),
  );

  test("slashes are collapsed inside of a path too", async () => {
    expectPlainSuccess(await server.get("//index//books/stats/"), { document_count: 0 });
  });

  test("parameters are percent-decoded once, after splitting", async () => {
    expectPlainSuccess(await server.get("/index/b%6Foks/stats"), { document_count: 0 });
    // `%2F` is part of the name, not a separator; `%256F` decodes to `%6F` and no further.
    expect((await server.get("/index/a%2Fb/stats")).json.message).toContain("'a/b'");
    expect((await server.get("/index/b%256Foks/stats")).json.message).toContain("'b%6Foks'");
  });

  test.each(["/index/%", "/index/%zz/stats", "/index/%ff/stats", "/index/%c3%28"])(
    "a path that can't be decoded is 400: %s",
    async (path) => expectError(await server.get(path), 400, "invalid_request"),
  );

  test("a long parameter is a name like any other", async () => {
    expectError(await server.get(`/index/${"x".repeat(8000)}/stats`), 404, "index_not_found");
  });

  test("paths are case-sensitive and have no version prefix", async () => {
    expectError(await server.get("/Index"), 404, "not_found");
    expectError(await server.get("/v1/index"), 404, "not_found");
  });
});

describe("bodies", () => {
  test.each([
    ["GET", "/index", 200],
    ["POST", "/index/books/commit", 200],
    ["DELETE", "/index/books/documents/all", 200],
    ["DELETE", "/auth/key/unknown-key", 404],
  ])("a JSON content type with an empty body is normal: %s %s", async (method, path, status) => {
    const headers = { "content-type": "application/json" };
    expect((await server.send(method, path, { key: ADMIN, headers })).status).toBe(status);
    const chunked = await server.send(method, path, {
      key: ADMIN,
      headers: { ...headers, "transfer-encoding": "chunked" },
    });
    expect(chunked.status).toBe(status);
  });

  test("an empty body where one is needed is a plain 400, not 415", async () => {
    const headers = { "content-type": "application/json" };
    expectError(await server.send("POST", "/index/books/search", { key: ADMIN, headers }), 400);
    expectError(
      await server.send("POST", "/auth/key", { key: ADMIN, headers: { "content-type": "text/plain" } }),
      400,
    );
  });

  test("DELETE bodies are parsed", async () => {
    const answer = await server.delete("/index/books/documents", { id: "nobody" });
    expect(answer.json.data).toMatchObject({ success: true, num_removed: 0 });
  });

  test.each([
    ["POST", "/index/books/commit"],
    ["POST", "/index/books/rollback"],
    ["DELETE", "/index/books/documents/all"],
  ])("where no payload is documented, any body is ignored: %s %s", async (method, path) => {
    const bodies = ["{", '[{"id":"1"}]', "{}", "\ufeff", Buffer.from([0xff, 0xfe]), "x".repeat(200_000)];
    for (const body of bodies) {
      for (const type of ["application/json", "text/plain", "nonsense", "application/json; charset"]) {
        const answer = await server.send(method, path, {
          key: ADMIN,
          body,
          headers: { "content-type": type },
        });
        expect(answer.status, answer.text).toBe(200);
      }
    }
  });

  test("a body on GET is ignored as well", async () => {
    expect((await server.send("GET", "/index", { key: ADMIN, body: "{" })).status).toBe(200);
  });
});

describe("content types", () => {
  const body = '{"query":{"exact":{"ctx":"*"}}}';

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON;x=y",
    "application/vnd.findling+json",
    undefined,
  ])("JSON is accepted under %s", async (type) => {
    const headers = type === undefined ? {} : { "content-type": type };
    const answer = await server.send("POST", "/index/books/search", { key: ADMIN, body, headers });
    expect(answer.status, answer.text).toBe(200);
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "garbage",
    "application/xml",
  ])("any other type with a body is 415: %s", async (type) => {
    const headers = { "content-type": type };
    const answer = await server.send("POST", "/index/books/search", { key: ADMIN, body, headers });
    expectError(answer, 415, "unsupported_media_type");
  });

  test("a body that is compressed otherwise than by gzip or brotli is 415", async () => {
    const headers = { "content-type": "application/json", "content-encoding": "deflate" };
    expectError(await server.send("POST", "/index/books/search", { key: ADMIN, body, headers }), 415);
  });

  test("any Accept is fine", async () => {
    for (const accept of ["text/html", "application/xml;q=0.1", "nonsense", "*/*"]) {
      const answer = await server.send("GET", "/index", { key: ADMIN, headers: { accept } });
      expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
      expect(answer.status).toBe(200);
    }
  });
});

describe("body limits (contract 8)", () => {
  test("a body over the limit is 413, whether or not its length is announced", async () => {
    const body = JSON.stringify({ name: "x".repeat(20_000) });
    expectError(await server.send("POST", "/auth/key", { key: ADMIN, body }), 413, "payload_too_large");
    const headers = { "transfer-encoding": "chunked", "content-length": undefined };
    expectError(
      await server.send("POST", "/auth/key", { key: ADMIN, body, headers }),
      413,
      "payload_too_large",
    );
  });

  test("documents have a limit of their own", async () => {
    const document = { id: "big", title: "word ".repeat(10_000) };
    expect((await server.post("/index/books/documents", document)).status).toBe(200);
    const documents = Array.from({ length: 30 }, () => document);
    expectError(await server.post("/index/books/documents", documents), 413, "payload_too_large");
    await server.post("/index/books/rollback");
  });

  test("after a refusal, the connection's next request is answered as usual", async () => {
    await server.send("POST", "/auth/key", { key: ADMIN, body: "x".repeat(50_000) });
    expect((await server.send("GET", "/healthcheck")).status).toBe(200);
  });
});

describe("what is no HTTP request", () => {
  test.each([
    ["a garbled request line", "NONSENSE\r\n\r\n", 400],
    [
      "headers larger than 16 KiB",
      `GET /healthcheck HTTP/1.1\r\nHost: x\r\nX-Big: ${"y".repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ["a wrong content length", "POST /auth/key HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n", 400],
    ["HTTP/1.1 without a Host", "GET /healthcheck HTTP/1.1\r\n\r\n", 400],
    ["a search without a Host", "POST /index/books/search HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}", 400],
    ["two Hosts", "GET /healthcheck HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", 400],
    ["the same Host twice", "GET /healthcheck HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", 400],
    ["two Hosts in HTTP/1.0", "GET /healthcheck HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400],
    [
      "a search with two Hosts",
      "POST /index/books/search HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 2\r\n\r\n{}",
      400,
    ],
    ["a Host that is no host", "GET /healthcheck HTTP/1.1\r\nHost: x, y\r\n\r\n", 400],
    [
      "a search with a Host that is none",
      "POST /index/books/search HTTP/1.1\r\nHost: x/y\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
      400,
    ],
  ])("%s is answered in the error envelope", async (_case, bytes, status) => {
    const text = await rawExchange(server.running.address.port, bytes);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(text.toLowerCase()).toContain("access-control-allow-origin: *");
    const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
    expect(body).toMatchObject({ status, data: { error: body.message, code: "invalid_request" } });
  });

  test.each(["", "x", "x:80", "127.0.0.1:8000", "[::1]:8000", "my_books.example."])(
    "a Host such as '%s' is one",
    async (host) => {
      const request = `GET /healthcheck HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
      expect(await rawExchange(server.running.address.port, request)).toMatch(/^HTTP\/1.1 200 /);
    },
  );

  test("HTTP/1.0 needs no Host", async () => {
    const text = await rawExchange(server.running.address.port, "GET /healthcheck HTTP/1.0\r\n\r\n");
    expect(text).toMatch(/^HTTP\/1.1 200 /);
  });

  test("an expectation that nobody knows is ignored", async () => {
    const request = "GET /healthcheck HTTP/1.1\r\nHost: x\r\nExpect: miracles\r\nConnection: close\r\n\r\n";
    expect(await rawExchange(server.running.address.port, request)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("a target with scheme and host is taken by its path, as by a proxy (RFC 9112, 3.2.2)", async () => {
    expect((await server.get("http://localhost:8000/healthcheck?x=1")).status).toBe(200);
    expect((await server.get("HTTPS://localhost//healthcheck/")).status).toBe(200);
    const wrong = await server.send("DELETE", "http://localhost/healthcheck");
    expectError(wrong, 405, "method_not_allowed");
    expect(wrong.headers["allow"]).toBe("GET, HEAD, OPTIONS");
    for (const root of ["http://localhost", "http://localhost?x=%zz", "http://"]) {
      expectError(await server.get(root), 404, "not_found");
    }
  });

  test("a caller that leaves in the middle of a body harms nobody", async () => {
    const socket = connect(server.running.address.port, "127.0.0.1");
    socket.write(
      `POST /auth/key HTTP/1.1\r\nHost: x\r\nAuthorization: ${ADMIN}\r\nContent-Length: 500\r\n\r\n{"permissions"`,
    );
    await new Promise((resolve) => setTimeout(resolve, 20));
    socket.destroy();
    expect((await server.send("GET", "/healthcheck")).status).toBe(200);
  });
});

function rawExchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    let text = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => (text += chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(text));
  });
}
