/**
 * Properties: merges in their thread, or in turns in this one, give what merges of each index give by themselves, of
 * several indexes at a time, small segments and ones in kernel memory alike; one that fails takes no other with it;
 * after the end nothing is written, and all are refused.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { imageThreshold } from "../../engine/kernels/image-memory.js";
import {
  checkIndex,
  defineSchema,
  FileDirectory,
  Index,
  type MergeTask,
  shareSnapshot,
  TieredMergePolicy,
} from "../../engine/server-door.js";
import { BufferGarbage } from "./buffer-garbage.js";
import { InPlaceMergeRunner } from "./in-place-merge-runner.js";
import { MergeGarbage } from "./merge-garbage.js";
import { type MergeThread, MergeTurns } from "./merge-turns.js";
import { WorkerMergeRunner } from "./worker-merge-runner.js";

const SCHEMA = defineSchema({ id: "keyword", title: "text", year: "u64", kind: "facet" });
const WORDS = ["winter", "tale", "tempest", "much", "ado", "about", "nothing", "king", "lear"];
const byFour = new TieredMergePolicy({ segmentsPerTier: 4, floorBytes: 1 << 20 });
const thresholdBefore = imageThreshold.bytes;

let path: string;
let runner: MergeThread;
let tasks: MergeTask[];

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "findling-merge-runner-"));
  tasks = [];
});
afterEach(async () => {
  imageThreshold.bytes = thresholdBefore;
  await runner.stop();
  rmSync(path, { recursive: true, force: true });
});

const kinds = [
  { where: "in their thread", start: (): MergeThread => new WorkerMergeRunner() },
  {
    where: "in this one",
    start: (): MergeThread => new InPlaceMergeRunner(new MergeGarbage(new BufferGarbage(), () => 0)),
  },
];

async function createIndex(name: string, byRunner: boolean): Promise<Index> {
  const folder = join(path, name);
  const directory = await FileDirectory.open(folder, { create: true });
  const run = (task: MergeTask): ReturnType<MergeThread["run"]> => {
    tasks.push(task);
    return runner.run(folder, task);
  };
  return Index.create(directory, SCHEMA, { mergePolicy: byFour, ...(byRunner ? { mergeRunner: run } : {}) });
}

/** Adds, deletes and commits the same to each index. */
async function fill(index: Index): Promise<void> {
  for (let commit = 0; commit < 11; commit++) {
    const documents = Array.from({ length: 40 + commit * 30 }, (_, i) => {
      const n = commit * 1000 + i;
      const title = `${WORDS[n % 9]} ${WORDS[(n * 5) % 7]} ${WORDS[(n * n) % 8]} ${n % 50}`;
      return { id: `d${n}`, title, year: 1600 + (n % 40), kind: `/play/${WORDS[n % 4]}` };
    });
    await index.add(documents);
    await index.deleteByQuery({ kind: "value_set", field: "id", values: [`d${commit * 1000 - 997}`, "d3"] });
    await index.commit();
  }
  await index.merge();
}

function answers(index: Index): unknown {
  const queries = ["winter", "king", "42", "nothing"].map((term) => ({
    kind: "term" as const,
    field: "title",
    term,
  }));
  return queries.map((query) => {
    const { hits, ...rest } = index.search({ query, limit: 50, facets: ["kind"] });
    return { ...rest, hits: hits.map(({ json, score }) => ({ json, score })) };
  });
}

test.each(
  kinds.flatMap((kind) => [
    { ...kind, memory: "plain memory", bytes: 2 ** 40 },
    { ...kind, memory: "kernel memory", bytes: 1 },
  ]),
)("merges $where give what each index's own give, in $memory", async ({ start, bytes }) => {
  runner = start();
  imageThreshold.bytes = bytes;
  const here = await createIndex("here", false);
  const there = await Promise.all(["a", "b"].map((name) => createIndex(name, true)));
  await Promise.all([here, ...there].map(fill));
  expect(tasks.length).toBeGreaterThanOrEqual(4);
  for (const index of there) {
    expect(index.segmentCount).toBe(here.segmentCount);
    expect(answers(index)).toEqual(answers(here));
    // Other threads can follow it like every other.
    expect(shareSnapshot(index.searcher).segments).toHaveLength(index.segmentCount);
  }
  for (const index of [here, ...there]) await index.close();
  for (const name of ["a", "b"]) {
    const directory = await FileDirectory.open(join(path, name), { create: false });
    expect((await checkIndex(directory)).problems).toEqual([]);
  }
});

test.each(kinds)(
  "$where, a merge that fails takes no other with it, and after the end all are refused",
  async ({ start }) => {
    runner = start();
    const index = await createIndex("a", true);
    await fill(index);
    const [task] = tasks as [MergeTask];
    const gone = {
      ...task,
      inputs: task.inputs.map((input) => ({ ...input, data: { ...input.data, name: "gone" } })),
    };
    await expect(runner.run(join(path, "a"), gone)).rejects.toMatchObject({
      message: expect.stringContaining("gone") as string,
    });
    const before = tasks.length;
    await fill(index);
    expect(tasks.length).toBeGreaterThan(before);
    const running = runner.run(join(path, "a"), gone);
    const waiting = runner.run(join(path, "a"), gone);
    const outcomes = Promise.allSettled([running, waiting]);
    await runner.stop();
    for (const { status } of await outcomes) expect(status).toBe("rejected");
    await expect(runner.run(join(path, "a"), gone)).rejects.toThrow("merging has stopped");
    await index.close();
  },
);

test("a merge in this thread is ended between two slices, and leaves no file", async () => {
  runner = kinds[1]!.start();
  const folder = join(path, "a");
  const index = await createIndex("a", false);
  await index.add(Array.from({ length: 20_000 }, (_, i) => ({ id: `d${i}`, title: `${WORDS[i % 9]} ${i}` })));
  await index.commit();
  const inputs = shareSnapshot(index.searcher).segments;
  const task: MergeTask = { schema: SCHEMA, inputs, bytes: 2 ** 20, output: "ended" };
  let outcome = "under way";
  void runner.run(folder, task).then(
    () => (outcome = "merged"),
    (error: unknown) => (outcome = (error as Error).message),
  );
  await runner.stop();
  // Nothing is written any more by now.
  expect(outcome).toBe("merging has stopped");
  const directory = await FileDirectory.open(folder, { create: false });
  expect((await directory.list()).filter((name) => name.startsWith("ended"))).toEqual([]);
  await index.close();
});

test("a merge that can't even begin fails once, and takes none of those that come later with it", async () => {
  runner = kinds[1]!.start();
  const turns = new MergeTurns();
  let begun = 0;
  const threadless = (): Promise<never> => {
    begun++;
    throw new Error("no thread can be started");
  };
  const before = turns.run(1, () => Promise.resolve("before"));
  await expect(turns.run(1, threadless)).rejects.toThrow("no thread");
  expect(await before).toBe("before");
  await expect(turns.run(1, threadless)).rejects.toThrow("no thread");
  expect(await turns.run(1, () => Promise.resolve("after"))).toBe("after");
  await turns.idle();
  expect(begun).toBe(2);
});
