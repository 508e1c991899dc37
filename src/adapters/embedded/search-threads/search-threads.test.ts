/**
 * Properties: a search in a thread gives what the same search gives here, bit for bit, over random
 * documents, deletes, segments, plans and federations, with kernels and without; a thread that dies costs
 * nobody an answer, one that hangs is ended, and no search waits for ever; what a thread holds is closed,
 * and what it still needs isn't.
 * Threads run what `npm run build` has made of the sources.
 */
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../../tests/kit/manual-clock.js";
import { field, sampleIndex } from "../../../../tests/query-kit/sample-index.js";
import { SynonymMap } from "../../../analysis/synonym-map.js";
import { FileDirectory, Index, TieredMergePolicy } from "../../../engine/index.js";
import { imageThreshold } from "../../../engine/kernels/image-memory.js";
import type { SearchCaller } from "../../../ports/search-backend.js";
import { compileFederatedSearch } from "../../../query/compile-federated-search.js";
import { SearchPatience } from "../search-patience.js";
import { toEngineSchema } from "../to-engine-schema.js";
import { OrderedHitPlaces } from "./hit-order.js";
import { runTask, type SearchTask } from "./search-task.js";
import { type SearchedSnapshot, SearchThreads, StaleSnapshot } from "./search-threads.js";

const sample = sampleIndex({
  fields: {
    id: field("text"),
    title: field("text"),
    shelf: field("facet"),
    n: field("u64"),
    at: field("datetime", { precision: "seconds" }),
  },
  search_fields: ["title", "id"],
  weight_multipliers: { title: 2 },
});
const index = { ...sample, synonyms: new SynonymMap({ winter: ["snow", "cold tale"] }, sample.analyzer) };
const decaying = { ...index, schema: { ...index.schema, time_decay_field: "at" } };

const WORDS = ["winter", "winters", "winner", "tale", "tales", "cold", "snow", "summer"];
const word = fc.constantFrom(...WORDS);
const document = fc
  .record({
    title: fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(" ")),
    n: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
    shelf: fc.constantFrom("/a", "/a/b", "/c"),
    at: fc.constantFrom("2024-01-02T00:00:00Z", "2023-06-01T00:00:00Z"),
  })
  .map(({ n, ...rest }) => ({ ...rest, ...(n === undefined ? {} : { n }) }));
const batches = fc.array(fc.array(document, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 3 });

const orderKey = fc.oneof(
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("id", "title", "n"),
    descending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("score" as const), descending: fc.boolean() }),
);
const search = fc.record({
  clauses: fc.array(
    fc.record({
      mode: fc.constantFrom("fuzzy" as const, "exact" as const, "dynamic" as const),
      ctx: fc.oneof(
        fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(" ")),
        fc.constantFrom("wintre", "tael cold", '"winter tale"', "wint*", "n:>1", "shelf:/a", "-winter snow"),
      ),
      occur: fc.constantFrom("should" as const, "must" as const),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  offset: fc.constantFrom(0, 0, 2),
  limit: fc.constantFrom(0, 3, 50),
  order: fc.option(fc.array(orderKey, { minLength: 1, maxLength: 2 }), { nil: undefined }),
  decays: fc.boolean(),
  explains: fc.boolean(),
  multiSelect: fc.boolean(),
});
const scenario = fc.record({
  first: batches,
  second: batches,
  deleted: fc.array(word, { maxLength: 1 }),
  withKernels: fc.boolean(),
  searches: fc.array(search, { minLength: 3, maxLength: 6 }),
});

const thresholdBefore = imageThreshold.bytes;
let folder: string;
let clock: ManualClock;
const opened: { close(): Promise<void> }[] = [];
const pools: SearchThreads[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-search-threads-"));
  clock = new ManualClock();
});
afterEach(async () => {
  imageThreshold.bytes = thresholdBefore;
  for (const pool of pools.splice(0)) await pool.stop();
  for (const each of opened.splice(0)) await each.close();
  rmSync(folder, { recursive: true, force: true });
});

function pool(count: number, workerFile?: URL): SearchThreads {
  const made = new SearchThreads({
    count,
    clock,
    onProblem: () => undefined,
    ...(workerFile === undefined ? {} : { workerFile }),
  });
  pools.push(made);
  return made;
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resume) => setTimeout(resume, 5));
}

