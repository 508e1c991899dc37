// Documents that are read while they are added: all or none, and whoever comes meanwhile goes first.
import { describe, expect, test } from "vitest";
import { type DocumentReading, defineSchema, Index, MemoryDirectory } from "./index.js";

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
    expect(ids.map((id) => (JSON.parse(again.document(id)!) as { id: string }).id)).toEqual(names);
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
