// Properties: indexes that are put to sleep at any moment answer as ones that never sleep; nothing that
// was acknowledged is lost by it, pending writes included; what is in use stays awake; what sleeps holds
// no file and next to no memory; a damaged index harms no other, and is reported once.

import { readdirSync, readlinkSync } from "node:fs";
import { link, mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../../tests/kit/manual-clock.js";
import { sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { parsedDocument } from "../../contract/document-json.js";
import type { OpenSearch } from "../../ports/search-backend.js";
import { compileSearch } from "../../query/compile-search.js";
import { EmbeddedBackend, type EmbeddedBackendOptions } from "./embedded-backend.js";

const sample = sampleIndex();
const IDLE_MS = 10_000;

let folder: string;
let clock: ManualClock;
let problems: string[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "findling-sleep-"));
  clock = new ManualClock();
  problems = [];
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function open(options: Partial<EmbeddedBackendOptions> = {}): Promise<EmbeddedBackend> {
  return EmbeddedBackend.open({
    dataDirectory: folder,
    awake: { countMax: 2, bytesMax: 2 ** 40, idleMs: IDLE_MS },
    clock,
    onProblem: (message, error) => problems.push(`${message}: ${(error as Error).message}`),
    ...options,
  });
}

const known = (names: readonly string[]) => names.map((storageId) => ({ storageId, schema: sample.schema }));

function planFor(word: string, limit = 100) {
  const clauses = [{ mode: "exact" as const, ctx: `title:${word}`, occur: "should" as const }];
  return compileSearch({ clauses, offset: 0, limit, sort: "desc" }, sample, 0);
}

async function idsOf(backend: EmbeddedBackend, storageId: string, word = "word"): Promise<string[]> {
  const { hits } = await backend.search(storageId, planFor(word));
  return hits.map(({ docJson }) => String(parsedDocument(docJson)["id"])).sort();
}

/** Files of indexes that this process has open. */
function openFiles(): string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(join(folder, "indexes")) ? [target] : [];
    } catch {
      return [];
    }
  });
}

/** Time goes on: an index that is busy when it is due, as with a commit point, is looked at again. */
async function untilAsleep(): Promise<void> {
  await expect
    .poll(async () => {
      await clock.advance(IDLE_MS);
      return openFiles();
    })
    .toEqual([]);
}

function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let turn = 0; turn < 3; turn++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const NAMES = ["a", "b", "c", "d"];
const name = fc.constantFrom(...NAMES);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("add" as const), name, count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("commit" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rollback" as const), name }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deleteAll" as const), name }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("search" as const), name }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("federation" as const),
      members: fc.subarray(NAMES, { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cursor" as const), name }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("stats" as const), name }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("wait" as const),
      ms: fc.constantFrom(1, IDLE_MS, 3 * IDLE_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("restart" as const) }) },
);

/** The plain model: what is committed, and what is on top of that. */
class Model {
  committed: string[] = [];
  working: string[] = [];
  hasPending = false;
}

