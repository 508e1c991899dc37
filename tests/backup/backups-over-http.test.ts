/**
 * Backups over HTTP, into a folder: what is restored answers as the commit did that was copied, whole into another server
 * or one index beside the others; pending writes are left out and named; nothing that is wrong costs more than itself.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { filesBelow } from "../kit/files-below.js";
import { expectError } from "../wire/expect-error.js";
import { WireServer, type WireSettings } from "../wire/wire-server.js";

let folder: string;
let server: WireServer;
let settings: WireSettings;
const others: WireServer[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-backup-"));
  settings = { backupUrl: pathToFileURL(join(folder, "store")).href };
  server = await WireServer.start(settings);
});
afterEach(async () => {
  for (const each of [server, ...others.splice(0)]) await each.stopAndRemove();
  rmSync(folder, { recursive: true, force: true });
});

async function makeIndex(name: string): Promise<void> {
  const fields = { title: { type: "text" }, year: { type: "u64" } };
  const index = { name, fields, search_fields: ["title"], auto_commit_delay: 3600 };
  expectOk(await server.post("/index", { index }));
}

function expectOk(answer: { readonly status: number; readonly text: string }): void {
  expect(answer.status, answer.text).toBe(200);
}

async function add(name: string, from: number, to: number): Promise<void> {
  const documents = [];
  for (let n = from; n < to; n++)
    documents.push({ title: `winter tale ${n} of ${n % 7}`, year: 1600 + (n % 50) });
  expectOk(await server.post(`/index/${name}/documents`, documents));
}

const commit = async (name: string): Promise<void> => expectOk(await server.post(`/index/${name}/commit`));

/** All that searches tell of an index. */
async function answersOf(from: WireServer, name: string): Promise<unknown> {
  const answers = [];
  for (const ctx of ["tale", "winter 3", "year:[1610 TO 1620]", "*"]) {
    const body = { query: { exact: { ctx } }, limit: 200 };
    const { json } = await from.post(`/index/${name}/search`, body);
    const { count } = json.data;
    // All but the index's name.
    const hits = json.data.hits.map(({ source_index: _, ...hit }: Record<string, unknown>) => hit);
    answers.push({ hits, count });
  }
  return answers;
}

async function backUp(): Promise<{ id: string; [member: string]: unknown }> {
  const answer = await server.post("/backup");
  expectOk(answer);
  return answer.json.data;
}

async function restored(extra: WireSettings = {}): Promise<WireServer> {
  const other = await WireServer.start({ ...settings, restoreFrom: "latest", ...extra });
  others.push(other);
  return other;
}

test("aliases are listed with the catalog and restored with the whole, not with one index", async () => {
  await makeIndex("books");
  await add("books", 0, 20);
  await commit("books");
  expectOk(await server.put("/alias/library", { index: "books" }));
  const { id } = await backUp();
  const manifest = readFileSync(join(folder, "store", "backups", `${id}.json`), "utf8");
  expect(manifest).toContain('"name":"aliases.json"');
  const other = await restored();
  expect((await other.get("/alias")).json.data).toEqual([{ alias: "library", index: "books" }]);
  expect(await answersOf(other, "library")).toEqual(await answersOf(server, "books"));
  expectOk(await server.delete("/alias/library"));
  expectOk(await server.put("/alias/shelf", { index: "books" }));
  expectOk(await server.post(`/backup/${id}/restore`, { index: "books", as: "old-books" }));
  expect((await server.get("/alias")).json.data).toEqual([{ alias: "shelf", index: "books" }]);
  expectError(
    await server.post(`/backup/${id}/restore`, { index: "books", as: "shelf" }),
    400,
    "invalid_index",
  );
});

