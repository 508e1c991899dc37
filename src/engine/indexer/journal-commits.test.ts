/**
 * Properties: a commit waits for one sync, that of the journal; it outlives the process and the power before there is
 * a commit point of it, with what is pending behind it still pending; a commit point is made behind it, so that
 * nothing of the journal is made anew, but none while short commits follow one another; a long journal ends with a
 * commit point of its own, or when the index rests; a file that can't be synced is never counted on.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { releaseShortBuffersToo } from "../../../tests/setup/release-short-buffers.js";
import { FaultyDirectory } from "../../../tests/simulation/faulty-directory.js";
import { FindlingError } from "../../errors/index.js";
import { checkIndex, defineSchema, glanceAtIndex, Index, TieredMergePolicy } from "../server-door.js";

releaseShortBuffersToo();

const SCHEMA = defineSchema({ id: "keyword", body: { kind: "text" } });
const OPTIONS = { lock: false, mergePolicy: { nextMerge: () => null } };

// However slow the machine is, there is no commit point before one is asked for.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const documents = (...ids: string[]): { id: string; body: string }[] =>
  ids.map((id) => ({ id, body: `${id} and more` }));

async function remove(index: Index, ...values: string[]): Promise<void> {
  await index.deleteByQuery({ kind: "value_set", field: "id", values });
}

function idsOf(index: Index): string[] {
  const { hits } = index.search({ query: { kind: "match_all" }, limit: 1000 });
  return hits.map(({ json }) => (JSON.parse(json) as { id: string }).id).sort();
}

const journals = async (directory: FaultyDirectory): Promise<string[]> =>
  (await directory.list()).filter((name) => name.startsWith("journal-"));

const commitPoints = async (directory: FaultyDirectory): Promise<string[]> =>
  (await directory.list()).filter((name) => name.startsWith("commit-"));

/** An index with two commits that no commit point has, and something pending: visible are b and c. */
async function lived(directory: FaultyDirectory): Promise<Index> {
  const index = await Index.create(directory, SCHEMA, OPTIONS);
  await index.add(documents("a", "b"));
  await index.commit();
  await index.add(documents("c"));
  await remove(index, "a");
  await index.commit();
  await index.add(documents("d"));
  await remove(index, "b");
  return index;
}

