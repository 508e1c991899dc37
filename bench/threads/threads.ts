/** `npm run bench -- threads`: searches that take long in threads, cheap ones beside them, time limits. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import {
  EmbeddedBackend,
  type EmbeddedBackendOptions,
} from "../../src/adapters/embedded/embedded-backend.js";
import type { CanonicalDocument } from "../../src/contract/canonical-value.js";
import type { FieldDefinition, IndexSchema } from "../../src/contract/index-schema.js";
import type { SearchPlan } from "../../src/query/search-plan.js";
import { debianCorpus } from "../corpus.js";
import { median, percentile } from "../statistics.js";
import { CHEAP_SEARCHES, DEAR_SEARCHES } from "./dear-searches.js";

export interface ThreadsOptions {
  readonly documents: number;
  readonly seconds: number;
  readonly rounds: number;
}

const INDEX = "packages";
const CHEAP_PER_SECOND = 100;
/** Searches under way at a time, of those that take long. */
const DEAR_AT_ONCE = 8;
const LIMIT_MS = 50;
/** Each thread compiles its hot loops for itself. */
const WARM_UP_SECONDS = 3;

const clock: EmbeddedBackendOptions["clock"] = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs).unref();
    return { cancel: () => clearTimeout(timer) };
  },
};

const field = (type: FieldDefinition["type"], multi = false): FieldDefinition => ({
  type,
  required: false,
  stored: true,
  indexed: true,
  multi,
});
const SCHEMA: IndexSchema = {
  name: INDEX,
  fields: { id: field("text"), description: field("text"), tags: field("facet", true), size: field("u64") },
  search_fields: ["description"],
  weight_multipliers: {},
  enable_language_stemming: false,
  exclude_stop_words: false,
  auto_commit_delay: 0,
  ai_enabled: false,
};

export async function benchmarkThreads(options: ThreadsOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "findling-threads-"));
  const processors = cpus();
  try {
    await withBackend(folder, {}, true, (backend) => load(backend, options.documents));
    console.log(
      `\n${options.documents} documents, Node ${process.versions.node}, ${processors.length} × ${processors[0]?.model ?? "?"}\n`,
    );
    await compareThroughput(folder, options);
    await compareMix(folder, options);
    await compareLimits(folder, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function withBackend<T>(
  folder: string,
  options: Partial<EmbeddedBackendOptions>,
  isNew: boolean,
  run: (backend: EmbeddedBackend) => Promise<T>,
): Promise<T> {
  const backend = await EmbeddedBackend.open({ dataDirectory: folder, clock, ...options });
  try {
    await backend.start(isNew ? [] : [{ storageId: INDEX, schema: SCHEMA }]);
    return await run(backend);
  } finally {
    await backend.stop();
  }
}

async function load(backend: EmbeddedBackend, count: number): Promise<void> {
  const lines = gunzipSync(readFileSync(debianCorpus().file)).toString().trimEnd().split("\n");
  await backend.createIndex(INDEX, SCHEMA);
  let batch: CanonicalDocument[] = [];
  for (let n = 0; n < count; n++) {
    const parsed = JSON.parse(lines[n % lines.length]!) as Record<string, unknown>;
    const { description = "", tags = [] } = parsed as { description?: string; tags?: string[] };
    const document = { id: String(n), description, size: (n * 7919) % 100_000 };
    batch.push(tags.length === 0 ? document : { ...document, tags });
    if (batch.length === 2000 || n === count - 1) {
      await backend.add(INDEX, batch);
      batch = [];
    }
  }
  await backend.commit(INDEX);
}

/** Searches that take long, a few at a time, in one thread and in two. */
async function compareThroughput(folder: string, { seconds, rounds }: ThreadsOptions): Promise<void> {
  const rates: [number[], number[]] = [[], []];
  const processor: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    for (const threads of round % 2 === 0 ? [1, 2] : [2, 1]) {
      const options = { searchThreads: threads, searchCostHereMax: -1, searchTimeoutMs: 60_000 };
      await withBackend(folder, options, false, async (backend) => {
        await dearSearches(backend, WARM_UP_SECONDS, DEAR_AT_ONCE);
        const before = process.cpuUsage();
        const done = await dearSearches(backend, seconds, DEAR_AT_ONCE);
        const { user, system } = process.cpuUsage(before);
        rates[threads - 1]!.push(done / seconds);
        processor[threads - 1]!.push((user + system) / 1000 / done);
      });
    }
  }
  const [one, two] = rates.map(median) as [number, number];
  const [msOne, msTwo] = processor.map(median) as [number, number];
  console.log("| searches that take long | a second | processor ms each |\n|---|---|---|");
  console.log(`| one thread | ${one.toFixed(1)} | ${msOne.toFixed(1)} |`);
  console.log(`| two threads | ${two.toFixed(1)} | ${msTwo.toFixed(1)} |`);
  console.log(`| ratio | ${(two / one).toFixed(2)} | ${(msTwo / msOne).toFixed(2)} |\n`);
}

/** Cheap searches at a steady rate beside two that take long, with and without a thread for those. */
async function compareMix(folder: string, { seconds, rounds }: ThreadsOptions): Promise<void> {
  console.log(
    "| threads | cheap p50 ms | cheap p99 ms | event loop p50 ms | p99 ms | most ms | dear a second |",
  );
  console.log("|---|---|---|---|---|---|---|");
  for (let round = 0; round < rounds; round++) {
    for (const threads of [0, 1]) {
      await withBackend(
        folder,
        { searchThreads: threads, searchTimeoutMs: 60_000 },
        false,
        async (backend) => {
          await dearSearches(backend, 1, 2);
          const delay = monitorEventLoopDelay({ resolution: 1 });
          delay.enable();
          const [cheap, dear] = await Promise.all([
            cheapSearches(backend, seconds),
            dearSearches(backend, seconds, 2),
          ]);
          delay.disable();
          const loop = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) =>
            (ns / 1e6).toFixed(1),
          );
          const figures = [percentile(cheap, 0.5).toFixed(2), percentile(cheap, 0.99).toFixed(1), ...loop];
          console.log(`| ${threads} | ${figures.join(" | ")} | ${(dear / seconds).toFixed(1)} |`);
        },
      );
    }
  }
  console.log("");
}

