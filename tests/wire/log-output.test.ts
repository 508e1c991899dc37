// What becomes of the server where its log can't be written: lines are lost and counted, and nothing else happens.
import { spawn } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mountSmallDisk } from "../setup/small-disk.js";
import { startOptions } from "../setup/start-options.js";

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const KEY = "admin-key-of-the-log-tests";

/** More than any pipe holds, whatever else was logged: a line of each is 200 bytes. */
const REQUESTS = 2_500;
/** So many ask at a time: one by one the requests would take most of the test's time. */
const CLIENTS = 10;

/** What the command says to people beside the log. */
const REMARK = "stopping; ";

type Stdio = "pipe" | number;

let folder: string;
const cleanups: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-log-"));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

/** A server whose output nobody reads unless the test does; its port comes from a file, as its output may be lost. */
async function startServer(stdout: Stdio, stderr: Stdio, format = "json") {
  const port = await freePort();
  const args = [...startOptions(), CLI, "serve", "--port", String(port), "--data-dir", join(folder, "data")];
  const env = { PATH: process.env["PATH"], FINDLING_ADMIN_KEY: KEY, FINDLING_LOG_FORMAT: format };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", stdout, stderr] });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once("exit", (code, signal) => resolve(signal ?? code));
  });
  cleanups.push(() => {
    child.kill("SIGKILL");
    return ended;
  });
  const get = (path: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: KEY } });
  await expect
    .poll(() =>
      get("/healthcheck").then(
        ({ status }) => status,
        () => 0,
      ),
    )
    .toBe(200);
  return {
    child,
    get,
    async ask(count: number): Promise<void> {
      let next = 0;
      const client = async (): Promise<void> => {
        while (next < count) expect((await get(`/index/none${next++}/stats`)).status).toBe(404);
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    },
    async lostLines(): Promise<number> {
      const text = await (await get("/metrics")).text();
      return Number(/^findling_log_lines_lost_total (\d+)$/m.exec(text)?.[1]);
    },
    async stop(): Promise<number | string | null> {
      child.kill("SIGTERM");
      return await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.each(["json", "text"])("as %s", (format) => {
  test("on a full disk the server goes on, counts what is lost, and stops in good order", async () => {
    const full = openSync("/dev/full", constants.O_WRONLY);
    cleanups.push(() => closeSync(full));
    const server = await startServer(full, full, format);
    await server.ask(100);
    await expect.poll(() => server.lostLines()).toBeGreaterThanOrEqual(100);
    expect(await server.stop()).toBe(0);
  });

  test("once the disk takes lines again, the first one says how many were lost", async () => {
    const disk = mountSmallDisk(folder, 128 * 1024);
    if (disk === null) return;
    cleanups.push(() => disk.unmount());
    const file = join(disk.path, "log");
    const filler = join(disk.path, "filler");
    writeFileSync(filler, Buffer.alloc(64 * 1024));
    const log = openSync(file, constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND);
    cleanups.push(() => closeSync(log));
    const server = await startServer("pipe", log, format);
    server.child.stdout!.resume();
    await server.ask(REQUESTS / 4);
    await expect.poll(() => server.lostLines()).toBeGreaterThan(0);
    rmSync(filler);
    await server.get("/index/late/stats");
    await expect.poll(() => readFileSync(file, "utf8")).toContain("/index/late/stats");
    const lost = await server.lostLines();
    expect(await server.stop()).toBe(0);
    const lines = readFileSync(file, "utf8")
      .split("\n")
      .slice(0, -1)
      .filter((line) => !line.startsWith(REMARK));
    const notices = lines.filter((line) => line.includes("log lines were lost"));
    expect(notices).toHaveLength(1);
    expect(Number(/lost_lines["=:]+(\d+)/.exec(notices[0]!)?.[1])).toBe(lost);
    // The line that broke off when the disk was full is by itself.
    const broken = lines.filter((line) => !(format === "json" ? isJson(line) : /^\S+Z [A-Z]+ /.test(line)));
    expect(broken.length).toBeLessThanOrEqual(1);
    expect(lines.at(-1)).toContain("stopped");
  });
});

test.each(["stdout", "stderr", "both"])(
  "where nobody reads %s, the server goes on and stops",
  async (unread) => {
    const server = await startServer("pipe", "pipe");
    if (unread === "stdout") server.child.stderr!.resume();
    if (unread === "stderr") server.child.stdout!.resume();
    await server.ask(REQUESTS);
    if (unread !== "stdout") expect((await server.get("/healthcheck")).status).toBe(200);
    expect(await server.stop()).toBe(0);
  },
);

test("a reader that comes back gets what it missed, or is told how much it missed", async () => {
  const server = await startServer("pipe", "pipe");
  server.child.stdout!.resume();
  // What the pipe holds and what waits in memory for the reader, several times.
  await server.ask(2 * REQUESTS);
  const lost = await server.lostLines();
  expect(lost).toBeGreaterThan(0);
  let text = "";
  server.child.stderr!.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  await expect.poll(() => text.length).toBeGreaterThan(0);
  await expect
    .poll(async () => {
      await server.get("/index/late/stats");
      return text;
    })
    .toContain("/index/late/stats");
  const lines = text.split("\n").slice(0, -1);
  expect(lines.every(isJson)).toBe(true);
  const notices = lines.filter((line) => line.includes("log lines were lost"));
  const told = notices.reduce(
    (sum, line) => sum + (JSON.parse(line) as { lost_lines: number }).lost_lines,
    0,
  );
  expect(told).toBe(await server.lostLines());
  expect(await server.stop()).toBe(0);
});

test.each(["stdout", "stderr", "both"])(
  "where the reader of %s has gone, it goes on and stops",
  async (gone) => {
    const server = await startServer("pipe", "pipe");
    if (gone !== "stderr") server.child.stdout!.destroy();
    if (gone !== "stdout") server.child.stderr!.destroy();
    if (gone === "stdout") server.child.stderr!.resume();
    if (gone === "stderr") server.child.stdout!.resume();
    await server.ask(100);
    if (gone !== "stdout") await expect.poll(() => server.lostLines()).toBeGreaterThanOrEqual(100);
    expect(await server.stop()).toBe(0);
  },
);

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
