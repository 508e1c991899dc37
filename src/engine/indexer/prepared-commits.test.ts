/**
 * Properties: a commit that comes after as many writes as the last two finds its segment written, and only then;
 * whatever of that fails, or however the process or the power ends meanwhile, what was acknowledged is there once; it
 * can be deleted, rolled back and added to as if it waited in memory.
 */
import { describe, expect, test, vi } from "vitest";
import { FaultyDirectory } from "../../../tests/simulation/faulty-directory.js";
import { FindlingError } from "../../errors/index.js";
import { checkIndex, defineSchema, Index } from "../server-door.js";
import { Commits } from "./commits.js";

const SCHEMA = defineSchema({ id: "keyword", body: { kind: "text" } });
const OPTIONS = { lock: false, mergePolicy: { nextMerge: () => null }, checkpointAfterMs: null };

const documents = (...ids: string[]): { id: string; body: string }[] =>
  ids.map((id) => ({ id, body: `${id} and more` }));

/** In the order in which they were added. */
function idsOf(index: Index): string[] {
  const { hits } = index.search({ query: { kind: "match_all" }, limit: 1000 });
  return hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
}

async function segmentsOnDisk(directory: FaultyDirectory): Promise<number> {
  return (await directory.list()).filter((name) => name.endsWith(".idx")).length;
}

/** An index with two commits of one document each. */
async function seenThrough(directory: FaultyDirectory): Promise<Index> {
  const index = await Index.create(directory, SCHEMA, OPTIONS);
  for (const id of ["a", "b"]) {
    await index.add(documents(id));
    await index.commit();
  }
  return index;
}

