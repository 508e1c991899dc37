// Summaries by the hundred in a server of its own: once they are over, none of its threads holds anything of them.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ChatReply, FakeChatServer, saying } from "../kit/fake-chat-server.js";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

const STREAMS = 100;
/** After so many, what is compiled and cached at the first ones is there. */
const WARM_UP_ROUNDS = 2;
const ROUNDS = 4;
/**
 * What a summary and each thread keep: a key and a text stay in the cache for a while, and some more of the code that
 * is compiled comes now and then. Its prompt alone has 5 kB, the SDK's streams take ten times as much.
 */
const BYTES_KEPT_MAX = 4_000;
const REPORTER = fileURLToPath(new URL("../setup/report-heap.mjs", import.meta.url));
const FILLER = "a long story of boots ".repeat(40);

let folder = "";
let model: FakeChatServer;
let server: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "findling-summary-"));
  model = await FakeChatServer.start();
  server = await ServerProcess.start(folder, {
    FINDLING_LLM_ALLOWED_BASE_URLS: model.origin,
    // They come where a search takes its time, and go when they aren't needed: no number of them is the same for long.
    FINDLING_SEARCH_THREADS: "0",
    NODE_OPTIONS: `--import ${REPORTER}`,
  });
  const fields = { id: { type: "text" }, title: { type: "text" } };
  await server.request("POST", "/index", {
    index: { name: "books", fields, ai_enabled: true, ai: model.ai() },
  });
  const documents = Array.from({ length: 10 }, (_, i) => ({ id: String(i), title: `boots ${i} ${FILLER}` }));
  await server.request("POST", "/index/books/documents", documents);
  await server.request("POST", "/index/books/commit");
});
afterAll(async () => {
  await server.kill();
  await model.close();
  rmSync(folder, { recursive: true, force: true });
});

async function summary(ctx: string): Promise<string> {
  const response = await fetch(`${server.url}/index/books/search/summary`, {
    method: "POST",
    headers: { authorization: ADMIN_KEY, "content-type": "application/json" },
    body: JSON.stringify({ query: { fuzzy: { ctx } } }),
  });
  return response.text();
}

/** The numbers of the server's threads. */
const threads = (): readonly string[] =>
  [...server.output.matchAll(/THREAD (\d+)\n/g)].map(([, thread]) => thread!);

/** Bytes that each of these threads holds, by its number. */
async function heaps(of: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const before = server.output.length;
  process.kill(server.pid, "SIGUSR2");
  const told = (): ReadonlyMap<string, number> =>
    new Map(
      [...server.output.slice(before).matchAll(/HEAP (\d+) (\d+)\n/g)].map(([, thread, bytes]) => [
        thread!,
        Number(bytes),
      ]),
    );
  await expect.poll(() => [...told().keys()]).toEqual(expect.arrayContaining([...of]));
  return told();
}

test("is given back by all threads, whether summaries are whole or fail", async () => {
  let asked = 0;
  const round = async (): Promise<void> => {
    await Promise.all(
      Array.from({ length: STREAMS }, async () => {
        expect(await summary(`boots x${asked++}`)).toMatch(/event: (?:done|error)/);
      }),
    );
    model.replies.length = 0;
  };
  let said = 0;
  model.answer = async (reply: ChatReply) => {
    const pieces = Array.from({ length: 10 }, (_, i) => `piece ${i} of the story, `);
    if (++said % 5 > 0) return saying(reply, pieces);
    await reply.say("so far ");
    reply.reset();
  };
  for (let i = 0; i < WARM_UP_ROUNDS; i++) await round();
  const measured = threads();
  const before = await heaps(measured);
  // That of requests and that of the models at least.
  expect(before.size).toBeGreaterThan(1);
  for (let i = 0; i < ROUNDS; i++) await round();
  // What ends late, on a busy machine, is held a while longer; a leak is held for good.
  const kept = async (): Promise<number> => {
    const after = await heaps(measured);
    return (
      Math.max(...Array.from(before, ([thread, bytes]) => after.get(thread)! - bytes)) / (ROUNDS * STREAMS)
    );
  };
  await expect.poll(kept, { interval: 1000 }).toBeLessThan(BYTES_KEPT_MAX);
});
