import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  type CanonicalDocument,
  checkIndex,
  defineSchema,
  FileDirectory,
  Index,
  MemoryDirectory,
  type Query,
  TieredMergePolicy,
} from "./server-door.js";

const SCHEMA = defineSchema({
  id: "keyword",
  title: "text",
  year: "u64",
  topic: { kind: "facet", multi: true },
});
const EVERYTHING: Query = { kind: "match_all" };
const title = (term: string): Query => ({ kind: "term", field: "title", term });
const both = (first: string, second: string): Query => ({
  kind: "boolean",
  clauses: [first, second].map((term) => ({ occur: "must", query: title(term) })),
});
const titles = (index: Index, query: Query = EVERYTHING): string[] =>
  index.search({ query, limit: 1000 }).hits.map(({ json }) => (JSON.parse(json) as { title: string }).title);

describe("Index", () => {
  test("shows documents after the commit, and not before", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    const ids = await index.add([{ title: "The Winter's Tale", year: 1623 }, { title: "The Tempest" }]);
    expect(ids.every((id) => /^[0-9a-f]{32}$/.test(id))).toBe(true);
    expect([titles(index), index.documentCount, index.hasPendingWrites]).toEqual([[], 0, true]);
    await index.commit();
    expect([titles(index), index.documentCount, index.hasPendingWrites]).toEqual([
      ["The Winter's Tale", "The Tempest"],
      2,
      false,
    ]);
    expect(titles(index, title("winter"))).toEqual(["The Winter's Tale"]);
    expect(JSON.parse(index.document(ids[1]!)!)).toEqual({ title: "The Tempest" });
    await index.close();
  });

  test("rollback drops adds and deletes since the last commit", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    await index.add([{ title: "kept" }]);
    await index.commit();
    await index.add([{ title: "dropped" }]);
    expect(await index.deleteByQuery(title("kept"))).toBe(1);
    await index.rollback();
    await index.commit();
    expect(titles(index)).toEqual(["kept"]);
    await index.close();
  });

  test("a delete that takes too long to find its documents deletes none, and the index goes on", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    await index.add([{ title: "red" }, { title: "blue" }]);
    await expect(index.deleteByQuery({ kind: "match_all" }, 0)).rejects.toMatchObject({
      code: "search_timeout",
    });
    await index.commit();
    expect(titles(index)).toEqual(["red", "blue"]);
    expect(await index.deleteByQuery({ kind: "match_all" }, 60_000)).toBe(2);
    await index.close();
  });

  test("deletes reach committed and pending documents, each once", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    await index.add([{ title: "old red" }, { title: "old blue" }]);
    await index.commit();
    await index.add([{ title: "new red" }, { title: "new blue" }]);
    expect(await index.deleteByQuery(title("red"))).toBe(2);
    expect(await index.deleteByQuery(title("red"))).toBe(0);
    await index.add([{ title: "newest red" }]);
    expect(titles(index)).toEqual(["old red", "old blue"]);
    await index.commit();
    expect(titles(index)).toEqual(["old blue", "new blue", "newest red"]);
    expect(await index.deleteAll()).toBe(3);
    await index.commit();
    expect([titles(index), index.segmentCount]).toEqual([[], 0]);
    await index.close();
  });

  test("a document that does not fit is refused with all that came with it", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    await expect(index.add([{ title: "fits" }, { year: "not a number" }])).rejects.toMatchObject({
      code: "invalid_document",
    });
    await index.commit();
    expect(titles(index)).toEqual([]);
    await index.close();
  });

  test("after closing or a crash, acknowledged writes are pending again", async () => {
    const directory = new MemoryDirectory();
    const first = await Index.create(directory, SCHEMA, { lock: false });
    await first.add([{ title: "committed" }, { title: "doomed" }]);
    await first.commit();
    await first.add([{ title: "pending" }]);
    await first.deleteByQuery(title("doomed"));
    // The first one is simply forgotten, as by a crash.
    const second = await Index.open(directory, { lock: false });
    expect([titles(second), second.hasPendingWrites]).toEqual([["committed", "doomed"], true]);
    await second.commit();
    expect(titles(second)).toEqual(["committed", "pending"]);
    await second.close();
  });

  test("a merge whose segments are deleted before it reads them is no error", async () => {
    const directory = new MemoryDirectory();
    let startMerge = (): void => undefined;
    const mergeMayStart = new Promise<void>((resolve) => (startMerge = resolve));
    const problems: unknown[] = [];
    const index = await Index.create(directory, SCHEMA, {
      mergePolicy: new TieredMergePolicy({ segmentsPerTier: 3, floorBytes: 1 << 20 }),
      onMergeError: (error) => problems.push(error),
      mergeRunner: async (task) => {
        await mergeMayStart;
        const { runMerge } = await import("./server-door.js");
        return runMerge(directory, task);
      },
    });
    for (const name of ["a", "b", "c"]) {
      await index.add([{ title: `${name} one` }]);
      await index.commit();
    }
    await index.deleteByQuery(both("b", "one"));
    await index.commit();
    startMerge();
    await index.merge();
    expect([problems, titles(index)]).toEqual([[], ["a one", "c one"]]);
    await index.close();
    expect((await checkIndex(directory)).problems).toEqual([]);
  });

  test("merging keeps the order of insertion, and deletes that came meanwhile", async () => {
    let releaseMerge = (): void => undefined;
    const directory = new MemoryDirectory();
    const mergeMayEnd = new Promise<void>((resolve) => (releaseMerge = resolve));
    const index = await Index.create(directory, SCHEMA, {
      mergePolicy: new TieredMergePolicy({ segmentsPerTier: 3, floorBytes: 1 << 20 }),
      mergeRunner: async (task) => {
        const { runMerge } = await import("./server-door.js");
        const merged = await runMerge(directory, task);
        await mergeMayEnd;
        return merged;
      },
    });
    for (const name of ["a", "b", "c"]) {
      await index.add([{ title: `${name} one` }, { title: `${name} two` }]);
      await index.commit();
    }
    expect(index.segmentCount).toBe(3);
    await index.deleteByQuery(both("b", "one"));
    await index.commit();
    await index.deleteByQuery(both("a", "two"));
    releaseMerge();
    await index.merge();
    expect([index.segmentCount, titles(index)]).toEqual([1, ["a one", "a two", "b two", "c one", "c two"]]);
    await index.commit();
    expect(titles(index)).toEqual(["a one", "b two", "c one", "c two"]);
    await index.close();
    expect((await checkIndex(directory)).problems).toEqual([]);
  });

  test("writes larger than the memory budget are flushed on the way and still atomic", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA, { memoryBudgetBytes: 1 });
    for (let i = 0; i < 20; i++) await index.add([{ title: `document ${i}` }]);
    expect(titles(index)).toEqual([]);
    await index.rollback();
    expect(index.hasPendingWrites).toBe(false);
    for (let i = 0; i < 20; i++) await index.add([{ title: `document ${i}` }]);
    await index.commit();
    expect(titles(index)).toEqual(Array.from({ length: 20 }, (_, i) => `document ${i}`));
    await index.close();
  });

  test("alternating adds and deletes in one transaction stay right", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    for (let i = 0; i < 100; i++) {
      await index.add([{ id: `k${i % 10}`, title: `version ${i}` }]);
      if (i >= 10) {
        // Replaces the older one, as clients without an update do.
        const older = { kind: "term", field: "title", term: String(i - 10) } as const;
        expect(await index.deleteByQuery(older)).toBe(1);
      }
    }
    await index.commit();
    expect(titles(index)).toEqual(Array.from({ length: 10 }, (_, i) => `version ${90 + i}`));
    await index.close();
  });

  test("deletes by kept value where there is no index", async () => {
    const schema = defineSchema({ title: "text", note: { kind: "text", indexed: false, stored: false } });
    const index = await Index.create(new MemoryDirectory(), schema);
    await index.add([{ title: "a", note: "x" }, { title: "b", note: "y" }, { title: "c" }]);
    expect(await index.deleteByKeptValue("note", { kind: "values", values: ["x"] })).toBe(1);
    await index.commit();
    expect(titles(index)).toEqual(["b", "c"]);
    await index.close();
  });

  test("an index that is written isn't at rest, whether commits come or not", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const restAfterMs = 5000;
    const index = await Index.create(new MemoryDirectory(), SCHEMA, { restAfterMs, checkpointAfterMs: null });
    try {
      for (const word of ["first", "second", "third"]) {
        await index.add([{ title: word }]);
        await index.commit();
      }
      const bulk = function* (): Generator<readonly CanonicalDocument[], null, undefined> {
        yield [{ title: "in bulk" }];
        return null;
      };
      for (let write = 0; write < 6; write++) {
        if (write % 2 === 0) await index.add([{ title: "pending" }]);
        else await index.addInBulk(bulk(), 100);
        vi.advanceTimersByTime(restAfterMs - 1);
        await index.merge();
        expect(index.segmentCount).toBe(3);
      }
      vi.advanceTimersByTime(1);
      await index.merge();
      expect(index.segmentCount).toBe(1);
    } finally {
      vi.useRealTimers();
      await index.close();
    }
  });

  test("an index isn't at rest while a write is under way, however long that takes", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const restAfterMs = 5000;
    const index = await Index.create(new MemoryDirectory(), SCHEMA, { restAfterMs, checkpointAfterMs: null });
    try {
      for (const word of ["first", "second", "third"]) {
        await index.add([{ title: word }]);
        await index.commit();
      }
      let seen = 0;
      const bulk = function* (): Generator<readonly CanonicalDocument[], null, undefined> {
        yield [{ title: "in bulk" }];
        vi.advanceTimersByTime(2 * restAfterMs);
        seen = index.segmentCount;
        yield [{ title: "later" }];
        return null;
      };
      await index.addInBulk(bulk(), 100);
      await index.merge();
      expect([seen, index.segmentCount]).toEqual([3, 3]);
      vi.advanceTimersByTime(restAfterMs);
      await index.merge();
      expect(index.segmentCount).toBe(1);
    } finally {
      vi.useRealTimers();
      await index.close();
    }
  });

  test("segments are merged further once no commit has come for a while, and only if that is asked for", async () => {
    const directories = [new MemoryDirectory(), new MemoryDirectory()];
    const [resting, busy] = await Promise.all([
      Index.create(directories[0]!, SCHEMA, { restAfterMs: 20 }),
      Index.create(directories[1]!, SCHEMA),
    ]);
    const words = ["first", "second", "third"];
    for (const index of [resting, busy]) {
      for (const word of words) {
        await index.add([{ title: `${word} word` }]);
        await index.commit();
      }
    }
    await expect.poll(() => resting.segmentCount).toBe(1);
    expect(titles(resting)).toEqual(words.map((word) => `${word} word`));
    expect(busy.segmentCount).toBe(3);
    await resting.deleteByQuery(title("second"));
    await resting.commit();
    await expect.poll(() => resting.bytesOnDisk).toBeLessThan(busy.bytesOnDisk);
    expect(titles(resting)).toEqual(["first word", "third word"]);
    await resting.close();
    const reopened = await Index.open(directories[0]!, { restAfterMs: 20 });
    expect(titles(reopened)).toEqual(["first word", "third word"]);
    await Promise.all([reopened.close(), busy.close()]);
  });

  test("refuses calls once it is closed", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    await index.close();
    await expect(index.add([{ title: "late" }])).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(() => index.search({ query: EVERYTHING })).toThrow(/closed/);
  });
});

describe("Index in a folder", () => {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  const folder = (): string => {
    const path = mkdtempSync(join(tmpdir(), "findling-index-"));
    folders.push(path);
    return path;
  };

  test("is one process's at a time, and opens again after closing", async () => {
    const path = folder();
    const index = await Index.create(await FileDirectory.open(path, { create: true }), SCHEMA);
    await expect(Index.open(await FileDirectory.open(path, { create: false }))).rejects.toMatchObject({
      code: "storage_locked",
    });
    await index.add([{ title: "kept" }]);
    await index.commit();
    await index.close();
    const again = await Index.open(await FileDirectory.open(path, { create: false }));
    expect(titles(again)).toEqual(["kept"]);
    await again.close();
  });

  test("is neither opened where there is none, nor created over one", async () => {
    const path = folder();
    const directory = await FileDirectory.open(path, { create: true });
    await expect(Index.open(directory)).rejects.toMatchObject({ code: "index_not_found" });
    await (await Index.create(directory, SCHEMA)).close();
    await expect(Index.create(directory, SCHEMA)).rejects.toMatchObject({ code: "index_exists" });
  });
});