let names = 0;

async function indexOf(
  parts: readonly (readonly object[])[],
): Promise<{ readonly path: string; readonly index: Index }> {
  const path = join(folder, `i${++names}`);
  const made = await Index.create(
    await FileDirectory.open(path, { create: true }),
    toEngineSchema(sample.schema),
    { mergePolicy: new TieredMergePolicy({ segmentsPerTier: 100 }) },
  );
  opened.push(made);
  for (const [batch, documents] of parts.entries()) {
    await made.add(documents.map((each, i) => ({ id: `${batch}-${i}`, ...each })));
    await made.commit();
  }
  return { path, index: made };
}

function snapshotOf({ path, index: { searcher } }: { path: string; index: Index }): SearchedSnapshot {
  return { path, searcher };
}

const plain = { clauses: [{ mode: "fuzzy" as const, ctx: "winter", occur: "should" as const }] };
const [plan] = compileFederatedSearch({ ...plain, offset: 0, limit: 10, sort: "desc" }, [index], 0);
const TASK: SearchTask = { isFederated: false, members: [{ plan: plan!, weight: 1 }], depth: null };
const patience = (limitMs = 60_000): SearchPatience =>
  new SearchPatience(limitMs, undefined, () => clock.now());

function here(task: SearchTask, snapshots: readonly SearchedSnapshot[]): unknown {
  return runTask(
    task,
    snapshots.map(({ searcher }) => searcher),
    patience(),
  );
}

test("searches in threads give what they give here", async () => {
  const threads = pool(2);
  await fc.assert(
    fc.asyncProperty(scenario, async ({ first, second, deleted, withKernels, searches }) => {
      imageThreshold.bytes = withKernels ? 1 : 2 ** 40;
      const indexes = [await indexOf(first), await indexOf(second)];
      for (const { index: each } of indexes) {
        for (const term of deleted) {
          await each.deleteByQuery({ kind: "term", field: "title", term });
          await each.commit();
        }
        // A merge to come would take the snapshot's files away.
        await each.settled();
      }
      const snapshots = indexes.map(snapshotOf);
      const running: Promise<void>[] = [];
      for (const { order, decays, explains, multiSelect, ...request } of searches) {
        const context = decays ? decaying : index;
        const extensions = {
          ...(order === undefined ? {} : { orderBy: order }),
          ...(explains ? { explain: true as const } : {}),
          ...(multiSelect ? { multiSelectFacets: ["shelf"] } : {}),
        };
        const plans = compileFederatedSearch(
          { ...request, sort: "desc", extensions },
          [context, context],
          Date.UTC(2024, 0, 4),
        );
        const members = plans.map((each, i) => ({ plan: each, weight: 1 + i }));
        const both: SearchTask = { isFederated: true, members, depth: null };
        const one: SearchTask = { isFederated: false, members: members.slice(0, 1), depth: null };
        for (const [task, searched] of [
          [both, snapshots],
          [one, snapshots.slice(0, 1)],
        ] as const) {
          if (task.members[0]!.plan === null) continue;
          const compare = async (each: SearchTask): Promise<void> =>
            expect(await threads.run(each, searched, patience())).toEqual(here(each, searched));
          running.push(compare(task), compare({ ...task, depth: 7 }));
        }
      }
      await Promise.all(running);
    }),
    { numRuns: 12 },
  );
}, 60_000);

test("an order names the page's hits", async () => {
  const made = await indexOf([[{ title: "winter tale" }, { title: "tale" }], [{ title: "winter" }]]);
  const outcome = await pool(1).run({ ...TASK, depth: 5 }, [snapshotOf(made)], patience());
  if (outcome.kind !== "order") throw new TypeError("an order was wanted");
  const places = new OrderedHitPlaces(outcome.order);
  expect(places).toMatchObject({ count: 2, length: 2, held: 2 });
  const ids = [0, 1].map((place) => made.index.searcher.load(places.at(place).hit).json);
  expect(ids.map((json) => (JSON.parse(json) as { title: string }).title)).toEqual(["winter", "winter tale"]);
});

