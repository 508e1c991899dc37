// Properties of a server's data folder: two servers never have it, in whatever namespaces they run; whatever becomes of
// the first, the next one starts; a copy starts beside the original; a disk that takes nothing new is searched.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServerProcess } from "../setup/server-process.js";

const mayBeSkipped = process.env["FINDLING_TEST_ALL"] !== "1";
const runs = (...command: readonly string[]): boolean =>
  spawnSync(command[0]!, command.slice(1)).status === 0;
const hasNamespaces = runs("unshare", "--pid", "--mount", "--uts", "--fork", "true");

let folder: string;
let data: string;
const servers: ServerProcess[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-claim-"));
  data = join(folder, "data");
});

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.kill()));
  await rm(folder, { recursive: true, force: true });
});

async function start(path: string = data, within: readonly string[] = []): Promise<ServerProcess> {
  const server = await ServerProcess.start(path, {}, within);
  servers.push(server);
  return server;
}

/** A container with the host's network: its own processes, mounts and host name. */
function container(hostname: string): readonly string[] {
  const namespaces = ["--pid", "--mount", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc"];
  return ["unshare", ...namespaces, "sh", "-c", `hostname ${hostname} && exec "$@"`, "sh"];
}

async function withDocuments(server: ServerProcess): Promise<void> {
  const index = { name: "books", fields: { title: { type: "text", stored: true } } };
  expect((await server.request("POST", "/index", { index })).status).toBe(200);
  for (const title of ["winter", "summer"]) {
    await server.request("POST", "/index/books/documents", [{ title }]);
    expect((await server.request("POST", "/index/books/commit")).status).toBe(200);
  }
}

async function count(server: ServerProcess): Promise<unknown> {
  const { body } = await server.request("POST", "/index/books/search", { query: { exact: { ctx: "*" } } });
  const { count: found, hits } = body.data as { count: number; hits: { doc: { title: string } }[] };
  return { count: found, titles: hits.map(({ doc }) => doc.title) };
}

const BOTH = { count: 2, titles: ["winter", "summer"] };

async function locksIn(path: string): Promise<string[]> {
  return (await readdir(path)).filter((name) => name.startsWith(".lock"));
}

test("its lock is there while a server runs, and gone after an orderly stop", async () => {
  const server = await start();
  expect(await locksIn(data)).not.toEqual([]);
  await server.stop();
  expect(await locksIn(data)).toEqual([]);
});

test("a copy of a running server's folder starts beside it, and both go on", async () => {
  const original = await start();
  await withDocuments(original);
  execFileSync("cp", ["-a", data, join(folder, "copy")]);
  const copy = await start(join(folder, "copy"));
  expect(await count(copy)).toEqual(BOTH);
  await copy.request("POST", "/index/books/documents", [{ title: "autumn" }]);
  expect((await copy.request("POST", "/index/books/commit")).status).toBe(200);
  expect(await count(original)).toEqual(BOTH);
});

describe.skipIf(!hasNamespaces && mayBeSkipped)("with containers (needs unshare)", () => {
  test.each([
    ["equal", "one", "one"],
    ["different", "one", "two"],
  ])(
    "host names %s: the second is refused, and starts once the first was killed",
    async (_, first, second) => {
      const holder = await start(data, container(first));
      await withDocuments(holder);
      await expect(start(data, container(second))).rejects.toThrow(/locked by process .*another container/);
      await expect(start()).rejects.toThrow("another container");
      expect(await count(holder)).toEqual(BOTH);
      await holder.kill();
      const next = await start(data, container("three"));
      expect(await count(next)).toEqual(BOTH);
    },
  );

  test("a read-only file system is searched, writes are refused, and nothing is left elsewhere", async () => {
    const server = await start();
    await withDocuments(server);
    await server.kill();
    const place = join(folder, "temporary");
    execFileSync("mkdir", [place]);
    const readOnly = `mount --bind ${data} ${data} && mount -o remount,ro,bind ${data} && TMPDIR=${place} exec "$@"`;
    const reading = await start(data, ["unshare", "--mount", "sh", "-c", readOnly, "sh"]);
    expect(await count(reading)).toEqual(BOTH);
    const refused = await reading.request("POST", "/index/books/documents", [{ title: "autumn" }]);
    expect(refused).toMatchObject({ status: 503, body: { data: { code: "storage_unavailable" } } });
    const index = { name: "more", fields: { title: { type: "text" } } };
    expect((await reading.request("POST", "/index", { index })).status).toBe(503);
    expect((await reading.request("PUT", "/index/books/synonyms", {})).status).not.toBe(500);
    expect((await reading.request("DELETE", "/index/books")).status).toBe(503);
    expect(await count(reading)).toEqual(BOTH);
    expect(await reading.stop()).toBe(0);
    expect(await readdir(place)).toEqual([]);
    expect(await count(await start())).toEqual(BOTH);
  });

  test("a full disk is searched, and written again once there is room", async () => {
    const full = join(folder, "full");
    execFileSync("mkdir", [full]);
    const server = await start();
    await withDocuments(server);
    await server.kill();
    // All blocks and all inodes are taken, by files that the test can delete inside the namespace: by its process.
    const fill = [
      `mount -t tmpfs -o size=24m,nr_inodes=200 full ${full}`,
      `cp -a ${data} ${full}/data`,
      `(dd if=/dev/zero of=${full}/blocks bs=64k 2>/dev/null; i=0; while : > ${full}/inode$i; do i=$((i+1)); done) 2>/dev/null`,
      'exec "$@"',
    ].join("\n");
    const reading = await start(join(full, "data"), ["unshare", "--mount", "sh", "-c", fill, "sh"]);
    expect(await count(reading)).toEqual(BOTH);
    const add = (): Promise<{ status: number; body: unknown }> =>
      reading.request("POST", "/index/books/documents", [{ title: "autumn ".repeat(50_000) }]);
    expect(await add()).toMatchObject({ status: 503, body: { data: { code: "storage_unavailable" } } });
    expect(await count(reading)).toEqual(BOTH);
    execFileSync("sh", [
      "-c",
      `rm /proc/${reading.pid}/root${full}/blocks /proc/${reading.pid}/root${full}/inode*`,
    ]);
    expect((await add()).status).toBe(200);
    expect((await reading.request("POST", "/index/books/commit")).status).toBe(200);
    expect(await count(reading)).toMatchObject({ count: 3 });
    expect(await reading.stop()).toBe(0);
  });
});
