// A server of its own takes ten times its memory budget from several senders at once, who come again when they are refused: its resident memory stays within the budget.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { SeededRandom } from "../setup/seeded-random.js";
import { ADMIN_KEY, ServerProcess } from "../setup/server-process.js";

const MEGABYTE = 1024 * 1024;
const BUDGET_MEGABYTES = 40;
/** What may come on top of the budget (issue 7, item 4). */
const OVERSHOOT_MAX = 0.15;
/**
 * Without the allocator being told to give back what is freed: 16 to 35 MiB were measured in seven runs on a busy
 * machine, where 46 are the goal (ADR 19).
 */
const OVERSHOOT_WITH_POOLS_MAX = 0.25;
/** As the README recommends it for servers that are short of memory; other C libraries pass it over. */
const WITHOUT_POOLS = { MALLOC_MMAP_THRESHOLD_: "262144", MALLOC_TRIM_THRESHOLD_: "1048576" };
const SENDERS = 4;
const BODY_BYTES = 1 << 20;

let environment: Readonly<Record<string, string>> = {};
const start = (): Promise<ServerProcess> =>
  ServerProcess.start(folder, { FINDLING_MEMORY_BUDGET_MB: String(BUDGET_MEGABYTES), ...environment });

let folder = "";
let server: ServerProcess;
afterEach(async () => {
  await server.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function begin(): Promise<void> {
  folder = mkdtempSync(join(tmpdir(), "findling-write-"));
  server = await start();
  const fields = { id: { type: "text" }, title: { type: "text" }, payload: { type: "text", indexed: false } };
  const created = await server.request("POST", "/index", { index: { name: "books", fields } });
  expect(created.status).toBe(200);
}

const random = new SeededRandom(7);
let made = 0;

/** A few words that are indexed, and ten times as many bytes that are only kept and hardly shrink. */
function body(): string {
  const documents: string[] = [];
  for (let bytes = 0; bytes < BODY_BYTES; ) {
    const words = Array.from({ length: 40 }, () => `w${random.below(50_000)}`).join(" ");
    const payload = Array.from({ length: 800 }, () => random.below(2 ** 31).toString(36)).join("");
    const document = JSON.stringify({ id: `d${made++}`, title: words, payload });
    documents.push(document);
    bytes += document.length;
  }
  return `[${documents.join(",")}]`;
}

async function post(path: string, text?: string): Promise<number> {
  const response = await fetch(`${server.url}/index/books/${path}`, {
    method: "POST",
    headers: {
      authorization: ADMIN_KEY,
      ...(text === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(text === undefined ? {} : { body: text }),
  });
  await response.text();
  if (response.status === 429) expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  return response.status;
}

async function ingest(bytesMax: number): Promise<void> {
  const bodies = Array.from({ length: 6 }, body);
  let bytes = 0;
  const send = async (): Promise<void> => {
    for (let i = 0; bytes < bytesMax; i++) {
      const text = bodies[i % bodies.length]!;
      bytes += text.length;
      let status = await post("documents", text);
      while (status === 429) {
        await pause(50);
        status = await post("documents", text);
      }
      expect(status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  expect(await post("commit")).toBe(200);
}

/** The least that is resident until nothing has been merged for a while: what merges take is no rest. */
async function leastUntilMerged(): Promise<number> {
  const files = (): string => readdirSync(join(folder, "indexes"), { recursive: true }).sort().join();
  let least = resident("VmRSS");
  for (let same = 0, last = files(); same < 12; ) {
    await pause(250);
    const now = files();
    same = now === last ? same + 1 : 0;
    last = now;
    least = Math.min(least, resident("VmRSS"));
  }
  return least;
}

function resident(name: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1024;
}

const cases = [
  {
    title: "with the allocator told to give back what is freed",
    added: WITHOUT_POOLS,
    overshoot: OVERSHOOT_MAX,
  },
  { title: "as it comes", added: {}, overshoot: OVERSHOOT_WITH_POOLS_MAX },
];

describe.runIf(process.platform === "linux")(
  "stays within its memory budget through ten times as much",
  () => {
    test.each(cases)("$title", async ({ added, overshoot }) => {
      environment = added;
      await begin();
      await ingest(10 * BUDGET_MEGABYTES * MEGABYTE);
      const peak = resident("VmHWM");
      // The same server at rest: its threads started, their code compiled, the same index open.
      await server.stop();
      server = await start();
      await ingest(2 * MEGABYTE);
      const rest = await leastUntilMerged();
      expect(peak - rest).toBeLessThan(BUDGET_MEGABYTES * MEGABYTE * (1 + overshoot));
    });
  },
);
