// The log: one structured line for each request, and never a key, wherever it travels.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ServerProcess } from "../setup/server-process.js";
import { ADMIN, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

describe("the access log", () => {
  test("has id, method, route, path, status and duration of each request", async () => {
    const answer = await server.get("/index/books/stats?x=secret-in-a-query");
    expect(await server.logLineOf(answer.headers["x-request-id"])).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      request_id: answer.headers["x-request-id"],
      method: "GET",
      route: "/index/:index_name/stats",
      path: "/index/books/stats",
      status: 404,
      duration_ms: expect.any(Number),
      msg: "request",
    });
  });

  test("names the file that the disk refused by its path, which the answer doesn't", async () => {
    // A folder where the file should come makes the rename fail.
    await mkdir(join(server.folder, "catalog", "indexes", "in-the-way.json"));
    const answer = await server.post("/index", {
      index: { name: "in-the-way", fields: { t: { type: "text" } } },
    });
    expect(answer.json).toMatchObject({
      status: 503,
      data: { details: expect.stringMatching(/rename 'in-the-way\.json\.tmp' -> 'in-the-way\.json'/) },
    });
    expect(answer.text).not.toContain(basename(server.folder));
    const id = String(answer.headers["x-request-id"]);
    const lines = server.logLines.filter((each) => each.includes(id) && each.includes("request failed"));
    expect(lines.join("")).toContain(server.folder);
  });

  test("names no route where there is none", async () => {
    for (const path of ["/nothing", "/index/%zz"]) {
      const answer = await server.get(path);
      expect(await server.logLineOf(answer.headers["x-request-id"])).toMatchObject({
        path,
        status: answer.status,
      });
    }
  });

  test("never holds a key: not from the header, the path, a body or an answer", async () => {
    const made = (await server.post("/auth/key", { permissions: 1, name: "logged" })).json.data.key;
    await server.get("/index", READ);
    await server.send("GET", "/index", { headers: { authorization: `Bearer ${made}` } });
    await server.send("GET", "/index", { key: "unknown-key-that-is-secret" });
    for (const path of [
      `/auth/key/${made}`,
      `//auth//key//${made}`,
      `/%61uth/key/${made}`,
      `/auth/key/${made}/x`,
      `http://localhost/auth/key/${made}`,
      `HTTP://localhost:8000/auth/key/${made}/%zz`,
      `other://localhost/auth/key/${made}`,
    ]) {
      await server.get(path);
      await server.delete(path);
    }
    const last = await server.get("/healthcheck");
    await server.logLineOf(last.headers["x-request-id"]);
    const log = server.logLines.join("");
    for (const secret of [ADMIN, READ, made, "unknown-key-that-is-secret", "secret-in-a-query"]) {
      expect(log).not.toContain(secret);
    }
    expect(log).toContain("/auth/key/********");
  });
});

test.each(["json", "text"])(
  "as %s: what a process logged is out when it has ended, and warnings at once",
  async (format) => {
    const folder = await mkdtemp(join(tmpdir(), "findling-logging-"));
    try {
      const process = await ServerProcess.start(folder, {
        FINDLING_LOG_LEVEL: "info",
        FINDLING_LOG_FORMAT: format,
      });
      for (let i = 0; i < 100; i++) await process.request("GET", `/index/none${i}/stats`);
      await expect.poll(() => process.output).toContain("/index/none99/stats");
      await process.request("GET", "/index/last/stats");
      expect(await process.stop()).toBe(0);
      const paths = [...process.output.matchAll(/\/index\/(none\d+|last)\/stats\b/g)].map(([, name]) => name);
      expect(new Set(paths)).toEqual(new Set([...Array.from({ length: 100 }, (_, i) => `none${i}`), "last"]));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);

test("what Kubernetes sets for a service is passed over, and named", async () => {
  const folder = await mkdtemp(join(tmpdir(), "findling-logging-"));
  try {
    const process = await ServerProcess.start(folder, {
      FINDLING_LOG_LEVEL: "info",
      FINDLING_PORT: "tcp://10.0.0.1:8000",
      FINDLING_SERVICE_HOST: "10.0.0.1",
    });
    // Log lines leave a moment after the greeting.
    await expect
      .poll(() => process.output)
      .toContain('"variables":["FINDLING_PORT","FINDLING_SERVICE_HOST"]');
    expect(await process.stop()).toBe(0);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the level is a setting", async () => {
  const quiet = await WireServer.start({ logLevel: "silent" });
  await quiet.get("/nothing");
  await quiet.stopAndRemove();
  expect(quiet.logLines).toEqual([]);
});

test("text is one line for each event", async () => {
  const text = await WireServer.start({ logFormat: "text" });
  await text.get("/nothing");
  await text.stopAndRemove();
  expect(text.logLines.find((line) => line.includes("status=404"))).toMatch(
    /^\S+Z INFO {2}request request_id=\S+ method=GET route=null path=\/nothing status=404 duration_ms=[\d.]+\n$/,
  );
});
