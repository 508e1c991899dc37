// What HTTP/1.1 asks of a server beside its routes (RFC 9110, RFC 9112): versions, repeated headers, the last request of
// a connection, upgrades that aren't taken, and senders that wait to be told to go on.
import { once } from "node:events";
import type { Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN, INGEST, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ bodyLimitMb: 0.01 });
  await server.createIndex("books");
  await server.addCommitted("books", [{ id: "1", title: "even" }]);
});
afterAll(() => server.stopAndRemove());

const FOUND = '{"query":{"exact":{"ctx":"even"}}}';

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly version?: string;
  readonly key?: string;
  readonly more?: readonly string[];
  readonly body?: string;
}

function requestOf(sent: Sent): string {
  const { method = "POST", path = "/index/books/search", version = "HTTP/1.1", key = READ } = sent;
  const { more = [], body = FOUND } = sent;
  const lines = [`${method} ${path} ${version}`, "host: here", `authorization: ${key}`, ...more];
  if (method !== "GET") lines.push(`content-length: ${body.length}`);
  return `${lines.join("\r\n")}\r\n\r\n${method === "GET" ? "" : body}`;
}

const HEALTH = "GET /healthcheck HTTP/1.1\r\nhost: here\r\n\r\n";

/** Everything that comes until the server closes the connection. */
async function exchange(...pieces: readonly string[]): Promise<string> {
  return await server.withConnection(async (socket) => {
    const text = textOf(socket);
    const closed = once(socket, "close");
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await closed;
    return text();
  });
}

/** Everything that comes until there are so many answers whose bodies are JSON. */
async function answers(count: number, ...pieces: readonly string[]): Promise<string[]> {
  return await server.withConnection(async (socket) => {
    const text = textOf(socket);
    for (const piece of pieces) socket.write(piece);
    const found = (): string[] => text().split(/(?=HTTP\/1\.1 \d\d\d )/);
    await expect
      .poll(() => found().filter((each) => each.endsWith("}")).length)
      .toBeGreaterThanOrEqual(count);
    return found();
  });
}

function textOf(socket: Socket): () => string {
  let text = "";
  socket.setEncoding("latin1").on("data", (piece: string) => (text += piece));
  socket.on("error", () => undefined);
  return () => text;
}

const statusesIn = (text: string): string[] =>
  [...text.matchAll(/HTTP\/1\.1 (\d\d\d) /g)].map(([, status]) => status!);

describe("what is no request of HTTP/1.x is 400 in the error envelope, and the connection closes", () => {
  const versions = [
    "HTTP/0.9",
    "HTTP/1.2",
    "HTTP/1.9",
    "HTTP/2.0",
    "HTTP/3.0",
    "HTTP/11.1",
    "http/1.1",
    "HTTP/1",
  ];
  test.each(versions.flatMap((version) => [{ version }, { version, method: "GET", path: "/healthcheck" }]))(
    "$method $version",
    async (sent) => {
      const text = await exchange(requestOf(sent));
      expect(statusesIn(text)).toEqual(["400"]);
      expect(JSON.parse(text.slice(text.indexOf("\r\n\r\n")))).toMatchObject({
        status: 400,
        data: { code: "invalid_request" },
      });
    },
  );

  test.each<Sent>([{}, { path: "/index/books/search/" }, { method: "GET", path: "/index/books/stats" }])(
    "a doubled Authorization: %j",
    async (sent) => {
      for (const key of [READ, ADMIN]) {
        const text = await exchange(requestOf({ ...sent, more: [`Authorization: ${key}`] }));
        expect(statusesIn(text)).toEqual(["400"]);
        expect(text).toContain("more than one Authorization header");
      }
    },
  );
});