test("a whole backup restores indexes, dictionaries, federations, keys and usage events", async () => {
  await makeIndex("books");
  await makeIndex("films");
  await add("books", 0, 300);
  await commit("books");
  await add("films", 0, 20);
  await commit("films");
  expectOk(await server.post("/index/books/synonyms", ["story:tale"]));
  expectOk(await server.post("/index/books/stopwords", ["winter"]));
  expectOk(
    await server.post("/federation", {
      name: "all",
      index_configurations: [{ name: "books" }, { name: "films" }],
    }),
  );
  const { key } = (
    await server.post("/auth/key", { permissions: 1, allowed_indexes: ["books"], name: "shop" })
  ).json.data;
  for (let n = 0; n < 3; n++) {
    const event = {
      event_name: "document_clicked",
      properties: { searchcraft_index_names: ["books"], search_term: "tale" },
      user: { user_id: `u${n}` },
    };
    expectOk(await server.post("/measure/event", event));
  }
  await add("books", 300, 310);
  const made = await backUp();
  expect(made).toMatchObject({
    failed: [],
    events: "duckdb",
    indexes: [
      { name: "books", document_count: 300, pending_writes_left_out: true },
      { name: "films", document_count: 20, pending_writes_left_out: false },
    ],
  });
  const expected = await answersOf(server, "books");
  await server.post("/index/books/commit");
  await server.send("DELETE", "/index/films", { key: "admin-key-of-the-tests" });

  const other = await restored();
  expect(await answersOf(other, "books")).toEqual(expected);
  expect((await other.get("/index/books/synonyms")).json.data).toEqual(
    (await server.get("/index/books/synonyms")).json.data,
  );
  expect((await other.get("/index/books/stopwords")).text).toContain("winter");
  expect((await other.get("/federation/all")).status).toBe(200);
  expect((await other.post("/federation/all/search", { query: "tale" })).json.data.count).toBe(320);
  // The secret key is no part of a backup, and it is said so.
  expect((await other.get("/index/books", key)).status).toBe(401);
  expect(other.logLines.join("")).toMatch(/secret key/);
  expect((await other.get("/auth/key")).json.data).toMatchObject([{ name: "shop" }]);
  const events = await other.get("/measure/export?format=ndjson");
  expect(
    events.text
      .trim()
      .split("\n")
      .filter((line) => line.includes("document_clicked")),
  ).toHaveLength(3);
  // What is restored is an index like any other.
  expectOk(await other.post("/index/books/documents", [{ title: "another tale", year: 1 }]));
  expectOk(await other.post("/index/books/commit"));
});

test("with its secret key beside it, everything works at once", async () => {
  const { key } = (await server.post("/auth/key", { permissions: 63, name: "admin" })).json.data;
  await backUp();
  const dataDir = mkdtempSync(join(tmpdir(), "findling-wire-"));
  writeFileSync(join(dataDir, "secret.key"), readFileSync(join(server.folder, "secret.key")));
  const other = await WireServer.start({ ...settings, restoreFrom: "latest" }, { folder: dataDir });
  others.push(other);
  expect((await other.get("/auth/key", key)).status).toBe(200);
});

test("one index is restored beside the others, and takes nobody's name", async () => {
  await makeIndex("books");
  await add("books", 0, 200);
  await commit("books");
  const expected = await answersOf(server, "books");
  const { id } = await backUp();
  await server.send("DELETE", "/index/books/documents/all", { key: "admin-key-of-the-tests" });
  await add("books", 0, 3);
  await commit("books");
  expectError(
    await server.post(`/backup/${id}/restore`, { index: "books", as: "books" }),
    409,
    "index_exists",
  );
  const answer = await server.post(`/backup/${id}/restore`, { index: "books", as: "yesterday" });
  expect(answer.json.data).toEqual({ index: "yesterday", document_count: 200, missing: [] });
  expect(await answersOf(server, "yesterday")).toEqual(expected);
  const settingsOf = async (name: string) => ({
    ...(await server.get(`/index/${name}`)).json.data,
    name: "",
  });
  expect(await settingsOf("yesterday")).toEqual(await settingsOf("books"));
  // Both go on, and neither minds the other's files.
  await add("yesterday", 0, 10);
  await commit("yesterday");
  await server.stop();
  server = await WireServer.start(settings, { folder: server.folder });
  expect((await server.get("/index/yesterday/stats")).json.data.document_count).toBe(210);
  expect((await server.get("/index/books/stats")).json.data.document_count).toBe(3);
});

