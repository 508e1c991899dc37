/** `npm run bench -- indexes`: what many small indexes on one server cost, asleep and searched. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { SeededRandom } from "../../tests/setup/seeded-random.js";
import { debianCorpus } from "../corpus.js";
import { machine } from "../peers/peer-report.js";
import { memoryOf } from "../process-figures.js";
import { percentile } from "../statistics.js";
import { KEY, ServerUnderTest } from "../summaries/server-under-test.js";
import { megabytes, row, TABLE_HEAD } from "../writing/figure-rows.js";

export interface IndexesOptions {
  readonly indexes: number;
  /** How many each index has. */
  readonly documents: number;
  readonly searches: number;
  readonly dist: string;
}

/** Indexes that are made at a time. */
const MAKERS = 4;
/** How long an index stays open unused. */
const IDLE_SECONDS = 2;
/** The server has put to sleep what it can once it has closed no file for so long; it isn't waited for longer than the other. */
const QUIET_SECONDS = 15;
const SETTLING_SECONDS_MAX = 180;
const GOAL_BYTES = 64 * 1024;

export async function benchmarkIndexes(options: IndexesOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-indexes-"));
  const start = (): Promise<ServerUnderTest> =>
    ServerUnderTest.start({
      dist: resolve(options.dist),
      dataFolder: folder,
      profile: undefined,
      environment: { FINDLING_INDEX_IDLE_SECONDS: String(IDLE_SECONDS) },
    });
  let server = await start();
  try {
    await settle(server);
    const alone = memoryOf(server.pid).now;
    const lines = [
      `\n${options.indexes} indexes of ${options.documents} of Debian's packages, Node ${process.versions.node}, ${machine()}\n`,
      ...TABLE_HEAD,
      row("resident without any index", megabytes(alone)),
    ];
    const making = await secondsOf(() => makeIndexes(server, options));
    lines.push(row("made, filled and committed", `${(options.indexes / making).toFixed(0)} a second`));
    await server.stop();
    const starting = await secondsOf(async () => {
      server = await start();
    });
    const handles = fileHandles(server);
    await settle(server);
    const asleep = (memoryOf(server.pid).now - alone) / options.indexes;
    lines.push(
      row("start of the server with all of them", `${starting.toFixed(2)} s`),
      row(
        `resident for each, none used yet; goal ${kilobytes(GOAL_BYTES)}, by which one that is idle is bounded`,
        kilobytes(asleep),
      ),
    );
    const times = await searchAtRandom(server, options);
    lines.push(
      row(
        "a search of one drawn at random, which is opened for it: median, p99",
        [0.5, 0.99].map((share) => `${percentile(times, share).toFixed(1)} ms`).join(", "),
      ),
      row("file handles while 500 are open, the most that are", String(fileHandles(server) - handles)),
    );
    await settle(server);
    const usedBefore = (memoryOf(server.pid).now - alone) / options.indexes;
    lines.push(
      row("resident for each, asleep again, garbage included", kilobytes(usedBefore)),
      row("file handles then, beyond those before", String(fileHandles(server) - handles)),
    );
    process.stdout.write(`${lines.join("\n")}\n`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Until what was begun is done, and what nobody uses sleeps. */
async function settle(server: ServerUnderTest): Promise<void> {
  const end = performance.now() + SETTLING_SECONDS_MAX * 1000;
  let handles: number;
  do {
    handles = fileHandles(server);
    await pause(QUIET_SECONDS * 1000);
  } while (performance.now() < end && fileHandles(server) < handles);
}

const nameOf = (index: number): string => `index${index}`;

async function makeIndexes(server: ServerUnderTest, { indexes, documents }: IndexesOptions): Promise<void> {
  const file = fileURLToPath(new URL("../../demo/packages.schema.json", import.meta.url));
  const schema = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const corpus = gunzipSync(readFileSync(debianCorpus().file)).toString().split("\n");
  let next = 0;
  const make = async (): Promise<void> => {
    while (next < indexes) {
      const index = next++;
      const from = (index * documents) % (corpus.length - documents);
      await ask(server, "/index", JSON.stringify({ ...schema, name: nameOf(index) }));
      const body = `[${corpus.slice(from, from + documents).join(",")}]`;
      await ask(server, `/index/${nameOf(index)}/documents`, body);
      await ask(server, `/index/${nameOf(index)}/commit`, "{}");
    }
  };
  await Promise.all(Array.from({ length: MAKERS }, make));
}

async function searchAtRandom(server: ServerUnderTest, options: IndexesOptions): Promise<number[]> {
  const random = new SeededRandom(1);
  const body = JSON.stringify({ query: { fuzzy: { ctx: "library" } } });
  const times: number[] = [];
  for (let search = 0; search < options.searches; search++) {
    const index = random.below(options.indexes);
    const begun = performance.now();
    await ask(server, `/index/${nameOf(index)}/search`, body);
    times.push(performance.now() - begun);
  }
  return times;
}

async function ask(server: ServerUnderTest, path: string, body: string): Promise<void> {
  const response = await fetch(server.url + path, {
    method: "POST",
    headers: { authorization: KEY, "content-type": "application/json" },
    body,
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
}

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

const fileHandles = (server: ServerUnderTest): number => readdirSync(`/proc/${server.pid}/fd`).length;

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KiB`;
