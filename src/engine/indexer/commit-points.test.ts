/**
 * Properties: where a commit point can't be published, files that neither it nor the newest one names are gone, so that
 * a full disk has room for the next; those that the newest one names stay, and nothing is lost by it to a failure, a
 * kill or a crash at any operation.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FaultyDirectory } from "../../../tests/simulation/faulty-directory.js";
import { SimulatedDisk } from "../../../tests/simulation/simulated-disk.js";
import { checkIndex, defineSchema, Index } from "../server-door.js";

const SCHEMA = defineSchema({ id: "keyword", body: { kind: "text" } });

// There is no commit point before one is asked for.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

interface Told {
  readonly merges: unknown[];
  readonly commitPoints: unknown[];
}

function options(told: Told) {
  return {
    lock: false,
    mergePolicy: { nextMerge: () => null },
    onMergeError: (error: unknown) => told.merges.push(error),
    onCommitPointError: (error: unknown) => told.commitPoints.push(error),
  };
}

async function addAndCommit(index: Index, id: string): Promise<void> {
  await index.add([{ id, body: `${id} and more `.repeat(2000) }]);
  await index.commit();
}

const segmentFiles = async (directory: FaultyDirectory): Promise<string[]> =>
  (await directory.list()).filter((name) => name.startsWith("s")).sort();

describe("a full disk", () => {
  test("has room again once everything is deleted, of files that no commit point names", async () => {
    const disk = new SimulatedDisk();
    const directory = new FaultyDirectory(1, disk);
    const told: Told = { merges: [], commitPoints: [] };
    const index = await Index.create(directory, SCHEMA, options(told));
    await addAndCommit(index, "a");
    await addAndCommit(index, "b");
    await index.deleteAll();
    await index.commit();
    directory.capacity = disk.usedBytes;
    expect(await segmentFiles(directory)).toHaveLength(4);
    await index.settled();
    expect(told.commitPoints).toHaveLength(1);
    expect(told.merges).toEqual([]);
    expect(await segmentFiles(directory)).toEqual([]);
    await index.settled();
    expect(told.commitPoints).toHaveLength(1);
    expect((await directory.list()).filter((name) => name.startsWith("commit-"))).toEqual([
      "commit-00000002",
    ]);
    await index.close();
  });

  test("keeps what the newest commit point names", async () => {
    const disk = new SimulatedDisk();
    const directory = new FaultyDirectory(2, disk);
    const told: Told = { merges: [], commitPoints: [] };
    const index = await Index.create(directory, SCHEMA, options(told));
    await addAndCommit(index, "a");
    await index.settled();
    const named = await segmentFiles(directory);
    await addAndCommit(index, "b");
    await index.deleteAll();
    await index.commit();
    await addAndCommit(index, "c");
    const latest = (await segmentFiles(directory)).slice(-2);
    directory.capacity = disk.usedBytes;
    await index.settled();
    expect(told.commitPoints).toHaveLength(1);
    expect(await segmentFiles(directory)).toEqual([...named, ...latest]);
    const after = directory.crash(3);
    const { problems } = await checkIndex(after);
    expect(problems).toEqual([]);
    const opened = await Index.open(after, options(told));
    const { hits } = opened.search({ query: { kind: "match_all" } });
    expect(hits.map(({ json }) => (JSON.parse(json) as { id: string }).id)).toEqual(["c"]);
    await opened.close();
  });

  test.each(["fail", "kill", "crash"] as const)(
    "loses nothing to a %s at any operation then",
    async (end) => {
      for (let operation = 1; ; operation++) {
        const disk = new SimulatedDisk();
        const directory = new FaultyDirectory(operation, disk);
        const told: Told = { merges: [], commitPoints: [] };
        const index = await Index.create(directory, SCHEMA, options(told));
        await addAndCommit(index, "a");
        await index.settled();
        await addAndCommit(index, "b");
        await addAndCommit(index, "c");
        await index.deleteByQuery({ kind: "value_set", field: "id", values: ["a", "b"] });
        await index.commit();
        directory.capacity = disk.usedBytes;
        const first = directory.operations;
        if (end === "fail") directory.failAt(first + operation);
        else directory.dieAt(first + operation);
        await index.settled();
        await index.settled();
        const isOver = directory.operations < first + operation;
        const after = end === "crash" ? directory.crash(operation) : directory.kill();
        after.capacity = null;
        const opened = await Index.open(after, options(told));
        const { hits } = opened.search({ query: { kind: "match_all" } });
        expect(hits.map(({ json }) => (JSON.parse(json) as { id: string }).id)).toEqual(["c"]);
        await addAndCommit(opened, "d");
        await opened.close();
        expect((await checkIndex(after)).problems).toEqual([]);
        if (isOver) {
          expect(operation).toBeGreaterThan(10);
          return;
        }
      }
    },
  );
});