describe("nothing is answered, nor done, after the last request of a connection", () => {
  const last = { more: ["connection: close"] };
  const add = requestOf({ path: "/index/books/documents", key: INGEST, body: '{"id":"added"}' });
  test.each<[string, string]>([
    ["a search", requestOf(last)],
    ["the framework's", requestOf({ ...last, method: "GET", path: "/healthcheck" })],
    ["old", requestOf({ version: "HTTP/1.0" })],
    ["several tokens", requestOf({ more: ["connection: te, Close"] })],
  ])("%s", async (_case, text) => {
    for (const behind of [add, "NONSENSE\r\n\r\n", HEALTH + add]) {
      expect(statusesIn(await exchange(text + behind))).toEqual(["200"]);
      expect(statusesIn(await exchange(text, behind))).toEqual(["200"]);
      expect(statusesIn(await exchange(HEALTH + text + behind))).toEqual(["200", "200"]);
    }
    await server.post("/index/books/commit");
    expect(await server.idsOf("books", "*")).toEqual(["1"]);
  });

  test("what was refused with the end of the connection", async () => {
    const large = requestOf({ body: "x".repeat(20_000) });
    const text = await exchange(large + add);
    expect(statusesIn(text)).toEqual(["413"]);
    await server.post("/index/books/commit");
    expect(await server.idsOf("books", "*")).toEqual(["1"]);
  });
});

describe("an upgrade that isn't taken is a request like any other, and so is what follows it", () => {
  const upgrade = ["connection: Upgrade", "upgrade: h2c"];
  test.each<[string, string]>([
    ["GET", requestOf({ method: "GET", path: "/healthcheck", more: upgrade })],
    ["a search with a body", requestOf({ more: upgrade })],
    ["another route with a body", requestOf({ path: "/index/books/commit", key: INGEST, more: upgrade })],
    [
      "several tokens",
      requestOf({
        more: ["connection: keep-alive, Upgrade, HTTP2-Settings", "upgrade: h2c", "http2-settings: AA"],
      }),
    ],
  ])("%s", async (_case, text) => {
    for (const before of ["", HEALTH, requestOf({ path: "/index/books/search/" })]) {
      const count = before === "" ? 3 : 4;
      const all = await answers(count, before + text + requestOf({}) + HEALTH);
      expect(all.map((each) => each.slice(9, 12))).toEqual(Array(count).fill("200"));
      expect(all.at(-1)).toContain("service is healthy");
      expect(all.at(-2)).toContain('"count":1');
    }
  });
});

describe("who waits to be told to go on", () => {
  const expecting = (sent: Sent, length: number | null): string =>
    requestOf({ ...sent, body: "" }).replace(
      "content-length: 0",
      `${length === null ? "transfer-encoding: chunked" : `content-length: ${length}`}\r\nexpect: 100-continue`,
    );

  test.each<[string, number, Sent, number | null]>([
    ["an unknown key", 401, { key: "nobody" }, 30],
    ["an unknown key, of unknown length", 401, { key: "nobody" }, null],
    ["a key that may not", 403, { path: "/index/books/commit" }, 30],
    ["no such path", 404, { path: "/nothing" }, 30],
    ["a method that isn't taken", 405, { path: "/healthcheck" }, 30],
    ["too much", 413, {}, 20_000],
    ["too many documents", 413, { path: "/index/books/documents", key: INGEST }, 2 ** 31],
    ["another type", 415, { more: ["content-type: text/plain"] }, 30],
    ["compressed", 415, { more: ["content-encoding: deflate"] }, 30],
    ["two hosts", 400, { more: ["host: there"] }, 30],
  ])("is told the final status at once where it is refused: %s", async (_case, status, sent, length) => {
    for (const path of [sent.path, `${sent.path ?? "/index/books/search"}/`]) {
      const text = await exchange(expecting({ ...sent, ...(path !== undefined && { path }) }, length));
      expect(statusesIn(text)).toEqual([String(status)]);
      expect(text.toLowerCase()).toContain("\r\nconnection: close\r\n");
    }
  });

  test.each<[string, Sent]>([
    ["a search", {}],
    ["a search by the framework", { path: "/index/books/search/" }],
    ["a body that nobody reads", { path: "/index/books/commit", key: INGEST }],
  ])("is told to, and answered: %s", async (_case, sent) => {
    await server.withConnection(async (socket) => {
      const text = textOf(socket);
      for (const count of [1, 2]) {
        socket.write(expecting(sent, FOUND.length));
        await expect.poll(() => statusesIn(text()).length).toBeGreaterThanOrEqual(2 * count - 1);
        socket.write(FOUND);
        await expect.poll(() => statusesIn(text()).length).toBe(2 * count);
      }
      expect(statusesIn(text())).toEqual(["100", "200", "100", "200"]);
    });
  });
});