test("whatever happens in whatever order, sleep changes no answer", async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.boolean(), async (steps, together) => {
      const dataDirectory = join(folder, `run${++runs}`);
      const awake = { countMax: 1 + (runs % 2), bytesMax: runs % 3 === 0 ? 1 : 2 ** 40, idleMs: IDLE_MS };
      let backend = await open({ dataDirectory, awake });
      await backend.start([]);
      const models = new Map(NAMES.map((each) => [each, new Model()]));
      for (const each of NAMES) await backend.createIndex(each, sample.schema);
      const cursors: { search: OpenSearch; expected: string[] }[] = [];
      let ids = 0;
      const perform = async (each: (typeof steps)[number]): Promise<void> => {
        switch (each.kind) {
          case "add": {
            const model = models.get(each.name)!;
            const added = Array.from({ length: each.count }, () => String(++ids).padStart(4, "0"));
            model.working = [...model.working, ...added];
            model.hasPending = true;
            await backend.add(
              each.name,
              added.map((id) => ({ id, title: "a word" })),
            );
            return;
          }
          case "commit": {
            const model = models.get(each.name)!;
            model.committed = model.working;
            model.hasPending = false;
            return backend.commit(each.name);
          }
          case "rollback": {
            const model = models.get(each.name)!;
            model.working = model.committed;
            model.hasPending = false;
            return backend.rollback(each.name);
          }
          case "deleteAll": {
            const model = models.get(each.name)!;
            const count = model.working.length;
            if (count > 0) model.hasPending = true;
            model.working = [];
            expect(await backend.deleteAll(each.name)).toBe(count);
            return;
          }
          case "search":
            expect(await idsOf(backend, each.name)).toEqual(models.get(each.name)!.committed);
            return;
          case "federation": {
            const members = each.members.map((storageId) => ({
              storageId,
              plan: planFor("word"),
              weight: 1,
            }));
            const { count } = await backend.searchFederation(members);
            expect(count).toBe(each.members.reduce((sum, one) => sum + models.get(one)!.committed.length, 0));
            return;
          }
          case "cursor": {
            const expected = models.get(each.name)!.committed;
            cursors.push({ search: await backend.openSearch(each.name, planFor("word", 1)), expected });
            return;
          }
          case "stats": {
            const model = models.get(each.name)!;
            expect((await backend.stats(each.name)).documentCount).toBe(model.committed.length);
            if (model.hasPending) expect(await backend.hasPendingWrites(each.name)).toBe(true);
            const generation = await backend.generation(each.name);
            expect(await backend.generation(each.name)).toBe(generation);
            return;
          }
          case "wait":
            return clock.advance(each.ms);
          case "restart":
            for (const { search } of cursors.splice(0)) search.close();
            await backend.stop();
            backend = await open({ dataDirectory, awake });
            return backend.start(known(NAMES));
        }
      };
      for (const each of steps) await perform(each);
      // All at once, each finds its own documents.
      if (together) await Promise.all(NAMES.map((each) => perform({ kind: "search", name: each })));
      for (const { search, expected } of cursors) {
        const { hits: page } = await search.page(search.first, 100);
        expect(page.map(({ docJson }) => String(parsedDocument(docJson)["id"])).sort()).toEqual(expected);
        search.close();
      }
      await backend.stop();
      expect(problems).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

describe("an index that nobody uses", () => {
  test("falls asleep after its time, keeps no file, and wakes for a search or a write", async () => {
    const backend = await open();
    await backend.start([]);
    await backend.createIndex("a", sample.schema);
    await backend.add("a", [{ id: "1", title: "a word" }]);
    await backend.commit("a");
    await backend.add("a", [{ id: "2", title: "a word" }]);
    if (process.platform === "linux") expect(openFiles()).not.toEqual([]);
    await clock.advance(IDLE_MS - 1);
    expect(await idsOf(backend, "a")).toEqual(["1"]);
    const generation = await backend.generation("a");
    await clock.advance(IDLE_MS - 1);
    if (process.platform === "linux") expect(openFiles()).not.toEqual([]);
    await untilAsleep();
    expect(await backend.stats("a")).toMatchObject({ documentCount: 1 });
    expect(await backend.hasPendingWrites("a")).toBe(true);
    expect(await backend.generation("a")).toBe(generation);
    expect(openFiles()).toEqual([]);
    expect(await idsOf(backend, "a")).toEqual(["1"]);
    expect(await backend.generation("a")).toBe(generation);
    await untilAsleep();
    await backend.commit("a");
    expect(await idsOf(backend, "a")).toEqual(["1", "2"]);
    expect(await backend.generation("a")).not.toBe(generation);
    await backend.stop();
    expect(clock.waiting).toBe(0);
  });

  test("is opened by nobody at the start", async () => {
    const first = await open();
    await first.start([]);
    await first.createIndex("a", sample.schema);
    await first.add("a", [{ id: "1", title: "a word" }]);
    await first.stop();
    const backend = await open();
    await backend.start(known(["a"]));
    expect(await backend.hasPendingWrites("a")).toBe(true);
    expect(await backend.stats("a")).toMatchObject({ documentCount: 0 });
    expect(openFiles()).toEqual([]);
    await backend.commit("a");
    expect(await idsOf(backend, "a")).toEqual(["1"]);
    await backend.stop();
  });
});

test("a thousand indexes: searched across in bounded memory; asleep, each is small and holds no file", async () => {
  const count = 1000;
  const names = Array.from({ length: count }, (_, n) => `s${n}`);
  const first = await open();
  await first.start([]);
  await first.createIndex("s0", sample.schema);
  await first.add("s0", [{ id: "1", title: "a word" }]);
  await first.commit("s0");
  await first.stop();
  const original = join(folder, "indexes", "s0");
  const files = await readdir(original);
  for (const each of names.slice(1)) {
    await mkdir(join(folder, "indexes", each));
    // Nothing is written here that the others would see.
    for (const file of files) await link(join(original, file), join(folder, "indexes", each, file));
  }
  const before = heapBytes();
  const backend = await open({ awake: { countMax: 20, bytesMax: 2 ** 40, idleMs: IDLE_MS } });
  await backend.start(known(names));
  await Promise.all(names.map(async (each) => expect(await idsOf(backend, each)).toEqual(["1"])));
  await idsOf(backend, "s0");
  if (process.platform === "linux")
    expect(new Set(openFiles().map((file) => join(file, ".."))).size).toBeLessThanOrEqual(24);
  await untilAsleep();
  expect((heapBytes() - before) / count).toBeLessThan(64 * 1024);
  await backend.stop();
  expect(problems).toEqual([]);
});

describe("a damaged index", () => {
  async function stored(): Promise<string> {
    const backend = await open();
    await backend.start([]);
    for (const each of ["a", "b"]) {
      await backend.createIndex(each, sample.schema);
      await backend.add(each, [{ id: "1", title: "a word" }]);
      await backend.commit(each);
    }
    await backend.stop();
    return join(folder, "indexes", "a");
  }

  test.each([
    ["its commit point", (file: string) => file.startsWith("commit"), 40],
    ["a segment", (file: string) => file.endsWith(".idx"), 100],
  ])(
    "by %s: the server starts, the others answer, every use says which file, the operator is told once",
    async (_what, isDamaged, length) => {
      const path = await stored();
      const file = (await readdir(path)).find(isDamaged)!;
      await truncate(join(path, file), length);
      const backend = await open();
      await backend.start(known(["a", "b"]));
      for (let turn = 0; turn < 2; turn++) {
        await expect(backend.search("a", planFor("word"))).rejects.toMatchObject({ code: "storage_corrupt" });
        await expect(backend.add("a", [{ id: "2" }])).rejects.toThrow(file);
      }
      await expect(
        backend.searchFederation(
          ["b", "a"].map((storageId) => ({ storageId, plan: planFor("word"), weight: 1 })),
        ),
      ).rejects.toMatchObject({ code: "storage_corrupt" });
      expect(await idsOf(backend, "b")).toEqual(["1"]);
      expect(problems).toHaveLength(1);
      expect(problems[0]).toContain("index 'sample' cannot be opened");
      expect(problems[0]).toContain(file);
      await backend.stop();
    },
  );

  test("by a missing file: the operator is told without anybody using it", async () => {
    const path = await stored();
    const file = (await readdir(path)).find((each) => each.endsWith(".doc"))!;
    await rm(join(path, file));
    const backend = await open();
    await backend.start(known(["a", "b"]));
    await expect.poll(() => problems).toHaveLength(1);
    expect(problems[0]).toContain(file);
    await backend.stop();
  });

  test("is taken up again by a write once its files are mended", async () => {
    const path = await stored();
    const file = join(path, (await readdir(path)).find((each) => each.startsWith("commit"))!);
    const whole = await readFile(file);
    await truncate(file, 40);
    const backend = await open();
    await backend.start(known(["a"]));
    await expect(backend.search("a", planFor("word"))).rejects.toMatchObject({ code: "storage_corrupt" });
    await writeFile(file, whole);
    await expect(backend.search("a", planFor("word"))).rejects.toMatchObject({ code: "storage_corrupt" });
    await backend.add("a", [{ id: "2", title: "a word" }]);
    expect(await idsOf(backend, "a")).toEqual(["1"]);
    await backend.stop();
  });
});