describe("a commit that is expected", () => {
  test("has nothing to write but the journal", async () => {
    const directory = new FaultyDirectory(1);
    const index = await seenThrough(directory);
    const write = vi.spyOn(directory, "writeUnsynced");
    for (const id of ["c", "d"]) {
      write.mockClear();
      await index.add(documents(id));
      await index.idle();
      expect(write).toHaveBeenCalledOnce();
      expect(index.hasPendingWrites).toBe(true);
      expect(idsOf(index)).not.toContain(id);
      await index.commit();
      expect(write.mock.calls.filter(([files]) => files.length > 0)).toHaveLength(1);
    }
    expect(idsOf(index)).toEqual(["a", "b", "c", "d"]);
    expect(index.segmentCount).toBe(4);
    await index.close();
    expect(await checkIndex(directory)).toMatchObject({ problems: [], leftovers: [] });
  });

  test("isn't expected sooner for what was rolled back", async () => {
    const directory = new FaultyDirectory(1);
    const index = await Index.create(directory, SCHEMA, OPTIONS);
    for (const [one, other] of [
      ["a", "b"],
      ["c", "d"],
    ] as const) {
      await index.add(documents(one));
      await index.add(documents(other));
      await index.commit();
    }
    await index.add(documents("dropped"));
    await index.rollback();
    const before = await segmentsOnDisk(directory);
    await index.add(documents("e"));
    await index.idle();
    expect(await segmentsOnDisk(directory)).toBe(before);
    await index.add(documents("f"));
    await index.idle();
    expect(await segmentsOnDisk(directory)).toBe(before + 1);
    await index.commit();
    expect(idsOf(index)).toEqual(["a", "b", "c", "d", "e", "f"]);
    await index.close();
  });

  test("comes after as many writes as the last two", async () => {
    const directory = new FaultyDirectory(2);
    const index = await Index.create(directory, SCHEMA, OPTIONS);
    for (let commit = 1; commit <= 4; commit++) {
      for (let write = 1; write <= 3; write++) {
        await index.add(documents(`${commit}.${write}`));
        await index.idle();
        const isWritten = commit > 2 && write === 3;
        expect(await segmentsOnDisk(directory)).toBe(isWritten ? commit : commit - 1);
      }
      await index.commit();
    }
    expect(index.segmentCount).toBe(4);
    await index.close();
  });

  test("may turn out to be something else", async () => {
    const directory = new FaultyDirectory(3);
    const index = await seenThrough(directory);
    await index.add(documents("c"));
    await index.rollback();
    expect(idsOf(index)).toEqual(["a", "b"]);
    await index.settled();
    expect(await segmentsOnDisk(directory)).toBe(2);

    await index.add(documents("d"));
    await index.idle();
    await index.add(documents("e"));
    expect(await index.deleteByQuery({ kind: "value_set", field: "id", values: ["d"] })).toBe(1);
    await index.add(documents("f"));
    await index.commit();
    expect(idsOf(index)).toEqual(["a", "b", "e", "f"]);
    await index.close();
    const again = await Index.open(directory.kill(), OPTIONS);
    expect(idsOf(again)).toEqual(["a", "b", "e", "f"]);
    await again.close();
  });

  test.each(["commit", "rollback"] as const)("makes one segment, however often a %s fails", async (end) => {
    const directory = new FaultyDirectory(4);
    const index = await seenThrough(directory);
    const full = new FindlingError("storage_unavailable", "the disk is full");
    const step = end === "commit" ? "commit" : "rollBack";
    const failing = vi.spyOn(Commits.prototype, step).mockRejectedValue(full);
    for (let n = 0; n < 10; n++) {
      await index.add(documents(`c${n}`));
      await index.idle();
      await expect(index[end]()).rejects.toBe(full);
    }
    failing.mockRestore();
    expect(await segmentsOnDisk(directory)).toBe(3);
    await index.commit();
    expect(idsOf(index)).toHaveLength(12);
    expect(index.segmentCount).toBe(4);
    await index.close();
  });

  test("is asked for again if anything fails, and has all that was acknowledged", async () => {
    for (let failAt = 1, isOver = false; !isOver; failAt++) {
      const directory = new FaultyDirectory(failAt);
      const index = await seenThrough(directory);
      const last = directory.operations + failAt;
      directory.failAt(last);
      const [added] = await Promise.allSettled([index.add(documents("c"))]);
      await index.idle();
      const [committed] = await Promise.allSettled([index.commit()]);
      isOver = directory.operations < last;
      directory.failAt(0);
      if (index.failure === null) {
        if (committed.status === "rejected") await index.commit();
        expect(idsOf(index)).toEqual(added.status === "fulfilled" ? ["a", "b", "c"] : ["a", "b"]);
      }
      const again = await Index.open(directory.kill(), OPTIONS);
      await again.commit();
      expect(idsOf(again).slice(0, 2)).toEqual(["a", "b"]);
      if (added.status === "fulfilled") expect(idsOf(again).slice(2)).toEqual(["c"]);
      await again.close();
    }
  });

  for (const end of ["kill", "crash"] as const) {
    test(`outlives a ${end} at any moment, or is pending`, async () => {
      for (let dieAt = 1; ; dieAt++) {
        const directory = new FaultyDirectory(dieAt);
        const index = await seenThrough(directory);
        directory.dieAt(directory.operations + dieAt);
        const [added] = await Promise.allSettled([index.add(documents("c"))]);
        await index.idle();
        const [committed] = await Promise.allSettled([index.commit()]);
        const isOver = !directory.isDead;
        const after = end === "kill" ? directory.kill() : directory.crash(dieAt);
        expect(await checkIndex(after)).toMatchObject({ problems: [] });
        const again = await Index.open(after, OPTIONS);
        const isAdded = added.status === "fulfilled";
        if (isAdded && committed.status === "fulfilled") expect(idsOf(again)).toEqual(["a", "b", "c"]);
        await again.commit();
        expect(idsOf(again).slice(0, 2)).toEqual(["a", "b"]);
        if (isAdded) expect(idsOf(again).slice(2)).toEqual(["c"]);
        await again.close();
        if (isOver) break;
      }
    });
  }
});
