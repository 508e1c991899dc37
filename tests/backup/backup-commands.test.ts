/**
 * The commands on real processes: what is restored is sound and has every committed document, whenever the server that
 * makes a backup, or the command that restores one, is killed; `findling check` names what is wrong, and what is left over.
 */
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CliResult, resultOf, runCli, ServerProcess, spawnCli } from "../cli/cli-harness.js";

const KILLS = Number(
  process.env["FINDLING_TEST_CRASH_SEEDS"] ?? (process.env["FINDLING_TEST_ALL"] === "1" ? 40 : 8),
);
const DOCUMENTS = 2_000;

const ADMIN = "admin-key-of-the-tests";
const EVENT = {
  event_name: "document_clicked",
  properties: { searchcraft_index_names: ["books"] },
  user: { user_id: "u" },
} as const;
const clientOf = (server: ServerProcess) => server.client(ADMIN);

let folder: string;
let env: Record<string, string>;
let server: ServerProcess;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-backups-"));
  env = {
    FINDLING_ADMIN_KEY: ADMIN,
    FINDLING_BACKUP_URL: pathToFileURL(join(folder, "store")).href,
    FINDLING_LOG_LEVEL: "error",
  };
  server = await ServerProcess.start(join(folder, "data"), { env });
  const client = clientOf(server);
  await client.createKey({ name: "shop", permissions: 1 });
  await client.createIndex({ name: "books", fields: { title: { type: "text" } } } as never);
  await addAndCommit(0, DOCUMENTS);
});
afterEach(async () => {
  await server.end("SIGTERM");
  await rm(folder, { recursive: true, force: true });
});

async function addAndCommit(from: number, to: number): Promise<void> {
  const documents = Array.from({ length: to - from }, (_, n) => ({
    title: `number ${from + n} of the tales`,
  }));
  await clientOf(server).addDocuments("books", documents);
  await clientOf(server).commitIndex("books");
}

/** In DuckDB's file blocks of 256 KiB come behind three heads of 4 KiB. */
function damageBlocks(path: string): void {
  const bytes = readFileSync(path);
  for (let at = 12_288; at < bytes.length; at += 512) bytes[at]! ^= 1;
  writeFileSync(path, bytes);
}

const cli = (...args: readonly string[]): Promise<CliResult> =>
  runCli(args, { env: { ...env, FINDLING_URL: server.url, FINDLING_DATA_DIR: server.dataDir } });

async function succeed(...args: readonly string[]): Promise<ReturnType<typeof JSON.parse>> {
  const result = await cli(...args, "--json");
  expect(result.code, result.stderr + result.stdout).toBe(0);
  return JSON.parse(result.stdout);
}

async function check(dataDir: string): Promise<ReturnType<typeof JSON.parse>> {
  const { stdout } = await runCli(["check", dataDir, "--json"], { env });
  return JSON.parse(stdout);
}

test("create, list, verify, restore and prune", async () => {
  const made = await succeed("backup", "create");
  expect(made.indexes).toMatchObject([{ name: "books", document_count: DOCUMENTS }]);
  expect((await succeed("backup", "list")).backups).toMatchObject([{ id: made.id }]);
  expect(await succeed("backup", "verify")).toMatchObject({ id: made.id, sound: true });
  const dataDir = join(folder, "restored");
  const restored = await succeed("backup", "restore", "--data-dir", dataDir);
  expect(restored).toMatchObject({
    id: made.id,
    failed: [],
    indexes: [{ name: "books", document_count: DOCUMENTS }],
  });
  // The keys that the first start made, sealed with a secret key that isn't there.
  expect(restored.missing.join("")).toMatch(/secret key/);
  expect(await check(dataDir)).toMatchObject({
    sound: true,
    orphans: [],
    indexes: [{ documents: DOCUMENTS }],
  });
  const again = await cli("backup", "restore", "--data-dir", dataDir);
  expect([again.code, again.stderr]).toEqual([1, expect.stringMatching(/holds data already/)]);
  const one = await succeed("backup", "restore", "--index", "books", "--as", "yesterday");
  expect(one).toEqual({ index: "yesterday", document_count: DOCUMENTS, missing: [] });
  expect(await succeed("backup", "create")).toMatchObject({ failed: [] });
  expect(await succeed("backup", "prune", "--keep", "1")).toMatchObject({ deleted: [made.id] });
  expect((await succeed("backup", "list")).backups).toHaveLength(1);
  expect((await cli("backup", "verify", made.id)).code).not.toBe(0);
  expect((await cli("backup", "restore", "--as", "x")).code).toBe(2);
  expect((await cli("backup", "prune")).code).toBe(2);
});

test("create and verify end with an error where something is damaged, and say what", async () => {
  const path = join(server.dataDir, "catalog", "keys.json");
  const bytes = readFileSync(path);
  bytes[bytes.length - 3]! ^= 1;
  writeFileSync(path, bytes);
  const made = await cli("backup", "create");
  expect([made.code, made.stdout, made.stderr]).toEqual([
    6,
    expect.stringContaining("DAMAGED  access keys: file 'keys.json' is damaged"),
    expect.stringMatching(/the backup is made, but access keys: .*, and is in the backup as it is/),
  ]);
  const verified = await cli("backup", "verify");
  expect([verified.code, verified.stdout]).toEqual([
    6,
    expect.stringContaining("was damaged when the backup was made: access keys: "),
  ]);
});

