/**
 * Properties: a search at any moment of a commit, a merge or a rollback sees the last commit whole;
 * files are closed exactly when nothing can search them any more, whether things go well or not.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FindlingError } from "../errors/index.js";
import type { AppendFile, Directory, StagedFile } from "./directory/directory.js";
import {
  defineSchema,
  FileDirectory,
  Index,
  type Query,
  runMerge,
  TieredMergePolicy,
} from "./server-door.js";

const SCHEMA = defineSchema({ id: "keyword", title: "text" });
const EVERYTHING: Query = { kind: "match_all" };
const byIds = (...values: string[]): Query => ({ kind: "value_set", field: "id", values });
const ids = (index: Index): string[] =>
  index
    .search({ query: EVERYTHING, limit: 1000 })
    .hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);

/** A directory that tells of each operation before it begins; telling may throw. */
function observed(directory: Directory, tell: (operation: string, name: string) => void): Directory {
  return new Proxy(directory, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return async (...parameters: unknown[]): Promise<unknown> => {
        const name = typeof parameters[0] === "string" ? parameters[0] : "";
        tell(String(property), name);
        const result: unknown = await (value as (...given: unknown[]) => Promise<unknown>).apply(
          target,
          parameters,
        );
        if (property === "stage") return observedStage(result as StagedFile, () => tell("publish", name));
        return property === "openAppend" ? observedFile(result as AppendFile, tell) : result;
      };
    },
  });
}

function observedStage(file: StagedFile, tell: () => void): StagedFile {
  return {
    publish: async () => {
      tell();
      await file.publish();
    },
    discard: () => file.discard(),
  };
}

function observedFile(file: AppendFile, tell: (operation: string, name: string) => void): AppendFile {
  return new Proxy(file, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...parameters: unknown[]): unknown => {
        tell(`journal ${String(property)}`, "");
        return (value as (...given: unknown[]) => unknown).apply(target, parameters);
      };
    },
  });
}

let path: string;
let directory: FileDirectory;
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "findling-lifetimes-"));
  directory = await FileDirectory.open(path, { create: true });
});
afterEach(() => {
  rmSync(path, { recursive: true, force: true });
});

/** Files of this test's folder that this process holds open. */
function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(path) ? [target.slice(path.length + 1)] : [];
    } catch {
      return [];
    }
  });
}

const onLinux = process.platform === "linux";
const byTwo = new TieredMergePolicy({ segmentsPerTier: 2, floorBytes: 1 << 20 });

test("searches at any moment of commits, merges and rollbacks see a commit whole", async () => {
  let index: Index | null = null;
  let searches = 0;
  /** What may be visible: the last commit, or the one under way. */
  let allowed: string[][] = [[]];
  const problems: unknown[] = [];
  const observing = observed(directory, (operation) => {
    if (index === null) return;
    searches++;
    try {
      expect(allowed).toContainEqual(ids(index));
    } catch (error) {
      problems.push(operation, error);
    }
  });
  index = await Index.create(observing, SCHEMA, { mergePolicy: byTwo });
  const commit = async (expected: string[]): Promise<void> => {
    allowed = [allowed.at(-1)!, expected];
    await index!.commit();
    allowed = [expected];
    expect(ids(index!)).toEqual(expected);
    await index!.merge();
  };
  await index.add([{ id: "a" }, { id: "b" }]);
  await commit(["a", "b"]);
  await index.add([{ id: "c" }, { id: "d" }]);
  await commit(["a", "b", "c", "d"]);
  expect(index.segmentCount).toBe(1);
  await index.deleteByQuery(byIds("b", "c"));
  await index.rollback();
  await index.deleteByQuery(byIds("b"));
  await index.add([{ id: "e" }]);
  await commit(["a", "c", "d", "e"]);
  await index.deleteAll();
  await commit([]);
  const closing = index;
  index = null;
  await closing.close();
  expect(searches).toBeGreaterThan(50);
  expect(problems).toEqual([]);
});

