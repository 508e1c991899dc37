/** `npm run bench -- measure`: usage events in and dashboards out. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { Agent, request } from "node:http";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTestEventStore } from "../../tests/ports/open-test-event-store.js";
import { ADMIN_KEY, ServerProcess } from "../../tests/setup/server-process.js";
import { debianCorpus } from "../corpus.js";
import { bytesUnder, cpuSecondsOf, memoryOf } from "../process-figures.js";
import { median } from "../statistics.js";
import { BenchEvents, toMeasureRequest } from "./bench-events.js";

export interface MeasureOptions {
  /** Events of the dashboards, spread over 30 days. */
  readonly events: number;
  /** Events that are sent over HTTP. */
  readonly sent: number;
  readonly seed: number;
}

const CLI = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const DAY_MS = 86_400_000;
const BATCH = 100;
const CONNECTIONS = 4;
const DASHBOARD_ROUNDS = 15;

const DASHBOARDS = [
  "dashboard/summary",
  "dashboard/summary?granularity=hours&index_names=products&page=50",
  "dashboard/summary?user_type=authenticated&rpp=100",
  "dashboard/summary?collapse_typing=true",
  "dashboard/conversion",
  "dashboard/conversion?granularity=weeks&rpp=1000",
  "dashboard/usage",
  "dashboard/breakdown?by=os",
  "dashboard/breakdown?by=city",
];

export async function benchmarkMeasure(options: MeasureOptions): Promise<void> {
  const lines = [
    `\nNode ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}; client and server share the cores\n`,
    "| what | figure |",
    "|---|---|",
  ];
  const folder = mkdtempSync(join(tmpdir(), "findling-measure-"));
  try {
    lines.push(...(await benchmarkSending(join(folder, "sent"), options)));
    lines.push(...(await benchmarkStore(join(folder, "stored"), options)));
    lines.push(...(await benchmarkDashboards(join(folder, "stored"), options)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

/** Batches over HTTP while somebody searches. */
async function benchmarkSending(folder: string, { sent, seed }: MeasureOptions): Promise<readonly string[]> {
  const server = await ServerProcess.start(folder);
  try {
    importCorpus(server.url);
    const events = new BenchEvents(seed);
    const bodies = Array.from({ length: 500 }, () =>
      Buffer.from(JSON.stringify(Array.from({ length: BATCH }, () => toMeasureRequest(events.next(0))))),
    );
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS + 1 });
    const alone = await searchWhile(server.url, agent, new Promise((resolve) => setTimeout(resolve, 3000)));
    const cpuBefore = cpuSecondsOf(server.pid);
    const start = performance.now();
    let next = 0;
    const batches = Math.ceil(sent / BATCH);
    const sending = Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        while (next < batches)
          await post(`${server.url}/measure/batch`, agent, bodies[next++ % bodies.length]!);
      }),
    );
    const beside = await searchWhile(server.url, agent, sending);
    const seconds = (performance.now() - start) / 1000;
    const acknowledged = batches * BATCH;
    await untilStored(folder);
    const shownSeconds = (performance.now() - start) / 1000;
    const cpu = cpuSecondsOf(server.pid) - cpuBefore;
    const { now, peak } = memoryOf(server.pid);
    agent.destroy();
    return [
      `| ${acknowledged} events over HTTP in batches of ${BATCH}, ${CONNECTIONS} connections, beside searches | ${rate(acknowledged, seconds)} events/s acknowledged (durable) |`,
      `| until all of them show in the dashboards | ${(shownSeconds - seconds).toFixed(1)} s later |`,
      `| processor time of the server, searches included | ${cpu.toFixed(1)} s: ${rate(acknowledged, cpu)} events per second of one core |`,
      `| searches meanwhile (one connection): median, p95 | ${figures(beside)}; without events ${figures(alone)} |`,
      `| resident memory of the server (peak) | ${megabytes(now)} (${megabytes(peak)}) |`,
    ];
  } finally {
    await server.stop();
  }
}