test("a snapshot whose files are gone is stale, and the thread goes on with the next", async () => {
  const made = await indexOf([[{ title: "winter" }]]);
  const stale = snapshotOf(made);
  await made.index.deleteAll();
  await made.index.add([{ id: "x", title: "winter cold" }]);
  await made.index.commit();
  // What is of no use any more is deleted behind the commit's back.
  await made.index.settled();
  await until(() => readdirSync(made.path).filter((name) => name.endsWith(".doc")).length === 1);
  const threads = pool(1);
  await expect(threads.run(TASK, [stale], patience())).rejects.toThrow(StaleSnapshot);
  const newest = snapshotOf(made);
  expect(await threads.run(TASK, [newest], patience())).toEqual(here(TASK, [newest]));
});

test("errors come back as they were thrown", async () => {
  const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
  const unknown = { ...plan!, ast: { kind: "term" as const, field: "nowhere", term: "x" } };
  const task: SearchTask = { ...TASK, members: [{ plan: unknown, weight: 1 }] };
  const thrown = (run: () => unknown): unknown => {
    try {
      return run();
    } catch (error) {
      return error;
    }
  };
  const expected = thrown(() => here(task, [made])) as Error;
  await expect(pool(1).run(task, [made], patience())).rejects.toMatchObject({
    name: "FindlingError",
    code: "unknown_field",
    message: expected.message,
  });
});

/** Document stores of this test's folder that the process has open. */
function openDocumentStores(): number {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) && target.includes(".doc");
    } catch {
      return false;
    }
  }).length;
}

test("what a new snapshot shares with the one before stays open, and isn't opened again", async () => {
  const made = await indexOf([[{ title: "winter" }]]);
  const threads = pool(1);
  await threads.run(TASK, [snapshotOf(made)], patience());
  const [before] = readdirSync(made.path).filter((name) => name.endsWith(".doc"));
  await made.index.add([{ id: "x", title: "winter cold" }]);
  await made.index.commit();
  const newest = snapshotOf(made);
  const expected = here(TASK, [newest]);
  // Opening it again would fail now.
  renameSync(join(made.path, before!), join(made.path, "elsewhere"));
  expect(await threads.run(TASK, [newest], patience())).toEqual(expected);
  renameSync(join(made.path, "elsewhere"), join(made.path, before!));
});

test.skipIf(process.platform !== "linux")(
  "a thread keeps the newest snapshot of an index, until it is told or ends",
  async () => {
    const made = await indexOf([[{ title: "winter" }]]);
    const other = await indexOf([[{ title: "winter" }]]);
    const threads = pool(1);
    const own = openDocumentStores();
    await threads.run(TASK, [snapshotOf(made)], patience());
    expect(openDocumentStores()).toBe(own + 1);
    await made.index.deleteAll();
    await made.index.add([{ id: "x", title: "winter" }]);
    await made.index.commit();
    await threads.run(TASK, [snapshotOf(made)], patience());
    await threads.run(TASK, [snapshotOf(other)], patience());
    expect(openDocumentStores()).toBe(own + 2);
    threads.forget(made.path);
    await threads.run(TASK, [snapshotOf(other)], patience());
    expect(openDocumentStores()).toBe(own + 1);
    await clock.advance(60_000);
    await until(() => openDocumentStores() === own);
    expect(openDocumentStores()).toBe(own);
    await threads.run(TASK, [snapshotOf(other)], patience());
    expect(openDocumentStores()).toBe(own + 1);
  },
);

class LeavingCaller implements SearchCaller {
  isGone = false;
  readonly #listeners = new Set<() => void>();

  get listeners(): number {
    return this.#listeners.size;
  }

