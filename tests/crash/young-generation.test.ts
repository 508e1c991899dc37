// The young generations of a server's threads stay small, whatever comes: V8 says itself what they take, in a diagnostic report.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { ServerProcess } from "../setup/server-process.js";

const MEGABYTE = 1024 * 1024;
/** Two halves, as `npm start` says. */
const ANSWERING_BYTES_MAX = 8 * MEGABYTE;
/** `THREAD_HEAP`. */
const THREAD_BYTES_MAX = 12 * MEGABYTE;
/** `WRITING_HEAP`. */
const WRITING_BYTES_MAX = 6 * MEGABYTE;
/** The thread that writes is the first to be started. */
const WRITING_THREAD_ID = 1;

interface Report {
  readonly header: { readonly threadId: number };
  readonly javascriptHeap: {
    readonly heapSpaces: Readonly<Record<string, { readonly committedMemory: number }>>;
  };
  readonly workers?: readonly Report[];
}

const folder = mkdtempSync(join(tmpdir(), "findling-young-"));
let server: ServerProcess | null = null;
afterEach(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const youngBytes = ({ javascriptHeap: { heapSpaces } }: Report): number =>
  heapSpaces["new_space"]!.committedMemory;

async function report(pid: number): Promise<Report> {
  const file = join(folder, "report.json");
  process.kill(pid, "SIGUSR2");
  for (;;) {
    await pause(50);
    if (!existsSync(file)) continue;
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Report;
    } catch {
      // It is still being written.
    }
  }
}

test("beneath writes and searches", async () => {
  server = await ServerProcess.start(join(folder, "data"), {
    NODE_OPTIONS: `--report-on-signal --report-exclude-network --report-directory=${folder} --report-filename=report.json`,
  });
  const request = server.request.bind(server);
  await request("POST", "/index", { index: { name: "books", fields: { title: { type: "text" } } } });
  const documents = Array.from({ length: 2_000 }, (_, i) => ({ title: `winter's tale ${i % 97} of ${i}` }));
  for (let round = 0; round < 5; round++) await request("POST", "/index/books/documents", documents);
  expect((await request("POST", "/index/books/commit")).status).toBe(200);
  for (let round = 0; round < 40; round++) {
    const search = (i: number): Promise<{ status: number }> =>
      request("POST", "/index/books/search", { query: `tale ${round * 8 + i}`, limit: 200 });
    const answers = await Promise.all(Array.from({ length: 8 }, (_, i) => search(i)));
    for (const { status } of answers) expect(status).toBe(200);
  }
  const { workers = [], ...answering } = await report(server.pid);
  expect(youngBytes(answering)).toBeLessThanOrEqual(ANSWERING_BYTES_MAX);
  for (const worker of workers) expect(youngBytes(worker)).toBeLessThanOrEqual(THREAD_BYTES_MAX);
  const writing = workers.filter(({ header }) => header.threadId === WRITING_THREAD_ID);
  expect(writing).toHaveLength(1);
  // More with the limit of the thread that answers, which threads' own don't change while it holds for all.
  expect(youngBytes(writing[0]!)).toBeLessThanOrEqual(WRITING_BYTES_MAX);
});