/** How much later than its limit each of the searches is answered, and the thread goes on with the next. */
async function compareLimits(folder: string, { rounds }: ThreadsOptions): Promise<void> {
  console.log(`| stopped after ${LIMIT_MS} ms | here, ms later (most) | in a thread | next one there |`);
  console.log("|---|---|---|---|");
  const late = async (backend: EmbeddedBackend, plan: SearchPlan): Promise<number> => {
    const start = performance.now();
    const isStopped = await searched(backend, plan).then(
      () => false,
      (error: { code?: string }) => error.code === "search_timeout",
    );
    return isStopped ? performance.now() - start - LIMIT_MS : Number.NaN;
  };
  for (const { name, plan } of DEAR_SEARCHES) {
    const here: number[] = [];
    const there: number[] = [];
    const next: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await withBackend(folder, { searchThreads: 0, searchTimeoutMs: LIMIT_MS }, false, async (backend) => {
        await backend.search(INDEX, CHEAP_SEARCHES[0]!);
        here.push(await late(backend, plan));
      });
      await withBackend(
        folder,
        { searchThreads: 1, searchTimeoutMs: LIMIT_MS, searchCostHereMax: -1 },
        false,
        async (backend) => {
          // The thread's start is no part of it; it may itself take longer than the limit.
          for (let n = 0; n < 20; n++) await searched(backend, CHEAP_SEARCHES[0]!).catch(() => pause(20));
          there.push(await late(backend, plan));
          const start = performance.now();
          for (let isAnswered = false; !isAnswered && performance.now() < start + 5000; ) {
            isAnswered = await searched(backend, CHEAP_SEARCHES[0]!).then(
              () => true,
              () => false,
            );
          }
          next.push(performance.now() - start);
        },
      );
    }
    const most = (values: readonly number[]): string => {
      const stopped = values.filter((value) => !Number.isNaN(value));
      return stopped.length === 0 ? "was done" : Math.max(...stopped).toFixed(1);
    };
    console.log(`| ${name} | ${most(here)} | ${most(there)} | ${Math.max(...next).toFixed(0)} |`);
  }
}

/** Searches by a promise, wherever it runs. */
async function searched(backend: EmbeddedBackend, plan: SearchPlan): Promise<void> {
  await backend.search(INDEX, plan);
}

async function cheapSearches(backend: EmbeddedBackend, seconds: number): Promise<number[]> {
  const times: number[] = [];
  const running: Promise<void>[] = [];
  const start = performance.now();
  for (let n = 0; n < seconds * CHEAP_PER_SECOND; n++) {
    const due = start + (n * 1000) / CHEAP_PER_SECOND;
    await pause(Math.max(0, due - performance.now()));
    // Counted from when it was due, whatever held it up; timers may be up to a millisecond early.
    const began = Math.min(due, performance.now());
    running.push(
      searched(backend, CHEAP_SEARCHES[n % CHEAP_SEARCHES.length]!).then(
        () => void times.push(performance.now() - began),
      ),
    );
  }
  await Promise.all(running);
  return times;
}

/** How many were answered within the time. */
async function dearSearches(backend: EmbeddedBackend, seconds: number, atOnce: number): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let next = 0;
  let done = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      await backend.search(INDEX, DEAR_SEARCHES[next++ % DEAR_SEARCHES.length]!.plan);
      if (performance.now() < end) done++;
      // As a request between two others would: here nothing else turns the event loop.
      await new Promise((resume) => setImmediate(resume));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
  return done;
}
