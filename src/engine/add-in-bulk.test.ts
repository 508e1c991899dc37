// Documents that are read while they are added: all or none, and whoever comes meanwhile goes first.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FindlingError } from "../errors/index.js";
import { writtenApart } from "./indexer/body-segments.js";
import { type DocumentReading, defineSchema, Index, MemoryDirectory } from "./server-door.js";

const SCHEMA = defineSchema({ id: "keyword", body: "text" });

function idsIn(index: Index): string[] {
  const { hits } = index.search({ query: { kind: "match_all" }, limit: 1000 });
  return hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
}

function documentOf(id: string): { id: string; body: string } {
  return { id, body: `words of ${id}` };
}

describe("addInBulk", () => {
  test("adds what was read in its order, under ids that are answered with what the reading returns", async () => {
    const directory = new MemoryDirectory();
    const index = await Index.create(directory, SCHEMA);
    const names = Array.from({ length: 100 }, (_, i) => `d${i}`);
    function* reading(): DocumentReading<string> {
      yield names.slice(0, 40).map(documentOf);
      yield undefined;
      yield [];
      yield names.slice(40).map(documentOf);
      return "read";
    }
    const { ids, outcome } = await index.addInBulk(reading(), 10);
    expect(outcome).toBe("read");
    await index.close();
    // From the journal.
    const again = await Index.open(directory);
    await again.commit();
    expect(idsIn(again)).toEqual(names);
    expect(ids.map((id) => (JSON.parse(again.document(id!)!) as { id: string }).id)).toEqual(names);
    await again.close();
  });

  test("adds nothing if the reading throws, or a document doesn't fit", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    function* broken(): DocumentReading<void> {
      yield [documentOf("a")];
      throw new Error("the body ends here");
    }
    function* unfit(): DocumentReading<void> {
      yield [documentOf("a")];
      yield [{ nothing: "like this" }];
    }
    await expect(index.addInBulk(broken(), 10)).rejects.toThrow("the body ends here");
    await expect(index.addInBulk(unfit(), 10)).rejects.toMatchObject({ code: "invalid_document" });
    expect(index.hasPendingWrites).toBe(false);
    await index.close();
    function* unread(): DocumentReading<void> {}
    await expect(index.addInBulk(unread(), 10)).rejects.toMatchObject({ code: "storage_unavailable" });
  });

  test.each(["rollback", "deleteAll"] as const)(
    "what it adds is undone by a %s that comes after it",
    async (undo) => {
      const index = await Index.create(new MemoryDirectory(), SCHEMA);
      function* reading(name: string): DocumentReading<void> {
        for (let i = 0; i < 3; i++) {
          for (const end = performance.now() + 5; performance.now() < end; );
          yield [documentOf(name + i)];
        }
      }
      const adding = [index.addInBulk(reading("a"), 10), index.addInBulk(reading("b"), 10)];
      await Promise.all([...adding, index[undo]()]);
      await index.addInBulk(reading("c"), 10);
      await index.commit();
      expect(idsIn(index)).toEqual(["c0", "c1", "c2"]);
      await index.close();
    },
  );

  test("lets a document and its commit go first while others are still being read", async () => {
    const index = await Index.create(new MemoryDirectory(), SCHEMA);
    let isCommitted = false;
    function* reading(): DocumentReading<void> {
      yield [documentOf("bulk")];
      while (!isCommitted) yield undefined;
      yield [documentOf("bulk too")];
    }
    const bulk = index.addInBulk(reading(), 10);
    await index.add([documentOf("small")]);
    await index.commit();
    expect(idsIn(index)).toEqual(["small"]);
    isCommitted = true;
    await bulk;
    await index.commit();
    expect(idsIn(index)).toEqual(["small", "bulk", "bulk too"]);
    await index.close();
  });
});

