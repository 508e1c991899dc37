/**
 * Rewriting an index under another analysis, with a fault at every single I/O operation of the copy:
 * it is refused and the original is as it was, or it is whole. A copy that is finished outlives a
 * power loss at once, its pending writes included; an original whose disk fails is not harmed.
 */
import { describe, expect, test } from "vitest";
import {
  type Directory,
  defineSchema,
  type EngineSchema,
  Index,
  MemoryDirectory,
} from "../../src/engine/server-door.js";
import { FindlingError } from "../../src/errors/index.js";
import { FaultyDirectory } from "./faulty-directory.js";

const PLAIN = defineSchema({ id: "keyword", title: "text", note: { kind: "text", stored: false } });
const STEMMING: EngineSchema = { ...PLAIN, analyzer: { version: 1, stemming: "en" } };
const OPTIONS = { lock: false };

/** An index with two segments, committed deletes, and pending adds and deletes. */
async function original(directory: Directory = new MemoryDirectory()): Promise<Index> {
  const index = await Index.create(directory, PLAIN, {
    ...OPTIONS,
    mergePolicy: { nextMerge: () => null },
  });
  await index.add([document("a"), document("b"), document("c")]);
  await index.commit();
  await index.add([document("d"), document("e")]);
  await index.deleteByQuery(byId("a"));
  await index.commit();
  await index.add([document("f"), document("g")]);
  await index.deleteByQuery(byId("b", "f"));
  return index;
}

const COMMITTED = ["b", "c", "d", "e"];
const WORKING = ["c", "d", "e", "g"];

function document(id: string): { id: string; title: string; note: string } {
  return { id, title: `running ${id}`, note: "kept apart" };
}

function byId(...values: string[]): { kind: "value_set"; field: string; values: string[] } {
  return { kind: "value_set", field: "id", values };
}

function idsOf(index: Index, term = "run"): string[] {
  const { hits } = index.search({ query: { kind: "term", field: "title", term }, limit: 100 });
  return hits.map(({ json }) => (JSON.parse(json) as { id: string }).id).toSorted();
}

async function rewrite(source: Index, directory: FaultyDirectory): Promise<Index> {
  const target = await Index.create(directory, STEMMING, OPTIONS);
  const copying = await source.rewriteInto(target);
  try {
    await copying.catchUp();
    await copying.finish();
    return target;
  } catch (error) {
    await target.close().catch(() => undefined);
    throw error;
  } finally {
    copying.close();
  }
}

async function expectUnharmed(source: Index): Promise<void> {
  expect(idsOf(source, "running")).toEqual(COMMITTED);
  await source.commit();
  expect(idsOf(source, "running")).toEqual(WORKING);
  await source.close();
}

async function operationsOfRewrite(): Promise<number> {
  const source = await original();
  const directory = new FaultyDirectory();
  await (await rewrite(source, directory)).close();
  await source.close();
  return directory.operations;
}

describe("rewriteInto on a disk that fails", () => {
  for (const fault of ["failAt", "dieAt"] as const) {
    test(`${fault} any operation of the copy: refused or whole, and the original is as it was`, async () => {
      const total = await operationsOfRewrite();
      expect(total).toBeGreaterThan(30);
      let refused = 0;
      for (let operation = 1; operation <= total; operation++) {
        const source = await original();
        const directory = new FaultyDirectory(operation);
        directory[fault](operation);
        try {
          const target = await rewrite(source, directory);
          expect(idsOf(target)).toEqual(COMMITTED);
          await target.close().catch(() => undefined);
        } catch (error) {
          if (!(error instanceof FindlingError)) throw error;
          expect(error.code).toBe("storage_unavailable");
          refused++;
        }
        await expectUnharmed(source);
      }
      expect(refused).toBeGreaterThan(10);
    });
  }

  test("a finished copy outlives a power loss with its pending writes", async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const source = await original();
      const directory = new FaultyDirectory(seed);
      await rewrite(source, directory);
      const after = await Index.open(directory.crash(seed), OPTIONS);
      expect(idsOf(after)).toEqual(COMMITTED);
      expect(after.hasPendingWrites).toBe(true);
      await (seed % 2 === 0 ? after.commit() : after.rollback());
      expect(idsOf(after)).toEqual(seed % 2 === 0 ? WORKING : COMMITTED);
      await after.close();
      await source.close();
    }
  });

  test("a full disk refuses the copy", async () => {
    const source = await original();
    const directory = new FaultyDirectory();
    const target = await Index.create(directory, STEMMING, OPTIONS);
    directory.capacity = 4096;
    const copying = await source.rewriteInto(target);
    await expect(copying.catchUp()).rejects.toMatchObject({ code: "storage_unavailable" });
    copying.close();
    await expectUnharmed(source);
  });

  test("an original that can't be read refuses the copy and goes on", async () => {
    const directory = new FaultyDirectory();
    const source = await original(directory);
    for (const name of await directory.list()) if (name.endsWith(".doc")) directory.unreadable.add(name);
    await expect(rewrite(source, new FaultyDirectory())).rejects.toBeInstanceOf(FindlingError);
    directory.unreadable.clear();
    await expectUnharmed(source);
  });
});
