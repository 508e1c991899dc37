// Properties: a server starts whatever file of its catalog is damaged, answers for all the rest, tells the operator what
// is missing without a path of the disk, and lets nobody in whom damage should keep out; a backup of it lacks the index
// whose entry is damaged and nothing else.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { markDisposable } from "../../src/engine/server-door.js";
import { ADMIN, READ, WireServer, type WireSettings } from "./wire-server.js";

let folder: string;
let storedKey: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-damage-"));
  await during({}, async (server) => {
    for (const name of ["books", "films"]) {
      const body = { name, fields: { title: { type: "text" } } };
      expect((await server.send("POST", "/index", { key: ADMIN, body })).status).toBe(200);
      const document = { key: ADMIN, body: [{ title: "winter" }] };
      expect((await server.send("POST", `/index/${name}/documents`, document)).status).toBe(200);
      expect((await server.send("POST", `/index/${name}/commit`, { key: ADMIN })).status).toBe(200);
    }
    const body = { name: "stored", permissions: 63, allowed_indexes: ["*"] };
    storedKey = (await server.send("POST", "/auth/key", { key: ADMIN, body })).json.data.key;
    expect(await hits(server, "books", storedKey)).toEqual([200, 1]);
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

async function during(
  settings: WireSettings,
  work: (server: WireServer) => Promise<void>,
): Promise<WireServer> {
  const server = await WireServer.start(settings, { folder: join(folder, "data") });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
  return server;
}

function cut(path: string): void {
  const file = join(folder, "data", path);
  writeFileSync(file, readFileSync(file).subarray(0, 60));
}

async function hits(server: WireServer, index: string, key: string): Promise<readonly unknown[]> {
  const body = { query: { exact: { ctx: "winter" } } };
  const { status, json } = await server.send("POST", `/index/${index}/search`, { key, body });
  return [status, json.data.hits?.length ?? json.data.code];
}

async function problemOf(server: WireServer): Promise<string | null> {
  const { json } = await server.send("GET", "/admin/overview", { key: ADMIN });
  return json.data.health.storage_problem;
}

test("an index's entry costs the index alone, which a backup names", async () => {
  cut("catalog/indexes/books.json");
  const backupUrl = pathToFileURL(join(folder, "backups")).href;
  const server = await during({ backupUrl }, async (running) => {
    expect((await running.send("GET", "/readyz")).status).toBe(200);
    expect(await hits(running, "films", READ)).toEqual([200, 1]);
    expect(await hits(running, "books", READ)).toEqual([404, "index_not_found"]);
    const problem = await problemOf(running);
    expect(problem).toContain("index 'books'");
    expect(problem).not.toContain(folder);
    const backup = await running.send("POST", "/backup", { key: ADMIN });
    expect([backup.status, backup.json.data.failed]).toEqual([
      200,
      [{ index: "books", problem: expect.stringContaining("is damaged") }],
    ]);
    expect(backup.text).not.toContain(folder);
  });
  expect(server.logLines.join("")).toContain("books.json' is damaged");
});

test("the folder of an index whose entry is damaged stays, though it is marked as one that may be deleted", async () => {
  const entry = readFileSync(join(folder, "data", "catalog", "indexes", "books.json"), "utf8");
  const { storageId } = JSON.parse(entry.split("\n")[1]!) as { readonly storageId: string };
  const storage = join(folder, "data", "indexes", storageId);
  // As between the two steps of making an index.
  await markDisposable(storage);
  cut("catalog/indexes/books.json");
  const before = readdirSync(storage);
  await during({}, async (server) => {
    expect(await hits(server, "books", READ)).toEqual([404, "index_not_found"]);
  });
  expect(readdirSync(storage)).toEqual(expect.arrayContaining(before));
});

describe("damaged keys", () => {
  test.each(["catalog/keys.json", "secret.key"])("in %s let only configured ones in", async (path) => {
    cut(path);
    if (path === "secret.key") writeFileSync(join(folder, "data", path), "");
    await during({}, async (server) => {
      expect(await hits(server, "books", storedKey)).toEqual([401, "invalid_key"]);
      expect(await hits(server, "books", READ)).toEqual([200, 1]);
      expect(await problemOf(server)).toContain(path === "secret.key" ? "secret key" : "access keys");
      const body = { name: "new", permissions: 1, allowed_indexes: ["*"] };
      const made = await server.send("POST", "/auth/key", { key: ADMIN, body });
      expect(await hits(server, "books", made.json.data.key)).toEqual([200, 1]);
      expect(await hits(server, "books", storedKey)).toEqual([401, "invalid_key"]);
    });
    expect(readFileSync(join(folder, "data", `${path}.damaged`)).length).toBeLessThan(61);
  });

  test("make no first ones, and without a configured one nobody is let in", async () => {
    cut("catalog/keys.json");
    const none = { adminKey: undefined, ingestKey: undefined, readKey: undefined };
    for (let start = 0; start < 2; start++) {
      await during(none, async (server) => {
        expect(server.running.createdKeys).toEqual([]);
        expect(server.running.signInLink()).toBeNull();
        for (const key of [storedKey, ADMIN]) expect((await hits(server, "books", key))[0]).toBe(401);
      });
    }
  });
});