test("a second backup sends what is new, and no more", async () => {
  await makeIndex("books");
  for (let n = 0; n < 10; n++) {
    await add("books", n * 1000, (n + 1) * 1000);
    await commit("books");
  }
  const first = (await backUp()) as unknown as { uploaded_bytes: number };
  const again = (await backUp()) as unknown as { uploaded_bytes: number; total_bytes: number };
  expect(again.uploaded_bytes).toBe(0);
  await add("books", 10_000, 10_100);
  await commit("books");
  const second = (await backUp()) as unknown as { uploaded_bytes: number };
  expect(second.uploaded_bytes).toBeGreaterThan(0);
  expect(second.uploaded_bytes).toBeLessThan(first.uploaded_bytes * 0.05);
  expect((await server.get("/backup")).json.data.backups).toHaveLength(3);
});

describe("what is wrong", () => {
  test("costs itself alone: one damaged file an index, and never the others", async () => {
    for (const name of ["books", "films"]) {
      await makeIndex(name);
      await add(name, 0, 50);
      await commit(name);
    }
    const { id } = await backUp();
    expect((await server.post(`/backup/${id}/verify`)).json.data).toMatchObject({
      sound: true,
      problems: [],
    });
    const manifest = JSON.parse(
      readFileSync(join(folder, "store", "backups", `${id}.json`), "utf8").split("\n")[1]!,
    );
    const piece = manifest.indexes[0].files[0].pieces[0].sha256 as string;
    const path = join(folder, "store", "pieces", piece.slice(0, 2), piece);
    const bytes = readFileSync(path);
    bytes[100]! ^= 1;
    writeFileSync(path, bytes);
    const check = (await server.post(`/backup/${id}/verify`)).json.data;
    expect(check).toMatchObject({ sound: false, problems: [{ index: "books" }] });
    expectError(
      await server.post(`/backup/${id}/restore`, { index: "books", as: "b" }),
      409,
      "backup_damaged",
    );
    expect((await server.get("/index")).json.data.index_names).toEqual(["books", "films"]);
    expectOk(await server.post(`/backup/${id}/restore`, { index: "films", as: "f" }));
    const other = await restored();
    expect((await other.get("/index")).json.data.index_names).toEqual(["films"]);
    expect(other.logLines.join("")).toMatch(/books/);
    unlinkSync(path);
    expect((await server.post(`/backup/${id}/verify`)).json.data.problems[0].problem).toMatch(/missing/);
  });

  test.each([
    { file: "keys.json", holder: "access keys" },
    { file: "aliases.json", holder: "aliases" },
    { file: "federations/shop.json", holder: "federation 'shop'" },
  ])("a damaged $file is named by the backup and by its restore", async ({ file, holder }) => {
    await makeIndex("books");
    expectOk(await server.put("/alias/novels", { index: "books" }));
    const shop = { name: "shop", index_configurations: [{ name: "books", weight: 1 }] };
    expectOk(await server.post("/federation", shop));
    const path = join(server.folder, "catalog", file);
    const bytes = readFileSync(path);
    bytes[bytes.length - 3]! ^= 1;
    writeFileSync(path, bytes);
    const problem = `${holder}: file '${file}' is damaged: its content does not have the SHA-256 that it should have`;
    const { id, failed } = (await backUp()) as unknown as { id: string; failed: unknown };
    expect(failed).toEqual([{ index: null, problem }]);
    expect((await server.get("/backup")).json.data.backups[0]).toMatchObject({ id, failed });
    expect((await server.post(`/backup/${id}/verify`)).json.data).toMatchObject({
      sound: false,
      problems: [{ problem: `was damaged when the backup was made: ${problem}` }],
    });
    const other = await restored();
    expect((await other.get("/index")).json.data.index_names).toEqual(["books"]);
    expect(other.logLines.join("")).toContain(problem);
  });

  test("a damaged manifest is listed as damaged, and the others as they are", async () => {
    const first = await backUp();
    const second = await backUp();
    const path = join(folder, "store", "backups", `${first.id}.json`);
    const text = readFileSync(path, "utf8");
    for (const damaged of [text.slice(0, -20), text.replace(first.id, second.id), "", "{}\n"]) {
      writeFileSync(path, damaged);
      const { backups, damaged: list } = (await server.get("/backup")).json.data;
      expect(backups).toMatchObject([{ id: second.id }]);
      expect(list).toMatchObject([{ id: first.id }]);
      expect((await server.post(`/backup/${first.id}/verify`)).json.data.sound).toBe(false);
      expectError(
        await server.post(`/backup/${first.id}/restore`, { index: "a", as: "b" }),
        409,
        "backup_damaged",
      );
    }
  });

  test("requests that ask for what isn't there are refused", async () => {
    const { id } = await backUp();
    const post = (path: string, body?: unknown) => server.post(path, body);
    expectError(await post("/backup/none/verify"), 404, "backup_not_found");
    expectError(await post("/backup/..%2f..%2fetc/verify"), 404, "backup_not_found");
    expectError(
      await post("/backup/20200101T000000000Z-00000000/restore", { index: "a", as: "b" }),
      404,
      "backup_not_found",
    );
    expectError(await post(`/backup/${id}/restore`, { index: "a", as: "b" }), 404, "index_not_found");
    for (const body of [undefined, {}, [], { index: "a" }, { index: 1, as: "b" }, { index: "", as: "" }])
      expectError(await post(`/backup/${id}/restore`, body), 400, "invalid_request");
    const { backups } = (await server.get("/backup")).json.data;
    expect(backups).toHaveLength(1);
  });

  test("a name that no index can have restores nothing", async () => {
    await makeIndex("books");
    const { id } = await backUp();
    expectError(
      await server.post(`/backup/${id}/restore`, { index: "books", as: "../x" }),
      400,
      "invalid_index",
    );
  });

  test("an index whose files are gone is missing in the backup, which says so", async () => {
    for (const name of ["books", "films"]) {
      await makeIndex(name);
      await add(name, 0, 50);
      await commit(name);
    }
    const entries = readdirSync(join(server.folder, "catalog", "indexes"));
    expect(entries).toHaveLength(2);
    const { storageId } = JSON.parse(
      readFileSync(join(server.folder, "catalog", "indexes", "books.json"), "utf8").split("\n")[1]!,
    );
    await server.stop();
    for (const [path] of filesBelow(join(server.folder, "indexes", storageId)))
      if (path.endsWith(".doc")) rmSync(path);
    server = await WireServer.start(settings, { folder: server.folder });
    const made = await backUp();
    expect(made).toMatchObject({ failed: [{ index: "books" }], indexes: [{ name: "films" }] });
    expect((await server.post("/backup/latest/verify")).json.data).toMatchObject({
      sound: false,
      problems: [{ index: "books", problem: expect.stringContaining("when the backup was made") }],
    });
  });
});