/** As many events as the dashboards are to be asked about, straight into the store. */
async function benchmarkStore(folder: string, { events, seed }: MeasureOptions): Promise<readonly string[]> {
  const store = await openTestEventStore(join(folder, "measure"), { queueMb: 4096 });
  const made = new BenchEvents(seed);
  const from = Date.now() - 30 * DAY_MS;
  let generating = 0;
  const start = performance.now();
  for (let i = 0; i < events; i += 1000) {
    const before = performance.now();
    const batch = Array.from({ length: Math.min(1000, events - i) }, (_, j) =>
      made.next(from + Math.floor(((i + j) / events) * 30 * DAY_MS)),
    );
    generating += performance.now() - before;
    await store.record(batch);
  }
  const recorded = (performance.now() - start - generating) / 1000;
  await store.flush();
  const flushed = (performance.now() - start - generating) / 1000;
  await store.close();
  const database = statSync(join(folder, "measure", "events.duckdb")).size;
  return [
    `| ${events} events over 30 days into the store, one caller, 1000 a call | ${rate(events, recorded)} events/s durable, ${rate(events, flushed)} events/s in DuckDB |`,
    `| on disk | ${megabytes(database)}: ${(database / events).toFixed(0)} bytes an event |`,
  ];
}

async function benchmarkDashboards(folder: string, { events }: MeasureOptions): Promise<readonly string[]> {
  const server = await ServerProcess.start(folder);
  try {
    const lines = [];
    for (const path of DASHBOARDS) {
      const times: number[] = [];
      for (let round = 0; round < DASHBOARD_ROUNDS; round++) {
        const start = performance.now();
        const { status } = await server.request("GET", `/measure/${path}`);
        if (status !== 200) throw new Error(`${path} was answered with ${status}`);
        times.push(performance.now() - start);
      }
      lines.push(
        `| ${path}, 30 days of ${events} events: median, p95, first | ${figures(times)}, ${times[0]!.toFixed(0)} ms |`,
      );
    }
    const { now, peak } = memoryOf(server.pid);
    const used = bytesUnder(join(folder, "measure"));
    return [
      ...lines,
      `| resident memory of the server after that (peak); data folder | ${megabytes(now)} (${megabytes(peak)}); ${megabytes(used)} |`,
    ];
  } finally {
    await server.stop();
  }
}

function importCorpus(url: string): void {
  const { file } = debianCorpus();
  execFileSync(
    process.execPath,
    [CLI, "import", file, "--index", "packages", "--yes", "--url", url, "--key", ADMIN_KEY],
    {
      stdio: ["ignore", "ignore", "inherit"],
      cwd: tmpdir(),
    },
  );
}

/** Milliseconds of each search, one after the other with short pauses, until the work is done. */
async function searchWhile(url: string, agent: Agent, work: Promise<unknown>): Promise<readonly number[]> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  const times: number[] = [];
  const body = Buffer.from(JSON.stringify({ query: { fuzzy: { ctx: "text editor" } } }));
  while (!isDone) {
    const start = performance.now();
    await post(`${url}/index/packages/search`, agent, body);
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await done;
  return times;
}

/** Node's own client, as `fetch` would take half of the processor. */
function post(url: string, agent: Agent, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: ADMIN_KEY,
      "content-type": "application/json",
      "content-length": body.length,
    };
    const sent = request(url, { method: "POST", agent, headers }, (response) => {
      response.resume().once("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} was answered with ${response.statusCode}`));
      });
    });
    sent.once("error", reject).end(body);
  });
}

/** Until no acknowledged event waits for the store any more. */
async function untilStored(folder: string): Promise<void> {
  while (readdirSync(join(folder, "measure", "waiting")).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function rate(count: number, seconds: number): string {
  return String(Math.round(count / seconds));
}

function figures(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  return `${median(times).toFixed(1)} ms, ${sorted[Math.floor(sorted.length * 0.95)]!.toFixed(1)} ms`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
