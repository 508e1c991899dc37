// What operators ask of the server as a whole: only with every bit of 63, and nothing of it secret.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { ADMIN, INGEST, isOnCluster, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ slowSearchMs: 1, secretKey: "ab".repeat(32) });
  await server.createIndex("books");
  await server.createIndex("films", { auto_commit_delay: 1 });
});
afterAll(() => server.stopAndRemove());

const ROUTES = ["/admin/overview", "/admin/slow-searches", "/admin/log", "/admin/configuration"];

test.each(ROUTES)("%s needs all of 63", async (path) => {
  expect((await server.get(path)).status).toBe(200);
  expectError(await server.get(path, INGEST), 403, "insufficient_permissions");
  for (const permissions of [62, 31, 47]) {
    const key = (await server.post("/auth/key", { permissions, allowed_indexes: ["*"] })).json.data.key;
    expectError(await server.get(path, key), 403, "insufficient_permissions");
  }
});

describe("/admin/overview", () => {
  const indexOf = async (name: string) =>
    (await server.get("/admin/overview")).json.data.indexes.find(
      (index: { name: string }) => index.name === name,
    );

  test("tells of each index what it holds and what waits for a commit", async () => {
    expect(await indexOf("books")).toMatchObject({
      document_count: 0,
      has_pending_writes: false,
      pending_added: 0,
      pending_removed: 0,
      last_commit: null,
      is_being_analysed: false,
    });
    await server.post("/index/books/documents", [
      { id: "1", title: "one" },
      { id: "2", title: "two" },
    ]);
    expect(await indexOf("books")).toMatchObject({
      document_count: 0,
      has_pending_writes: true,
      pending_added: 2,
      last_commit: null,
    });
    await server.post("/index/books/commit");
    const committed = await indexOf("books");
    expect(committed).toMatchObject({ document_count: 2, has_pending_writes: false, pending_added: 0 });
    expect(Date.parse(committed.last_commit)).toBeGreaterThan(Date.now() - 60_000);
    await server.delete("/index/books/documents", { id: "2" });
    expect(await indexOf("books")).toMatchObject({ document_count: 2, pending_removed: 1 });
    await server.post("/index/books/rollback");
    expect(await indexOf("books")).toMatchObject({
      has_pending_writes: false,
      pending_removed: 0,
      last_commit: committed.last_commit,
    });
  });

  test("an automatic commit counts as one", async () => {
    await server.post("/index/films/documents", [{ id: "1" }]);
    const films = await indexOf("films");
    expect(films).toMatchObject({ document_count: 1, pending_added: 0 });
    expect(films.last_commit).not.toBeNull();
  });

  test("counts searches, and tells how the process fares", async () => {
    const before = (await indexOf("books")).searches_per_minute;
    for (let i = 0; i < 3; i++) await server.post("/index/books/search", { query: "one" }, READ);
    expect((await indexOf("books")).searches_per_minute).toBe(before + 3);
    const { health, version, node_version, started_at } = (await server.get("/admin/overview")).json.data;
    expect(health.resident_bytes).toBeGreaterThan(1e6);
    expect(health.disk_free_bytes).toBeGreaterThan(0);
    expect(health.memory_bytes).toBeGreaterThan(health.resident_bytes);
    // Where usage events are stored.
    if (!isOnCluster()) expect(health.waiting_events).toBeGreaterThanOrEqual(0);
    expect(health.cpu_cores).toBeGreaterThanOrEqual(0);
    expect(version).toMatch(/^\d+\.\d+\.\d+/);
    expect(node_version).toBe(process.version);
    expect(Date.parse(started_at)).toBeLessThanOrEqual(Date.now());
  });
});

