// A soak: a server under searches, writes, deletes, commits and backups for an hour, or for as many seconds as the first
// argument says; the second one says how much slower than that all of it is asked, for a machine that does other things too.
// Exits 1 unless memory, descriptors, threads and the 99th percentile of searches are flat: those of the last third
// against those of the second, as the first warms up. `npm run build && npm run soak`, on Linux.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const seconds = Number(process.argv[2] ?? 3600);
if (!(seconds >= 9)) throw new RangeError("a soak takes nine seconds at least");
const slowness = Number(process.argv[3] ?? 1);
if (!(slowness >= 1)) throw new RangeError("a soak is slower by a factor of one at least");
const WINDOWS = 30;
const SEARCHERS = 4;
const DOCUMENTS_MAX = 50_000;
/** How much more the last third may take than the second. */
const LIMITS = { residentBytes: [1.1, 32 * 2 ** 20], descriptors: [1, 24], threads: [1, 2], p99Ms: [1.5, 5] };
const KEY = "admin-key-of-the-soak";
const WORDS = "winter tale tempest much ado nothing king lear twelfth night measure troilus".split(" ");

const folder = mkdtempSync(join(tmpdir(), "findling-soak-"));
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const server = spawn(
  process.execPath,
  [main, "serve", "--port", "0", "--data-dir", join(folder, "data"), "--json"],
  {
    env: {
      ...process.env,
      FINDLING_ADMIN_KEY: KEY,
      FINDLING_LOG_LEVEL: "error",
      FINDLING_BACKUP_URL: pathToFileURL(join(folder, "backups")).href,
      FINDLING_BACKUP_SCHEDULE: "2m",
      FINDLING_BACKUP_KEEP: "3",
    },
    stdio: ["ignore", "pipe", "inherit"],
  },
);

let requests = 0;
let failures = 0;
let latencies = [];
const [first] = await once(createInterface({ input: server.stdout }), "line");
const { url } = JSON.parse(first);
const endsAt = Date.now() + seconds * 1000;

async function send(method, path, body) {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: KEY, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  requests++;
  if (!answer.ok && answer.status !== 429) failures++;
  return text;
}

const pick = () => WORDS[Math.floor(Math.random() * WORDS.length)];
const sentence = () => Array.from({ length: 12 }, pick).join(" ");

async function search() {
  while (Date.now() < endsAt) {
    const began = performance.now();
    const mode = Math.random() < 0.5 ? "fuzzy" : "exact";
    await send("POST", "/index/soak/search", { query: { [mode]: { ctx: `${pick()} ${pick()}` } } });
    latencies.push(performance.now() - began);
    await wait((5 + Math.random() * 20) * slowness);
  }
}

async function write() {
  for (let round = 0, documents = 0; Date.now() < endsAt; round++) {
    await send(
      "POST",
      "/index/soak/documents",
      Array.from({ length: 200 }, () => ({ title: sentence(), round })),
    );
    documents += 200;
    // Data stays as large as it is, once it is.
    if (documents > DOCUMENTS_MAX) {
      const old = round - DOCUMENTS_MAX / 200;
      await send("DELETE", "/index/soak/documents/query", { query: { exact: { ctx: `round:${old}` } } });
    }
    await send("POST", "/index/soak/commit");
    await wait(200 * slowness);
  }
}

function look() {
  const status = readFileSync(`/proc/${server.pid}/status`, "utf8");
  const residentBytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)[1]) * 1024;
  const threads = Number(/Threads:\s+(\d+)/.exec(status)[1]);
  const sorted = latencies.toSorted((a, b) => a - b);
  latencies = [];
  const p99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
  return { residentBytes, descriptors: readdirSync(`/proc/${server.pid}/fd`).length, threads, p99Ms };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

try {
  const fields = { title: { type: "text" }, round: { type: "u64" } };
  await send("POST", "/index", { index: { name: "soak", fields, search_fields: ["title"] } });
  const working = Promise.all([write(), ...Array.from({ length: SEARCHERS }, search)]);
  const windows = [];
  while (windows.length < WINDOWS) {
    await wait((seconds * 1000) / WINDOWS);
    const window = look();
    windows.push(window);
    const resident = (window.residentBytes / 2 ** 20).toFixed(0);
    process.stdout.write(
      `${windows.length}/${WINDOWS}: ${resident} MiB, ${window.descriptors} descriptors, ${window.threads} threads, p99 ${window.p99Ms.toFixed(1)} ms\n`,
    );
  }
  await working;
  const third = WINDOWS / 3;
  for (const [figure, [factor, slack]] of Object.entries(LIMITS)) {
    const of = (from) => median(windows.slice(from, from + third).map((window) => window[figure]));
    const [second, last] = [of(third), of(2 * third)];
    const isFlat = last <= second * factor + slack;
    process.stdout.write(
      `${figure}: ${Math.round(second)}, then ${Math.round(last)}: ${isFlat ? "flat" : "GROWS"}\n`,
    );
    if (!isFlat) process.exitCode = 1;
  }
  process.stdout.write(`${requests} requests, ${failures} of them failed\n`);
  if (failures > 0) process.exitCode = 1;
} finally {
  server.kill("SIGTERM");
  await once(server, "close");
  rmSync(folder, { recursive: true, force: true });
}
