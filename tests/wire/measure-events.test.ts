// Contract 3.10 and 2.4: events over HTTP, over the real store: both body forms, all or nothing, what the
// server adds, what it records itself; measuring switched off; export and deletion.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError, expectPlainSuccess } from "./expect-error.js";
import { eventsOnceThere, exportedEvents, measureEvent } from "./measured-events.js";
import { ADMIN, INGEST, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["books", "films"]) {
    await server.createIndex(name);
    await server.addCommitted(name, [
      { id: "1", title: "one story" },
      { id: "2", title: "two stories" },
    ]);
  }
  const members = [{ name: "books" }, { name: "films" }];
  await server.post("/federation", { name: "shop", index_configurations: members });
});
afterAll(() => server.stopAndRemove());

/** Events of one test are told apart by their session. */
let sessions = 0;
function newSession(): string {
  return `session-${++sessions}`;
}

async function keyOf(body: object): Promise<string> {
  return (await server.post("/auth/key", body)).json.data.key;
}

test("GET /measure/status needs no key, and its member is mirrored", async () => {
  const answer = await server.send("GET", "/measure/status");
  expect(answer.json).toEqual({ status: 200, data: { enabled: true }, enabled: true });
});

describe("recording", () => {
  test("an event, a batch as a list and one in items", async () => {
    const session_id = newSession();
    const event = (name: string): object => measureEvent(name, { session_id });
    expectPlainSuccess(await server.post("/measure/event", event("a"), INGEST), "event accepted");
    const list = [event("b"), event("c")];
    expectPlainSuccess(await server.post("/measure/batch", list, INGEST), "batch accepted");
    const items = { items: [event("d")] };
    expectPlainSuccess(await server.post("/measure/batch", items, INGEST), "batch accepted");
    const events = await eventsOnceThere(server, 4, `?session_id=${session_id}`);
    expect(events.map(({ eventName }) => eventName)).toEqual(["a", "b", "c", "d"]);
  });

  test("a batch is taken whole or not at all, and the error names the place", async () => {
    const session_id = newSession();
    const good = measureEvent("x", { session_id });
    const bad = measureEvent("x", { session_id, number_of_documents: "3" });
    const answer = await server.post("/measure/batch", { items: [good, bad] });
    expectError(answer, 400, "invalid_request");
    expect(answer.json.data.errors).toEqual([
      {
        path: "items[1].properties.number_of_documents",
        message: "'items[1].properties.number_of_documents' must be a number, not a string",
      },
    ]);
    await server.post("/measure/event", good);
    await eventsOnceThere(server, 1, `?session_id=${session_id}`);
  });

  test.each([
    ["/measure/event", undefined],
    ["/measure/event", []],
    ["/measure/event", [measureEvent("x")]],
    ["/measure/event", { ...measureEvent("x"), event_name: "x".repeat(129) }],
    ["/measure/event", measureEvent("x", {}, { user: { user_id: null } })],
    ["/measure/batch", undefined],
    ["/measure/batch", []],
    ["/measure/batch", { items: [] }],
    ["/measure/batch", measureEvent("x")],
    ["/measure/batch", Array.from({ length: 1001 }, () => measureEvent("x"))],
  ])("%s refuses what is none: %#", async (path, body) => {
    expectError(await server.post(path, body), 400, "invalid_request");
  });

  test("a body that isn't JSON, or says that it isn't, is refused as everywhere", async () => {
    expectError(await server.post("/measure/event", "{"), 400, "invalid_json");
    const headers = { "content-type": "text/plain" };
    const request = { key: INGEST, body: "{}", headers };
    expectError(await server.send("POST", "/measure/batch", request), 415);
  });

  test("an event outside the key's scope refuses the whole batch with 403", async () => {
    const session_id = newSession();
    const key = await keyOf({ permissions: 2, allowed_indexes: ["books"] });
    const batch = [
      measureEvent("x", { session_id }),
      measureEvent("x", { session_id, searchcraft_index_names: ["films"] }),
    ];
    expectError(await server.post("/measure/batch", batch, key), 403, "index_not_allowed");
    expect(await exportedEvents(server, `?session_id=${session_id}`)).toEqual([]);
  });

  test("the server adds when, by which key, for whom, from where and with what", async () => {
    const session_id = newSession();
    const key = await keyOf({
      permissions: 2,
      allowed_indexes: ["*"],
      organization_id: 7,
      application_id: "shop",
    });
    const before = Date.now();
    await server.send("POST", "/measure/event", {
      key,
      body: measureEvent("x", { session_id }),
      headers: { "user-agent": "a browser" },
    });
    const [event] = await eventsOnceThere(server, 1, `?session_id=${session_id}`);
    expect(event).toMatchObject({
      organizationId: "7",
      applicationId: "shop",
      clientIp: "127.0.0.1",
      userAgent: "a browser",
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
    });
    expect(event.receivedAt).toBeGreaterThanOrEqual(before);
    expect(event.receivedAt).toBeLessThanOrEqual(Date.now());
    expect(JSON.stringify(event)).not.toContain(key);
  });

  test("session and type of user come from the headers where the event says neither", async () => {
    const session = newSession();
    const headers = { "x-sc-session-id": session, "x-sc-user-type": "authenticated", "x-sc-user-id": "x" };
    const own = measureEvent("own", { session_id: `${session}-own` }, { user: { user_type: "anonymous" } });
    const body = [measureEvent("other"), own];
    await server.send("POST", "/measure/batch", { key: INGEST, body, headers });
    const [other] = await eventsOnceThere(server, 1, `?session_id=${session}`);
    expect(other).toMatchObject({ eventName: "other", userId: "u", userType: "authenticated" });
    const [unchanged] = await eventsOnceThere(server, 1, `?session_id=${session}-own`);
    expect(unchanged).toMatchObject({ eventName: "own", userType: "anonymous" });
  });

  test("only admin keys say of past events when they were", async () => {
    const session_id = newSession();
    const past = measureEvent("x", { session_id }, { received_at: "2020-01-01T00:00:00Z" });
    expectError(await server.post("/measure/event", past, INGEST), 403, "insufficient_permissions");
    await server.post("/measure/event", past);
    const [event] = await eventsOnceThere(server, 1, `?session_id=${session_id}`);
    expect(event.receivedAt).toBe(Date.UTC(2020, 0));
    const future = measureEvent("x", {}, { received_at: Date.now() / 1000 + 3600 });
    expectError(await server.post("/measure/event", future), 400, "invalid_request");
  });
});