  whenGone(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  leave(): void {
    this.isGone = true;
    for (const listener of this.#listeners) listener();
  }
}

describe("threads that fail", () => {
  const real = new URL("../../../../dist/adapters/embedded/search-threads/search-worker.js", import.meta.url);

  /** A worker that does this with the first searches that reach any thread, then what it should. */
  function worker(first: string, times: number): URL {
    const file = join(folder, "worker.mjs");
    const counter = join(folder, "counter");
    writeFileSync(counter, "");
    writeFileSync(
      file,
      `import { appendFileSync, readFileSync } from "node:fs";
       import { parentPort, workerData } from "node:worker_threads";
       const isFirst = () => { appendFileSync(${JSON.stringify(counter)}, "x"); return readFileSync(${JSON.stringify(counter)}).length <= ${times}; };
       const on = parentPort.on.bind(parentPort);
       parentPort.on = (name, take) => on(name, (message) => { if (message.search !== null && isFirst()) { ${first} } take(message); });
       await import(${JSON.stringify(real.href)});`,
    );
    return pathToFileURL(file);
  }

  const HANG = "for (;;) {}";

  test("one that dies costs nobody an answer", async () => {
    const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
    const threads = pool(1, worker("process.exit(7)", 1));
    const all = await Promise.all([1, 2, 3].map(() => threads.run(TASK, [made], patience())));
    expect(all).toEqual([1, 2, 3].map(() => here(TASK, [made])));
  });

  test("a search over which two have died is refused, others aren't", async () => {
    const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
    const threads = pool(1, worker("throw new Error('out of luck')", 2));
    const first = threads.run(TASK, [made], patience());
    const second = threads.run(TASK, [made], patience());
    await expect(first).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(await second).toEqual(here(TASK, [made]));
  });

  test("one that doesn't end by itself is ended 100 ms after the search's time, and replaced", async () => {
    const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
    const threads = pool(1, worker(HANG, 1));
    const hanging = threads.run(TASK, [made], patience(5000));
    await until(() => readFileSync(join(folder, "counter")).length === 1);
    let ended = "running";
    hanging.catch((error: { code: string }) => (ended = error.code));
    await clock.advance(5099);
    expect(ended).toBe("running");
    await clock.advance(1);
    expect(ended).toBe("search_timeout");
    expect(await threads.run(TASK, [made], patience())).toEqual(here(TASK, [made]));
  });

  test("a search whose caller has gone waits no longer, and ends where it runs", async () => {
    const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
    const threads = pool(1, worker("while (Atomics.load(workerData.abandoned, 0) === 0);", 1));
    const callers = [1, 2, 3].map(() => new LeavingCaller());
    const runs = callers.map((caller) => threads.run(TASK, [made], patience(), caller));
    await until(() => readFileSync(join(folder, "counter")).length === 1);
    const stopped = { code: "search_timeout", message: expect.stringContaining("stopped") };
    callers[1]!.leave();
    await expect(runs[1]).rejects.toMatchObject(stopped);
    callers[0]!.leave();
    await expect(runs[0]).rejects.toMatchObject(stopped);
    expect(await runs[2]).toEqual(here(TASK, [made]));
    await expect(threads.run(TASK, [made], patience(), callers[0])).rejects.toMatchObject(stopped);
    // Neither of those who have gone took a thread from the others.
    expect(readFileSync(join(folder, "counter")).length).toBe(2);
    expect(callers.map(({ listeners }) => listeners)).toEqual([0, 0, 0]);
  });

  test("of the searches that wait, too many are refused, and those whose time is up", async () => {
    const made = snapshotOf(await indexOf([[{ title: "winter" }]]));
    const threads = pool(1, worker(HANG, 1));
    const settled: string[] = [];
    const run = (limitMs: number): void =>
      void threads.run(TASK, [made], patience(limitMs)).then(
        () => settled.push("found"),
        (error: { code: string; retryAfterSeconds: number }) =>
          settled.push(`${error.code} ${error.retryAfterSeconds}`),
      );
    run(5000);
    for (let i = 0; i < 256; i++) run(1000);
    await clock.advance(0);
    expect(settled).toEqual([]);
    run(1000);
    await clock.advance(0);
    expect(settled).toEqual(["rate_limited 1"]);
    await clock.advance(1000);
    expect(settled).toEqual(Array(257).fill("rate_limited 1"));
    run(100_000);
    await threads.stop();
    await clock.advance(0);
    expect(settled.slice(257)).toEqual(["storage_unavailable undefined", "storage_unavailable undefined"]);
    await expect(threads.run(TASK, [made], patience())).rejects.toMatchObject({
      code: "storage_unavailable",
    });
  });
});