test("/admin/slow-searches tells what took long as it was asked, the newest first", async () => {
  const body = { query: { exact: { ctx: "one OR two" } }, limit: 1 };
  // One that is over within a millisecond isn't slow: a first one has its index to open.
  await expect
    .poll(async () => {
      const many = Array.from({ length: 60 }, (_, i) => ({
        fuzzy: { ctx: `word${i}${Math.random()} oen tow` },
      }));
      await server.post("/index/books/search", { query: many });
      return (await server.get("/admin/slow-searches")).json.data.searches.length;
    })
    .toBeGreaterThan(0);
  const { threshold_ms, searches } = (await server.get("/admin/slow-searches")).json.data;
  expect(threshold_ms).toBe(1);
  expect(searches[0].index_name).toBe("books");
  expect(searches[0].duration_ms).toBeGreaterThanOrEqual(1);
  expect(searches[0].body).toContain('{"query":[');
  expect(searches[0].body.length).toBeLessThanOrEqual(2_000);
  expect(JSON.stringify(body)).not.toContain(ADMIN);
});

describe("/admin/log", () => {
  test("gives lines in order, and those behind one", async () => {
    await server.get("/index/marked-in-the-log");
    const lineOf = async () =>
      (await server.get("/admin/log")).json.data.lines.find(({ text }: { text: string }) =>
        text.includes("marked-in-the-log"),
      );
    await expect.poll(lineOf).toBeDefined();
    const found = await lineOf();
    expect(JSON.parse(found.text)).toMatchObject({ msg: "request", status: 404 });
    const later = (await server.get(`/admin/log?after=${found.number}`)).json.data;
    expect(later.lines.every(({ number }: { number: number }) => number > found.number)).toBe(true);
    expect(later.last).toBeGreaterThanOrEqual(found.number);
    expect((await server.get("/admin/log?after=999999")).json.data.lines).toEqual([]);
  });

  test.each(["-1", "x", "1&after=2"])("refuses after=%s", async (after) => {
    expectError(await server.get(`/admin/log?after=${after}`), 400, "invalid_request");
  });
});

test("/admin/configuration shows every setting, and no secret", async () => {
  const { text, json } = await server.get("/admin/configuration");
  const settings = new Map(
    json.data.settings.map((setting: { name: string; value: string }) => [setting.name, setting.value]),
  );
  expect(settings.get("slow_search_ms")).toBe("1");
  expect(settings.get("admin_key")).toBe("********");
  for (const secret of [ADMIN, INGEST, READ, "ab".repeat(32)]) expect(text).not.toContain(secret);
});

describe("/auth/self tells what a key may do", () => {
  test("configured ones too", async () => {
    expect((await server.get("/auth/self", READ)).json.data).toEqual({
      permissions: 1,
      allowed_indexes: ["*"],
      max_result_limit: 200,
    });
    expect((await server.get("/auth/self")).json.data.permissions).toBe(127);
  });

  test("stored ones with their scope", async () => {
    const draft = { permissions: 3, allowed_indexes: ["films", "books"] };
    const { key } = (await server.post("/auth/key", draft)).json.data;
    expect((await server.get("/auth/self", key)).json.data).toEqual({
      permissions: 3,
      allowed_indexes: ["books", "films"],
      max_result_limit: 200,
    });
    expectError(await server.send("GET", "/auth/self"), 401, "missing_key");
  });
});

describe("/admin/sign-in", () => {
  const codeOf = (link: string | null): string => new URL(link!).hash.replace("#code=", "");
  const signIn = (code: unknown, headers: Record<string, string> = {}) =>
    server.send("POST", "/admin/sign-in", { body: { code }, headers });

  test("exchanges the link's code for the admin key, once", async () => {
    const code = codeOf(server.running.signInLink());
    expect((await signIn(code)).json.data).toEqual({ key: ADMIN });
    expectError(await signIn(code), 401, "invalid_key");
    expect(server.logLines.join("")).not.toContain(code);
    expect((await server.get("/admin/log")).text).not.toContain(code);
  });

  test.each([
    { "x-forwarded-for": "127.0.0.1" },
    { host: "findling.example" },
    { origin: "http://elsewhere.example" },
  ])("not through others: %j", async (headers) => {
    const code = codeOf(server.running.signInLink());
    expectError(await signIn(code, headers), 403, "insufficient_permissions");
    expect((await signIn(code)).status).toBe(200);
  });

  test("refuses what is no code", async () => {
    expectError(await signIn("nonsense"), 401, "invalid_key");
    expectError(await signIn(7), 400, "invalid_request");
  });
});