describe("searches that the server records", () => {
  /** A search under a session of its own, so that its events can be found. */
  async function search(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
    const session = newSession();
    const answer = await server.send("POST", path, {
      key: READ,
      body,
      headers: { "x-sc-session-id": session, ...headers },
    });
    expect(answer.status, answer.text).toBe(200);
    return session;
  }

  test("on an index: term, kind, index, matches, user and session", async () => {
    const query = [{ occur: "must", exact: { ctx: "id:1" } }, { fuzzy: { ctx: "stori" } }];
    const headers = { "x-sc-user-id": "someone", "x-sc-user-type": "authenticated" };
    const session = await search("/index/books/search", { query, limit: 0 }, headers);
    const [event] = await eventsOnceThere(server, 1, `?session_id=${session}`);
    expect(event).toMatchObject({
      eventName: "api_queried",
      searchTerm: "stori",
      searchKind: "fuzzy",
      indexNames: ["books"],
      numberOfDocuments: 1,
      userId: "someone",
      userType: "authenticated",
      sessionId: session,
      clientIp: "127.0.0.1",
    });
    expect(event).not.toHaveProperty("federationName");
  });

  test("on a federation: its name in place of indexes", async () => {
    const session = await search("/federation/shop/search", { query: { dynamic: { ctx: "story" } } });
    const [event] = await eventsOnceThere(server, 1, `?session_id=${session}`);
    expect(event).toMatchObject({
      federationName: "shop",
      indexNames: [],
      searchKind: "dynamic",
      numberOfDocuments: 2,
      userId: "anonymous",
      userType: "anonymous",
    });
  });

  test("read by cursor: once, with its first page", async () => {
    const session = newSession();
    const headers = { "x-sc-session-id": session };
    const body = { query: { exact: { ctx: "*" } }, cursor: true, limit: 1 };
    const first = await server.send("POST", "/index/books/search", { key: READ, body, headers });
    const next = { cursor: first.json.data.cursor };
    await server.send("POST", "/index/books/search", { key: READ, body: next, headers });
    await search("/index/books/search", { query: "marker" }, headers);
    const events = await eventsOnceThere(server, 2, `?session_id=${session}`);
    expect(events.map(({ searchTerm }) => searchTerm)).toEqual(["*", "marker"]);
  });

  test("but no refused search, and no suggestion", async () => {
    const session = newSession();
    const headers = { "x-sc-session-id": session };
    await server.send("POST", "/index/books/search", {
      key: READ,
      body: { query: { exact: { ctx: "(" } } },
      headers,
    });
    await server.send("GET", "/index/books/suggest?q=st", { key: READ, headers });
    await server.send("POST", "/index/books/search", { key: READ, body: { query: "marker" }, headers });
    const [event] = await eventsOnceThere(server, 1, `?session_id=${session}`);
    expect(event.searchTerm).toBe("marker");
  });

  test("count as searches without a session only", async () => {
    const user = `api-user-${newSession()}`;
    const headers = { "x-sc-user-id": user, "x-sc-session-id": undefined };
    const body = { query: "story" };
    await server.send("POST", "/index/books/search", { key: READ, body, headers });
    await search("/index/books/search", body, { "x-sc-user-id": user });
    await eventsOnceThere(server, 2, `?user_id=${user}`);
    const usage = await server.get(`/measure/dashboard/usage?user_id=${user}`);
    expect(usage.json.data.total_searches).toBe(1);
  });
});