test("a server without a place for backups says how to give it one", async () => {
  const other = await WireServer.start();
  others.push(other);
  for (const [method, path] of [
    ["GET", "/backup"],
    ["POST", "/backup"],
    ["POST", "/backup/20200101T000000000Z-00000000/verify"],
  ] as const)
    expectError(
      await other.send(method, path, { key: "admin-key-of-the-tests" }),
      400,
      "backup_not_configured",
    );
});

test("a folder that holds data isn't restored into", async () => {
  await makeIndex("books");
  await backUp();
  await server.stop();
  server = await WireServer.start({ ...settings, restoreFrom: "latest" }, { folder: server.folder });
  expect(server.logLines.join("")).toMatch(/passed over/);
  expect((await server.get("/index")).json.data.index_names).toEqual(["books"]);
  expect(statSync(join(server.folder, "catalog")).isDirectory()).toBe(true);
});

describe("where nobody waits for it", () => {
  const listed = async (): Promise<ReturnType<typeof JSON.parse>> => (await server.get("/backup")).json.data;

  test.each([
    ["?wait=false", {}],
    ["", { prefer: "respond-async" }],
    ["", { prefer: "handling=lenient, respond-async; wait=10" }],
  ])("POST /backup%s with %o answers 202 with the id that the list then has", async (query, headers) => {
    await makeIndex("books");
    await add("books", 0, 50);
    await commit("books");
    const begun = await server.send("POST", `/backup${query}`, { key: "admin-key-of-the-tests", headers });
    expect(begun.status, begun.text).toBe(202);
    expect(begun.json).toEqual({
      status: 202,
      data: { id: expect.stringMatching(/^\d{8}T\d{9}Z-[0-9a-f]{8}$/), state: "running" },
    });
    const { id } = begun.json.data;
    // Whenever it is asked for, it is in one of the two places.
    for (;;) {
      const { backups, running, running_id: runningId, last_failure: failure } = await listed();
      expect(failure).toBeUndefined();
      if (backups.some((backup: { id: string }) => backup.id === id)) break;
      expect([running, runningId]).toEqual([true, id]);
    }
    await expect.poll(async () => (await listed()).running).toBe(false);
    expect((await server.post(`/backup/${id}/verify`)).json.data.sound).toBe(true);
  });

  test("one of which nothing comes is told as the last failure, with the reason", async () => {
    const pieces = join(folder, "store", "pieces");
    rmSync(pieces, { recursive: true, force: true });
    mkdirSync(join(folder, "store"), { recursive: true });
    writeFileSync(pieces, "in the way");
    const { id } = (await server.post("/backup?wait=false")).json.data;
    await expect
      .poll(async () => (await listed()).last_failure)
      .toMatchObject({ id, problem: expect.any(String) });
    expect(await listed()).toMatchObject({ running: false, backups: [] });
    rmSync(pieces);
    await backUp();
    expect((await listed()).backups).toHaveLength(1);
  });

  test.each([
    ["?wait=false", {}],
    ["", { prefer: "respond-async" }],
  ])("a restore with %s and %o answers 202, and the list tells how far it is", async (query, headers) => {
    await makeIndex("books");
    await add("books", 0, 300);
    await commit("books");
    const expected = await answersOf(server, "books");
    const { id } = await backUp();
    expect(await listed()).not.toHaveProperty("restores");
    const begun = await server.send("POST", `/backup/latest/restore${query}`, {
      key: "admin-key-of-the-tests",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ index: "books", as: "yesterday" }),
    });
    expect(begun.json).toEqual({
      status: 202,
      data: { backup: id, index: "books", as: "yesterday", state: "running" },
    });
    await expect
      .poll(async () => (await listed()).restores[0].state, { timeout: 60_000 })
      .not.toBe("running");
    const [restore, ...older] = (await listed()).restores;
    expect(older).toEqual([]);
    expect(restore).toMatchObject({
      backup: id,
      index: "books",
      as: "yesterday",
      state: "done",
      missing: [],
    });
    expect(restore).toMatchObject({ document_count: 300, restored_bytes: restore.total_bytes });
    expect(await answersOf(server, "yesterday")).toEqual(expected);
    const taken = { index: "books", as: "yesterday" };
    expectError(await server.post(`/backup/${id}/restore?wait=false`, taken), 409, "index_exists");
    expectError(
      await server.post(`/backup/${id}/restore?wait=false`, { ...taken, index: "none" }),
      404,
      "index_not_found",
    );
  });

  test("a restore that fails is told with the reason, and leaves nothing", async () => {
    await makeIndex("books");
    await add("books", 0, 300);
    await commit("books");
    const { id } = await backUp();
    rmSync(join(folder, "store", "pieces"), { recursive: true });
    const body = { index: "books", as: "yesterday" };
    expect((await server.post(`/backup/${id}/restore?wait=false`, body)).status).toBe(202);
    await expect
      .poll(async () => (await listed()).restores[0], { timeout: 60_000 })
      .toMatchObject({ state: "failed", as: "yesterday", problem: expect.stringContaining("damaged") });
    expect((await server.get("/index")).json.data.index_names).toEqual(["books"]);
  });

  test("a wait that is neither true nor false is refused, and nothing is begun", async () => {
    expectError(await server.post("/backup?wait=maybe"), 400, "invalid_request");
    expect(await listed()).toMatchObject({ running: false, backups: [] });
    expectOk(
      await server.send("POST", "/backup?wait=true", {
        key: "admin-key-of-the-tests",
        headers: { prefer: "respond-async" },
      }),
    );
  });
});