describe("addInBulk where commits come often", () => {
  const { bytesMin } = writtenApart;
  beforeEach(() => {
    writtenApart.bytesMin = 0;
  });
  afterEach(() => {
    writtenApart.bytesMin = bytesMin;
  });

  function* bulkOf(name: string, count: number): DocumentReading<void> {
    for (let i = 0; i < count; i++) yield [documentOf(`${name}${i}`)];
  }

  /** An index that has seen two commits in a row. */
  async function committedOften(directory: MemoryDirectory): Promise<Index> {
    const index = await Index.create(directory, SCHEMA, { mergePolicy: { nextMerge: () => null } });
    for (const name of ["first", "second"]) {
      await index.add([documentOf(name)]);
      await index.commit();
    }
    return index;
  }

  test("a commit goes first also while documents that have been read become a segment", async () => {
    const index = await committedOften(new MemoryDirectory());
    let isRead = false;
    function* reading(): DocumentReading<void> {
      yield* bulkOf("bulk", 4000);
      isRead = true;
    }
    let isAdded = false;
    const bulk = index.addInBulk(reading(), 10).then(() => {
      isAdded = true;
    });
    let overtaking = 0;
    for (let i = 0; !isAdded; i++) {
      await index.add([documentOf(`small${i}`)]);
      const wasRead = isRead;
      await index.commit();
      const { count } = index.search({ query: { kind: "value_set", field: "id", values: [`small${i}`] } });
      expect(count).toBe(1);
      if (!isAdded && wasRead) overtaking++;
    }
    await bulk;
    expect(overtaking).toBeGreaterThan(0);
    await index.commit();
    expect(index.documentCount).toBeGreaterThan(4000);
    await index.close();
  });

  test("documents that were added before stay before them, and are pending with them", async () => {
    const directory = new MemoryDirectory();
    const index = await committedOften(directory);
    await index.add([documentOf("before")]);
    await index.addInBulk(bulkOf("bulk", 3), 10);
    await index.add([documentOf("after")]);
    const expected = ["first", "second", "before", "bulk0", "bulk1", "bulk2", "after"];
    expect(idsIn(index)).toEqual(expected.slice(0, 2));
    expect(await index.deleteByQuery({ kind: "value_set", field: "id", values: ["bulk1"] })).toBe(1);
    expected.splice(4, 1);
    await index.commit();
    expect(idsIn(index)).toEqual(expected);
    await index.addInBulk(bulkOf("undone", 3), 10);
    await index.rollback();
    await index.commit();
    expect(idsIn(index)).toEqual(expected);
    await index.addInBulk(bulkOf("late", 2), 10);
    await index.close();
    // From the journal.
    const again = await Index.open(directory);
    expect(idsIn(again)).toEqual(expected);
    await again.commit();
    expect(idsIn(again)).toEqual([...expected, "late0", "late1"]);
    await again.close();
  });

  test("are taken in by the journal where those before them can't be written", async () => {
    const directory = new MemoryDirectory();
    const index = await committedOften(directory);
    // More than came before each commit: nothing is written for the next one.
    await Promise.all([index.add([documentOf("before")]), index.add([documentOf("beside")])]);
    const files = await directory.list();
    const full = new FindlingError("storage_unavailable", "the disk is full");
    const write = vi.spyOn(directory, "writeUnsynced");
    let writes = 0;
    write.mockImplementation(async (newFiles) => {
      if (++writes === 2) throw full;
      await MemoryDirectory.prototype.writeUnsynced.call(directory, newFiles);
    });
    await index.addInBulk(bulkOf("bulk", 3), 10);
    expect(writes).toBe(2);
    expect(await directory.list()).toEqual(files);
    await index.close();
    const again = await Index.open(directory);
    await again.commit();
    expect(idsIn(again)).toEqual(["first", "second", "before", "beside", "bulk0", "bulk1", "bulk2"]);
    await again.close();
  });

  test("each is a segment of its own, until commits are few", async () => {
    const index = await committedOften(new MemoryDirectory());
    for (let i = 0; i < 3; i++) await index.addInBulk(bulkOf(`own${i}`, 3), 10);
    await index.commit();
    expect(index.segmentCount).toBe(5);
    for (let i = 0; i < 20; i++) await index.addInBulk(bulkOf(`many${i}`, 3), 10);
    await index.commit();
    expect(index.segmentCount).toBe(10);
    for (let i = 0; i < 3; i++) await index.addInBulk(bulkOf(`few${i}`, 3), 10);
    await index.commit();
    expect(index.segmentCount).toBe(11);
    await index.close();
  });
});