test("create and verify end with an error where usage events can't be read", async () => {
  await clientOf(server).recordMeasureEvent(EVENT);
  await server.end("SIGTERM");
  damageBlocks(join(server.dataDir, "measure", "events.duckdb"));
  server = await ServerProcess.start(server.dataDir, { env });
  const made = await cli("backup", "create");
  expect([made.code, made.stdout, made.stderr]).toEqual([
    6,
    expect.stringContaining("MISSING  usage events: "),
    expect.stringMatching(/the backup is made, but usage events are not in it: /),
  ]);
  const verified = await cli("backup", "verify");
  expect([verified.code, verified.stdout]).toEqual([
    6,
    expect.stringContaining("usage events could not be read when the backup was made"),
  ]);
});

test(`a restore that is killed leaves nothing that starts, and the next one is whole (${KILLS} kills)`, async () => {
  await succeed("backup", "create");
  const dataDir = join(folder, "restored");
  const began = performance.now();
  await succeed("backup", "restore", "--data-dir", dataDir);
  const takesMs = performance.now() - began;
  await rm(dataDir, { recursive: true });
  for (let kill = 0; kill < KILLS; kill++) {
    const child = spawnCli(["backup", "restore", "--data-dir", dataDir], { env });
    // It may be over before.
    const over = resultOf(child);
    await wait(takesMs * (0.4 + 0.6 * (kill / KILLS)));
    child.kill("SIGKILL");
    await over;
    if (existsSync(join(dataDir, "catalog"))) {
      // It had come to its end.
      expect(await check(dataDir)).toMatchObject({ sound: true, indexes: [{ documents: DOCUMENTS }] });
      await rm(dataDir, { recursive: true });
    } else if (existsSync(join(dataDir, ".restoring"))) {
      const start = await runCli(["serve", "--port", "0", "--data-dir", dataDir], { env });
      expect([start.code, start.stderr]).toEqual([1, expect.stringMatching(/cut off/)]);
    }
  }
  if (!existsSync(join(dataDir, "catalog"))) await succeed("backup", "restore", "--data-dir", dataDir);
  expect(await check(dataDir)).toMatchObject({
    sound: true,
    orphans: [],
    indexes: [{ documents: DOCUMENTS }],
  });
});

test(`a server that is killed while it makes backups has made none or whole ones (${KILLS} kills)`, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    await addAndCommit(DOCUMENTS + kill * 50, DOCUMENTS + kill * 50 + 50);
    const client = clientOf(server);
    const making = client.createBackup().catch(() => null);
    const writing = client.addDocuments("books", [{ title: "meanwhile" }]).catch(() => null);
    await wait(Math.random() * 120);
    server.child.kill("SIGKILL");
    await Promise.all([making, writing, once(server.child, "close")]);
    server = await ServerProcess.start(server.dataDir, { env });
    await clientOf(server).rollbackIndex("books");
  }
  const { backups, damaged } = await succeed("backup", "list");
  expect(damaged).toEqual([]);
  for (const { id } of backups) expect(await succeed("backup", "verify", id)).toMatchObject({ sound: true });
  const { id } = await succeed("backup", "create");
  const dataDir = join(folder, "restored");
  await succeed("backup", "restore", id, "--data-dir", dataDir);
  const documents = DOCUMENTS + KILLS * 50;
  expect(await check(dataDir)).toMatchObject({ sound: true, indexes: [{ documents }] });
});

test("check looks at events, backups and what is left over", async () => {
  await clientOf(server).recordMeasureEvent(EVENT);
  await succeed("backup", "create");
  await server.end("SIGTERM");
  const sound = await check(server.dataDir);
  expect(sound).toMatchObject({ sound: true, orphans: [], backups: 1 });
  expect(sound.events.stored).toBeGreaterThan(0);

  const copy = join(folder, "copy");
  await cp(server.dataDir, copy, { recursive: true, filter: (path) => !path.includes("/.lock-") });
  const [storage] = readdirSync(join(copy, "indexes"));
  await mkdir(join(copy, "notes"));
  writeFileSync(join(copy, "catalog", "keys.json.tmp"), "half");
  writeFileSync(join(copy, "indexes", storage!, "thumbs.db"), "x");
  const { sound: isSound, orphans } = await check(copy);
  expect(isSound).toBe(true);
  expect(orphans.map(({ path }: { path: string }) => path).toSorted()).toEqual(
    ["catalog/keys.json.tmp", `indexes/${storage}/thumbs.db`, "notes"].toSorted(),
  );

  const database = join(copy, "measure", "events.duckdb");
  damageBlocks(database);
  expect((await check(copy)).problems).toMatchObject([{ file: database }]);

  const pieces = join(folder, "store", "pieces");
  await rm(join(pieces, readdirSync(pieces)[0]!), { recursive: true });
  const { problems } = await check(server.dataDir);
  expect(problems[0]).toMatchObject({ file: expect.stringMatching(/^backups\//) });
  server = await ServerProcess.start(server.dataDir, { env });
});