describe("the export", () => {
  test("is a file, of the scope's events alone", async () => {
    const session_id = newSession();
    for (const name of ["books", "films"]) {
      await server.post("/measure/event", measureEvent("x", { session_id, searchcraft_index_names: [name] }));
    }
    await eventsOnceThere(server, 2, `?session_id=${session_id}`);
    const scoped = await keyOf({ permissions: 32, allowed_indexes: ["films"] });
    const answer = await server.get(`/measure/export?session_id=${session_id}`, scoped);
    expect(answer.headers["content-type"]).toBe("application/x-ndjson; charset=utf-8");
    expect(answer.headers["content-disposition"]).toBe('attachment; filename="events.ndjson"');
    expect(answer.headers["access-control-allow-origin"]).toBe("*");
    expect(answer.text.trim().split("\n")).toHaveLength(1);
    expect(answer.text).toContain('"films"');
    expectError(await server.get("/measure/export?index_names=books", scoped), 403, "index_not_allowed");
  });

  test("comes as Parquet, too", async () => {
    const answer = await server.get("/measure/export?format=parquet");
    expect(answer.headers["content-type"]).toBe("application/vnd.apache.parquet");
    expect(answer.text.slice(0, 4)).toBe("PAR1");
    expect(answer.text.slice(-4)).toBe("PAR1");
    expectError(await server.get("/measure/export?format=csv"), 400, "invalid_request");
  });
});

test("DELETE /measure/user/:user_id forgets a person, once and for all", async () => {
  const user = { user_id: "someone/with a strange name" };
  await server.post("/measure/batch", [measureEvent("x", {}, { user }), measureEvent("y", {}, { user })]);
  const path = `/measure/user/${encodeURIComponent(user.user_id)}`;
  const scoped = await keyOf({ permissions: 32, allowed_indexes: ["books"] });
  expectError(await server.delete(path, undefined, scoped), 403, "index_not_allowed");
  expectPlainSuccess(await server.delete(path), { deleted_events: 2 });
  expectPlainSuccess(await server.delete(path), { deleted_events: 0 });
  expect(await exportedEvents(server, `?user_id=${encodeURIComponent(user.user_id)}`)).toEqual([]);
  expectError(await server.delete("/measure/user/a%00b"), 400, "invalid_request");
});

test("read keys may send events, and nothing more, where the operator lets them", async () => {
  expectError(await server.post("/measure/event", measureEvent("x"), READ), 403, "insufficient_permissions");
  const open = await WireServer.start({ measureAcceptsReadKeys: true });
  try {
    expectPlainSuccess(await open.post("/measure/event", measureEvent("x"), READ), "event accepted");
    expectPlainSuccess(await open.post("/measure/batch", [measureEvent("x")], READ), "batch accepted");
    expectPlainSuccess(await open.post("/measure/event", measureEvent("x"), INGEST), "event accepted");
    expectError(await open.get("/measure/dashboard/summary", READ), 403, "insufficient_permissions");
    expectError(await open.post("/measure/event", measureEvent("x"), "nonsense"), 401, "invalid_key");
  } finally {
    await open.stopAndRemove();
  }
});

