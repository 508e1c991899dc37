/**
 * Properties: a server without file descriptors goes on, answers what needs none (searches, also those that are for a
 * thread which can't be started; figures; small writes), refuses the rest as 503 and loses nothing; once it has
 * descriptors again, it answers everything.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

const hasPrlimit = spawnSync("prlimit", ["--version"]).status === 0;
const mayBeSkipped = process.env["FINDLING_TEST_ALL"] !== "1";
const title = hasPrlimit || !mayBeSkipped ? "" : " (skipped, as there is no prlimit)";

let folder: string;
let server: ServerProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-descriptors-"));
  server = await ServerProcess.start(join(folder, "data"), { FINDLING_SEARCH_THREADS: "1" });
});
afterEach(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

function descriptors(): number {
  return readdirSync(`/proc/${server.pid}/fd`).length;
}

/** Descriptors with this number or a greater one can't be had; those that are there stay. */
function limitTo(count: number | "unlimited"): void {
  const limit = count === "unlimited" ? "4096" : String(count);
  execFileSync("prlimit", ["--pid", String(server.pid), `--nofile=${limit}:`]);
}

async function figures(): Promise<{ status: number; text: string }> {
  const response = await fetch(`${server.url}/metrics`, { headers: { authorization: ADMIN_KEY } });
  return { status: response.status, text: await response.text() };
}

const documents = (count: number, word: string): object[] =>
  Array.from({ length: count }, (_, i) => ({ title: `${word} ${i} ${i % 7}` }));
const status = async (method: string, path: string, body?: unknown): Promise<number> =>
  (await server.request(method, path, body)).status;
const countOf = async (ctx: string): Promise<unknown> => {
  const { status: found, body } = await server.request("POST", "/index/a/search", {
    query: { exact: { ctx } },
  });
  return found === 200 ? (body.data as { count: number }).count : found;
};

test.skipIf(!hasPrlimit && mayBeSkipped)(
  `a server without descriptors goes on, and loses nothing${title}`,
  async () => {
    const index = { name: "a", fields: { title: { type: "text" } } };
    await server.request("POST", "/index", { index });
    await server.request("POST", "/index/a/documents", documents(2000, "heron"));
    await server.request("POST", "/index/a/commit");
    expect((await figures()).text).toMatch(/^process_resident_memory_bytes \d+$/m);

    limitTo(Math.min(10, descriptors()));
    const told = await figures();
    expect(told.status).toBe(200);
    expect(told.text).not.toMatch(/^process_resident_memory_bytes /m);
    expect(told.text).toMatch(/^nodejs_heap_size_used_bytes \d+$/m);
    expect(await status("GET", "/healthcheck")).toBe(200);
    expect(await countOf("heron")).toBe(2000);
    // Every document is read for its order: more than is done where requests arrive, while there are threads.
    const ordered = { query: { exact: { ctx: "heron" } }, order_by: "title" };
    expect(await status("POST", "/index/a/search", ordered)).toBe(200);
    expect(await status("POST", "/index/a/documents", documents(10, "egret"))).toBe(200);
    expect(await status("POST", "/index/a/commit")).toBe(503);
    expect(await status("POST", "/index", { index: { ...index, name: "b" } })).toBe(503);
    expect(await status("GET", "/measure/dashboard/summary")).toBe(503);

    limitTo("unlimited");
    expect((await figures()).text).toMatch(/^process_resident_memory_bytes \d+$/m);
    expect(await status("POST", "/index/a/commit")).toBe(200);
    expect(await countOf("egret")).toBe(10);
    expect(await status("POST", "/index", { index: { ...index, name: "b" } })).toBe(200);
    expect(await status("GET", "/measure/dashboard/summary")).toBe(200);
    expect(await server.stop()).toBe(0);
  },
);