describe("commits to the journal", () => {
  test("make no commit point, and wait for the journal's sync alone", async () => {
    const directory = new FaultyDirectory(1);
    const index = await Index.create(directory, SCHEMA, OPTIONS);
    const before = await commitPoints(directory);
    await index.add(documents("a"));
    const others = (["sync", "syncFiles", "stage", "write", "writeTogether"] as const).map((each) =>
      vi.spyOn(directory, each),
    );
    await index.commit();
    for (const other of others) expect(other).not.toHaveBeenCalled();
    expect(await commitPoints(directory)).toEqual(before);
    expect(idsOf(index)).toEqual(["a"]);
    await index.settled();
    expect(await commitPoints(directory)).not.toEqual(before);
    await index.close();
  });

  for (const end of ["kill", "crash"] as const) {
    test(`outlive a ${end}, with what is pending behind them`, async () => {
      for (let seed = 1; seed <= 20; seed++) {
        const before = new FaultyDirectory(seed);
        await lived(before);
        const directory = end === "kill" ? before.kill() : before.crash(seed);
        expect(await glanceAtIndex(directory)).toMatchObject({
          documentCount: 0,
          mayHavePendingWrites: true,
          hasCommitsInJournal: true,
        });
        expect(await checkIndex(directory)).toMatchObject({
          problems: [],
          commitsInJournal: 2,
          pendingWrites: 2,
        });
        const index = await Index.open(directory, OPTIONS);
        expect(idsOf(index)).toEqual(["b", "c"]);
        expect(index.hasPendingWrites).toBe(true);
        if (seed % 2 === 0) await index.rollback();
        else await index.commit();
        const expected = seed % 2 === 0 ? ["b", "c"] : ["c", "d"];
        expect(idsOf(index)).toEqual(expected);
        const again = await Index.open(directory.kill(), OPTIONS);
        expect(idsOf(again)).toEqual(expected);
        await again.close();
      }
    });
  }

  test("are in a commit point soon after, and the journal has nothing more to say of them", async () => {
    const before = new FaultyDirectory(5);
    const index = await lived(before);
    await index.settled();
    const directory = before.crash(5);
    expect(await glanceAtIndex(directory)).toMatchObject({
      documentCount: 2,
      mayHavePendingWrites: true,
      hasCommitsInJournal: false,
    });
    expect(await checkIndex(directory)).toMatchObject({
      problems: [],
      documents: 2,
      commitsInJournal: 0,
      pendingWrites: 2,
    });
    const opened = await Index.open(directory, OPTIONS);
    expect(idsOf(opened)).toEqual(["b", "c"]);
    await opened.commit();
    expect(idsOf(opened)).toEqual(["c", "d"]);
    await opened.close();
    expect(await glanceAtIndex(directory)).toMatchObject({
      documentCount: 2,
      mayHavePendingWrites: false,
      hasCommitsInJournal: false,
    });
    expect(await checkIndex(directory)).toMatchObject({ problems: [], leftovers: [], pendingWrites: 0 });
  });

  test("make way under a check, which begins anew then, and only then", async () => {
    const directory = new FaultyDirectory(5);
    const index = await lived(directory);
    const read = directory.read.bind(directory);
    const reads = vi.spyOn(directory, "read").mockImplementationOnce(async (name) => {
      const bytes = await read(name);
      // Takes the journal away that the commit point just read names.
      await index.commit();
      await index.close();
      return bytes;
    });
    expect(await checkIndex(directory)).toMatchObject({ problems: [], documents: 2 });
    reads.mockRestore();
    const [journal] = await journals(directory);
    await directory.delete(journal!);
    expect((await checkIndex(directory)).problems).toMatchObject([
      { file: expect.stringContaining(journal!) },
    ]);
  });

  test("give way to a commit point and a new journal where the journal has become long", async () => {
    const directory = new FaultyDirectory(6);
    const index = await Index.create(directory, SCHEMA, { ...OPTIONS, memoryBudgetBytes: 64 << 20 });
    await index.add([{ id: "long", body: "word ".repeat(4 << 20) }]);
    const [first] = await journals(directory);
    await index.commit();
    await index.settled();
    expect(await journals(directory)).not.toContain(first);
    expect(idsOf(index)).toEqual(["long"]);
    await index.close();
  });

  test("let the journal become as long as the index", async () => {
    const directory = new FaultyDirectory(14);
    const schema = defineSchema({ id: "keyword", body: { kind: "text", indexed: false } });
    const index = await Index.create(directory, schema, { ...OPTIONS, memoryBudgetBytes: 256 << 20 });
    const addNoise = async (id: string, bytes: number): Promise<void> => {
      const pieces = Array.from({ length: bytes / 65536 }, () =>
        Buffer.from(crypto.getRandomValues(new Uint8Array(49152))).toString("base64"),
      );
      await index.add(pieces.map((body) => ({ id, body })));
      await index.commit();
      await index.settled();
    };
    const [first] = await journals(directory);
    await addNoise("a", 24 << 20);
    const [second] = await journals(directory);
    expect(second).not.toBe(first);
    await addNoise("b", 17 << 20);
    expect(await journals(directory)).toEqual([second]);
    await addNoise("c", 32 << 20);
    expect(await journals(directory)).not.toContain(second);
    await index.close();
  });

  test("put commit points off while there are more and more of them, and little is to be read again", async () => {
    const directory = new FaultyDirectory(9);
    const index = await Index.create(directory, SCHEMA, OPTIONS);
    const before = await commitPoints(directory);
    const commitEvery = async (ms: number, times: number, words: number): Promise<void> => {
      for (let i = 0; i < times; i++) {
        await index.add([{ id: `${i}`, body: "word ".repeat(words) }]);
        await index.commit();
        await vi.advanceTimersByTimeAsync(ms);
      }
    };
    await commitEvery(100, 30, 10);
    expect(await commitPoints(directory)).toEqual(before);
    await vi.advanceTimersByTimeAsync(500);
    await expect.poll(() => commitPoints(directory)).not.toEqual(before);
    const paused = await commitPoints(directory);
    await commitEvery(100, 4, 1 << 20);
    await expect.poll(() => commitPoints(directory)).not.toEqual(paused);
    await index.close();
  });

  test("once the index rests and nothing is pending, a long journal gives way to a new one", async () => {
    const directory = new FaultyDirectory(10);
    const index = await Index.create(directory, SCHEMA, { ...OPTIONS, restAfterMs: 5000 });
    const [first] = await journals(directory);
    await index.add([{ id: "long", body: "word ".repeat(1 << 18) }]);
    await index.commit();
    await index.add(documents("pending"));
    await vi.advanceTimersByTimeAsync(6000);
    await index.settled();
    expect(await journals(directory)).toEqual([first]);
    await index.commit();
    await vi.advanceTimersByTimeAsync(4000);
    await index.settled();
    expect(await journals(directory)).toEqual([first]);
    await vi.advanceTimersByTimeAsync(1000);
    await index.settled();
    expect(await journals(directory)).not.toContain(first);
    const [second] = await journals(directory);
    await index.add(documents("short"));
    await index.commit();
    await vi.advanceTimersByTimeAsync(6000);
    await index.settled();
    expect(await journals(directory)).toEqual([second]);
    await index.close();
    const again = await Index.open(directory.crash(10), OPTIONS);
    expect(idsOf(again)).toEqual(["long", "pending", "short"]);
    await again.close();
  });

  test("and so it does where all documents have been deleted", async () => {
    const directory = new FaultyDirectory(12);
    const index = await Index.create(directory, SCHEMA, { ...OPTIONS, restAfterMs: 5000 });
    const [first] = await journals(directory);
    await index.add([{ id: "long", body: "word ".repeat(1 << 18) }]);
    await index.commit();
    await remove(index, "long");
    await index.commit();
    await vi.advanceTimersByTimeAsync(6000);
    await index.settled();
    expect(await journals(directory)).not.toContain(first);
    expect(idsOf(index)).toEqual([]);
    await index.close();
  });

  test("and small merges leave files to the next commit point to sync, which names them only then", async () => {
    const directory = new FaultyDirectory(11);
    const index = await Index.create(directory, SCHEMA, {
      lock: false,
      mergePolicy: new TieredMergePolicy({ segmentsPerTier: 2 }),
    });
    const others = (["sync", "write", "writeTogether", "syncFiles"] as const).map((each) =>
      vi.spyOn(directory, each),
    );
    for (const id of ["a", "b", "c", "d"]) {
      await index.add(documents(id));
      await index.commit();
      await index.idle();
    }
    expect(index.segmentCount).toBeLessThan(4);
    for (const other of others) expect(other).not.toHaveBeenCalled();
    await index.settled();
    const left = directory.crash(11);
    const opened = await Index.open(left, OPTIONS);
    expect(idsOf(opened)).toEqual(["a", "b", "c", "d"]);
    await opened.close();
    expect((await checkIndex(left)).problems).toEqual([]);
  });

  test("of which a file can't be synced are made anew from the journal", async () => {
    const before = new FaultyDirectory(7);
    const index = await lived(before);
    vi.spyOn(before, "syncFiles").mockRejectedValueOnce(
      new FindlingError("storage_unavailable", "the device reports a write error"),
    );
    await index.settled();
    expect(index.failure).toMatchObject({ code: "storage_unavailable" });
    await expect(index.add(documents("e"))).rejects.toMatchObject({ code: "storage_unavailable" });
    expect(idsOf(index)).toEqual(["b", "c"]);
    await index.close();
    const opened = await Index.open(before, OPTIONS);
    expect(idsOf(opened)).toEqual(["b", "c"]);
    await opened.commit();
    expect(idsOf(opened)).toEqual(["c", "d"]);
    await opened.close();
    expect((await checkIndex(before)).problems).toEqual([]);
  });

  test("of which a file can't be opened to be synced, for want of descriptors, are taken by the next commit point", async () => {
    const directory = new FaultyDirectory(9);
    const index = await lived(directory);
    const named = await commitPoints(directory);
    const cause = Object.assign(new Error("too many open files"), { code: "EMFILE" });
    const refused = new FindlingError("storage_unavailable", "cannot sync", { cause });
    const syncing = vi.spyOn(directory, "syncFiles").mockRejectedValueOnce(refused);
    await index.settled();
    expect(syncing).toHaveBeenCalledOnce();
    expect(index.failure).toBeNull();
    expect(await commitPoints(directory)).toEqual(named);
    await index.add(documents("e"));
    await index.settled();
    expect(await commitPoints(directory)).not.toEqual(named);
    const left = directory.crash(9);
    await index.close();
    const opened = await Index.open(left, OPTIONS);
    expect(idsOf(opened)).toEqual(["b", "c"]);
    await opened.commit();
    expect(idsOf(opened)).toEqual(["c", "d", "e"]);
    await opened.close();
    expect((await checkIndex(left)).problems).toEqual([]);
  });

  test("give a recovered segment a name that none had before", async () => {
    const before = new FaultyDirectory(8);
    await lived(before);
    const segments = async (from: FaultyDirectory): Promise<string[]> =>
      (await from.list()).filter((name) => name.endsWith(".idx"));
    const directory = before.kill();
    const old = await segments(directory);
    expect(old).toHaveLength(2);
    const index = await Index.open(directory, OPTIONS);
    for (const name of await segments(directory)) expect(old).not.toContain(name);
    await index.close();
  });
});