test("opening deletes what a crash left half written, and nobody else's files", async () => {
  await (await Index.create(directory, SCHEMA, { lock: false })).close();
  for (const name of [".s00000001.idx.tmp", "notes.txt"]) writeFileSync(join(path, name), "half");
  await (await Index.open(directory, { lock: false })).close();
  const names = readdirSync(path);
  expect(names).toContain("notes.txt");
  expect(names).not.toContain(".s00000001.idx.tmp");
});

describe.runIf(onLinux)("files held open", () => {
  // Commit points, which open files once more, are made when they are asked for, however slow the machine is.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("are two per segment and the journal, however many commits and merges came before", async () => {
    const index = await Index.create(directory, SCHEMA, { mergePolicy: byTwo, lock: false });
    for (let round = 0; round < 40; round++) {
      await index.add([{ id: `k${round}` }]);
      if (round % 5 === 4) await index.deleteByQuery(byIds(`k${round - 1}`, `k${round - 3}`));
      if (round % 7 === 6) await index.rollback();
      await index.commit();
      await index.merge();
      await index.settled();
      const files = openFiles();
      expect(files.filter((name) => name.startsWith("journal-"))).toHaveLength(1);
      expect(files.filter((name) => name.endsWith(".doc"))).toHaveLength(index.segmentCount);
      expect(files).toHaveLength(1 + index.segmentCount);
    }
    await index.close();
    expect(openFiles()).toEqual([]);
  });

  test("are those of a held searcher too, until it is released, be the index closed or gone", async () => {
    const index = await Index.create(directory, SCHEMA, { mergePolicy: byTwo, lock: false });
    await index.add([{ id: "a" }, { id: "b" }]);
    await index.commit();
    const held = index.holdSearcher();
    const again = index.holdSearcher();
    const found = (): string[] =>
      held.searcher
        .search({ query: EVERYTHING, offset: 0, limit: 9 })
        .hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
    await index.deleteByQuery(byIds("a"));
    await index.add([{ id: "c" }]);
    await index.commit();
    await index.merge();
    expect(index.segmentCount).toBe(1);
    expect(ids(index)).toEqual(["b", "c"]);
    expect(found()).toEqual(["a", "b"]);
    expect(openFiles().filter((name) => name.includes(".doc"))).toHaveLength(2);
    again.release();
    again.release();
    expect(found()).toEqual(["a", "b"]);
    await index.deleteAll();
    await index.commit();
    await index.close();
    rmSync(path, { recursive: true });
    expect(openFiles()).toHaveLength(1);
    expect(found()).toEqual(["a", "b"]);
    held.release();
    expect(openFiles()).toEqual([]);
    expect(() => index.holdSearcher()).toThrow("closed");
  });

  test("are not opened of segments that were only flushed, before somebody looks at them", async () => {
    const read: string[] = [];
    const observing = observed(directory, (operation, name) => {
      if (operation === "read" && name.endsWith(".idx")) read.push(name);
    });
    const options = { lock: false, memoryBudgetBytes: 1, mergePolicy: { nextMerge: () => null } };
    const index = await Index.create(observing, SCHEMA, options);
    const flush = async (...names: string[]): Promise<void> => {
      for (const id of names) await index.add([{ id }]);
    };
    const written = async (): Promise<number> =>
      (await directory.list()).filter((name) => name.endsWith(".idx")).length;
    await flush("a", "b", "c");
    expect([read.length, openFiles().length]).toEqual([0, 1]);
    expect(await written()).toBeGreaterThanOrEqual(2);
    expect(index.bytesOnDisk).toBeGreaterThan(2 * 100);
    await index.rollback();
    await index.settled();
    expect([read.length, await written(), openFiles().length]).toEqual([0, 0, 1]);

    await flush("d", "e", "f", "g");
    expect(read).toEqual([]);
    expect(await index.deleteByQuery(byIds("d", "f"))).toBe(2);
    const opened = read.length;
    expect(opened).toBeGreaterThanOrEqual(3);
    await flush("h", "i", "j");
    expect(read).toHaveLength(opened);
    await index.commit();
    await index.settled();
    expect(ids(index)).toEqual(["e", "g", "h", "i", "j"]);
    expect(openFiles()).toHaveLength(1 + index.segmentCount);
    await index.close();
    expect(openFiles()).toEqual([]);
  });

  test("are closed when an index can't be opened for its damage", async () => {
    const index = await Index.create(directory, SCHEMA, {
      lock: false,
      mergePolicy: { nextMerge: () => null },
    });
    for (const id of ["a", "b", "c"]) {
      await index.add([{ id }]);
      await index.commit();
    }
    const last = (await directory.list()).filter((name) => name.endsWith(".idx")).at(-1)!;
    await index.add([{ id: "pending" }]);
    await index.close();
    truncateSync(join(path, last), 10);
    await expect(Index.open(directory, { lock: false })).rejects.toMatchObject({ code: "storage_corrupt" });
    expect(openFiles()).toEqual([]);
  });

  test("are closed when an index can't be opened because its recovery fails", async () => {
    const index = await Index.create(directory, SCHEMA, { lock: false });
    await index.add([{ id: "a" }]);
    await index.commit();
    for (const id of ["b", "c", "d"]) await index.add([{ id }]);
    await index.close();
    const full = observed(directory, (operation) => {
      if (operation === "writeTogether") throw new FindlingError("storage_unavailable", "the disk is full");
    });
    await expect(Index.open(full, { lock: false, memoryBudgetBytes: 1 })).rejects.toMatchObject({
      code: "storage_unavailable",
    });
    expect(openFiles()).toEqual([]);
    const mended = await Index.open(directory, { lock: false });
    await mended.commit();
    expect(ids(mended)).toEqual(["a", "b", "c", "d"]);
    await mended.close();
  });

  test("are closed after a merge, and files of its inputs deleted once a commit point can be published", async () => {
    let failing = "";
    const errors: unknown[] = [];
    const faulty = observed(directory, (operation, name) => {
      if (failing !== "" && operation === failing && !name.endsWith(".idx") && !name.endsWith(".doc")) {
        throw new FindlingError("storage_unavailable", "the disk is full");
      }
    });
    let mayMerge = false;
    const index = await Index.create(faulty, SCHEMA, {
      lock: false,
      mergePolicy: { nextMerge: (...given) => (mayMerge ? byTwo.nextMerge(...given) : null) },
      onCommitPointError: (error) => errors.push(error),
      mergeRunner: async (task) => {
        const merged = await runMerge(directory, task);
        // A delete that is committed while the merge runs, so that the commit point has a live-docs file.
        await index.deleteByQuery(byIds("b"));
        await index.commit();
        failing = "publish";
        return merged;
      },
    });
    await index.add([{ id: "a" }, { id: "b" }]);
    await index.commit();
    await index.add([{ id: "c" }, { id: "d" }]);
    await index.commit();
    // The newest commit point names the inputs: files that none names may go as soon as one can't be published.
    await index.settled();
    mayMerge = true;
    await index.merge();
    expect(errors).toHaveLength(1);
    expect(index.failure).toBeNull();
    expect(index.segmentCount).toBe(1);
    expect(openFiles()).toHaveLength(2);
    const filesWith = async (part: string): Promise<string[]> =>
      (await directory.list()).filter((name) => name.includes(part));
    expect(await filesWith(".doc")).toHaveLength(3);
    expect(await filesWith(".live-")).toEqual([]);
    expect(ids(index)).toEqual(["a", "c", "d"]);
    failing = "";
    await index.settled();
    expect(await filesWith(".doc")).toHaveLength(1);
    expect(await filesWith(".live-")).toHaveLength(1);
    expect(errors).toHaveLength(1);
    await index.close();
    expect(openFiles()).toEqual([]);
    const opened = await Index.open(directory, { lock: false });
    expect(ids(opened)).toEqual(["a", "c", "d"]);
    await opened.close();
  });
});