test.each([
  [["127.0.0.1", "10.0.0.0/8"], "203.0.113.9, 198.51.100.4, 10.1.2.3", "198.51.100.4"],
  [["127.0.0.1"], "198.51.100.4, 10.1.2.3", "10.1.2.3"],
  [["127.0.0.0/8"], "nonsense", "127.0.0.1"],
  [["10.0.0.0/8"], "198.51.100.4", "127.0.0.1"],
  [[], "198.51.100.4", "127.0.0.1"],
])("with trusted proxies %j, X-Forwarded-For %j means %s", async (trustedProxies, forwarded, expected) => {
  const behind = await WireServer.start({ trustedProxies });
  try {
    const headers = { "x-forwarded-for": forwarded };
    await behind.send("POST", "/measure/event", { key: INGEST, body: measureEvent("x"), headers });
    const [event] = await eventsOnceThere(behind, 1);
    expect(event?.clientIp).toBe(expected);
  } finally {
    await behind.stopAndRemove();
  }
});

test("what was recorded is there after a restart, searches of the last moment too", async () => {
  const first = await WireServer.start({ measureIpAddresses: "shortened" });
  await first.createIndex("books");
  await first.post("/measure/event", measureEvent("x"));
  await first.post("/index/books/search", { query: "last words" });
  await first.stop();
  const second = await WireServer.start({}, { folder: first.folder });
  try {
    const events = await eventsOnceThere(second, 2);
    expect(events.map(({ eventName, clientIp }) => [eventName, clientIp])).toEqual([
      ["x", "127.0.0.0"],
      ["api_queried", "127.0.0.0"],
    ]);
  } finally {
    await second.stopAndRemove();
  }
});

test("while the store is away events wait on disk, up to the limit: then 429 with Retry-After", async () => {
  const store = createServer((_request, response) => response.writeHead(503).end()).listen(0, "127.0.0.1");
  await once(store, "listening");
  const measureUrl = `http://127.0.0.1:${(store.address() as AddressInfo).port}/events`;
  const waiting = await WireServer.start({ measureUrl, measureQueueMb: 1 });
  try {
    const bulky = Array.from({ length: 250 }, () => measureEvent("x", { search_term: "x".repeat(900) }));
    let answer = await waiting.post("/measure/batch", bulky, INGEST);
    expectPlainSuccess(answer, "batch accepted");
    // Each batch holds more than 200,000 bytes, so that six are over a mebibyte.
    for (let sent = 1; sent < 6 && answer.status === 200; sent++) {
      answer = await waiting.post("/measure/batch", bulky, INGEST);
    }
    expectError(answer, 429, "rate_limited");
    expect(Number(answer.headers["retry-after"])).toBeGreaterThanOrEqual(1);
    // Others don't suffer from it.
    expect((await waiting.get("/index", ADMIN)).status).toBe(200);
  } finally {
    await waiting.stopAndRemove();
    store.close();
  }
});

describe("switched off", () => {
  let off: WireServer;
  beforeAll(async () => {
    off = await WireServer.start({ measure: false });
    await off.createIndex("books");
  });
  afterAll(() => off.stopAndRemove());

  test("it says so, and searches go on", async () => {
    expect((await off.send("GET", "/measure/status")).json.enabled).toBe(false);
    expect((await off.post("/index/books/search", { query: "x" })).status).toBe(200);
  });

  test("the rest does nothing and answers 200, after the usual check of the key", async () => {
    expectPlainSuccess(await off.post("/measure/event", { nonsense: true }), "event accepted");
    expectPlainSuccess(await off.post("/measure/batch", []), "batch accepted");
    expectPlainSuccess(await off.delete("/measure/user/u"), { deleted_events: 0 });
    expect(await exportedEvents(off, "?format=parquet")).toEqual([]);
    for (const name of ["summary", "conversion", "usage", "breakdown"]) {
      const answer = await off.get(`/measure/dashboard/${name}?rpp=nonsense`);
      expect(answer.status).toBe(200);
      expect(answer.json.data.total_searches).toBe(0);
      expectError(await off.get(`/measure/dashboard/${name}`, READ), 403);
    }
    expectError(await off.post("/measure/event", {}, READ), 403, "insufficient_permissions");
    expectError(await off.send("POST", "/measure/batch"), 401, "missing_key");
  });
});
