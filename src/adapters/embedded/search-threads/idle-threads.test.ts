/**
 * An idle thread goes on to a newer snapshot soon after there is one, and lets go of what only the older one had;
 * one at work does so once it is done. Threads run what `npm run build` has made of the sources.
 */
import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openDocumentStoresIn } from "../../../../tests/kit/open-document-stores.js";
import {
  SearchThreadsHarness,
  index as sample,
  snapshotOf,
  TASK,
  until,
} from "../../../../tests/kit/search-threads-harness.js";
import { FileDirectory, Index } from "../../../engine/server-door.js";
import { EmbeddedBackend } from "../embedded-backend.js";
import { StaleSnapshot } from "./search-threads.js";

/** Longer than threads may take to be told. */
const SOON_MS = 1_000;

let harness: SearchThreadsHarness;
beforeEach(() => {
  harness = new SearchThreadsHarness();
});
afterEach(() => harness.close());

/** For a moment more than are held, while a commit point syncs them. */
const openDocumentStores = (): number => openDocumentStoresIn(harness.folder);

function documentStoreIn(path: string): string {
  const [name, ...others] = readdirSync(path).filter((each) => each.endsWith(".doc"));
  expect(others).toEqual([]);
  return join(path, name!);
}

const WINTER = [{ title: "winter" }];

/** As a merge does: all is in a new segment. */
async function replace(index: Index): Promise<void> {
  await index.deleteAll();
  await index.add([{ id: "x", title: "winter" }]);
  await index.commit();
  await index.settled();
}

describe.skipIf(process.platform !== "linux")("a thread", () => {
  test("that is idle opens the newest snapshot and closes what has been merged away", async () => {
    const made = await harness.indexOf([WINTER, WINTER, WINTER]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    await until(() => openDocumentStores() === 3 + 3);
    // Each commit tells of a snapshot, but threads are told of the last one only.
    await made.index.add([{ id: "x", title: "winter cold" }]);
    await made.index.commit();
    threads.follow(snapshotOf(made));
    await replace(made.index);
    const newest = snapshotOf(made);
    threads.follow(newest);
    expect(harness.clock.waiting).toBe(2);
    await until(() => readdirSync(made.path).filter((name) => name.endsWith(".doc")).length === 1);
    const expected = harness.here(TASK, [newest]);
    await harness.clock.advance(SOON_MS);
    await until(() => openDocumentStores() === 1 + 1);
    // It has been opened: it is searched without its file.
    const file = documentStoreIn(made.path);
    renameSync(file, `${file}.elsewhere`);
    expect(await threads.run(TASK, [newest], harness.patience())).toEqual(expected);
    renameSync(`${file}.elsewhere`, file);
    // Nothing is left to be told.
    await until(() => openDocumentStores() === 1 + 1);
  });

  test("at work is told once it is done, and searches what it was sent", async () => {
    const made = await harness.indexOf([WINTER, WINTER]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    const before = made.index.holdSearcher();
    const older = { path: made.path, searcher: before.searcher };
    const expected = harness.here(TASK, [older]);
    await replace(made.index);
    const searching = threads.run(TASK, [older], harness.patience());
    threads.follow(snapshotOf(made));
    // Rings before anything is awaited.
    await harness.clock.advance(SOON_MS);
    expect(await searching).toEqual(expected);
    before.release();
    await made.index.settled();
    await until(() => openDocumentStores() === 1 + 2);
    await harness.clock.advance(SOON_MS);
    await until(() => openDocumentStores() === 1 + 1);
  });

  test("keeps what an opened search may come back to, until that is closed", async () => {
    const made = await harness.indexOf([WINTER, WINTER]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    const before = made.index.holdSearcher();
    const older = { path: made.path, searcher: before.searcher };
    const expected = harness.here(TASK, [older]);
    const unkeep = threads.keep([older, older]);
    await replace(made.index);
    await until(() => readdirSync(made.path).filter((name) => name.endsWith(".doc")).length === 1);
    threads.follow(snapshotOf(made));
    await harness.clock.advance(SOON_MS);
    // Others search the newer one.
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    // Its files are gone: only a thread that holds them can search them.
    expect(await threads.run(TASK, [older], harness.patience())).toEqual(expected);
    before.release();
    unkeep();
    unkeep();
    await until(() => openDocumentStores() === 1 + 2);
    await harness.clock.advance(SOON_MS);
    await until(() => openDocumentStores() === 1 + 1);
  });

  test("that comes too late for a snapshot's files holds nothing of it, and says so when it is searched", async () => {
    const made = await harness.indexOf([WINTER]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    await replace(made.index);
    const late = snapshotOf(made);
    await replace(made.index);
    await until(() => readdirSync(made.path).filter((name) => name.endsWith(".doc")).length === 1);
    threads.follow(late);
    await harness.clock.advance(SOON_MS);
    await until(() => openDocumentStores() === 1);
    await expect(threads.run(TASK, [late], harness.patience())).rejects.toThrow(StaleSnapshot);
    const newest = snapshotOf(made);
    expect(await threads.run(TASK, [newest], harness.patience())).toEqual(harness.here(TASK, [newest]));
  });

  test("that is told of an index it was made to forget doesn't open it", async () => {
    const made = await harness.indexOf([WINTER]);
    const other = await harness.indexOf([WINTER]);
    const threads = harness.pool(1);
    await threads.run(TASK, [snapshotOf(made)], harness.patience());
    await replace(made.index);
    threads.follow(snapshotOf(made));
    threads.forget(made.path);
    threads.follow(snapshotOf(made));
    await harness.clock.advance(SOON_MS);
    await threads.run(TASK, [snapshotOf(other)], harness.patience());
    await until(() => openDocumentStores() === 2 + 1);
  });

  test("holds no file of an index that sleeps", async () => {
    const { clock } = harness;
    const backend = await EmbeddedBackend.open({
      dataDirectory: join(harness.folder, "data"),
      clock,
      awake: { countMax: 10, bytesMax: 2 ** 40, idleMs: 2_000 },
      writingThread: true,
      searchThreads: 1,
      searchCostHereMax: -1,
    });
    /** Whoever writes is done at a time of its own; a thread that nobody needs would end after a minute. */
    const sleepsWith = async (stores: number): Promise<void> => {
      for (let second = 0; second < 30 && openDocumentStores() !== stores; second++) {
        await clock.advance(1_000);
        for (let look = 0; look < 200 && openDocumentStores() !== stores; look++) {
          await new Promise((resume) => setTimeout(resume, 10));
        }
      }
      expect(openDocumentStores()).toBe(stores);
    };
    try {
      await backend.start([]);
      await backend.createIndex("shelf", sample.schema);
      await backend.add("shelf", [{ id: "a", title: "winter" }]);
      await backend.commit("shelf");
      const { plan } = TASK.members[0]!;
      const opened = await backend.openSearch("shelf", plan!);
      // In the threads that write, answer and search.
      await until(() => openDocumentStores() === 3);
      // The opened search keeps two of them, to read documents and to rank deeper.
      await sleepsWith(2);
      expect((await opened.page(opened.first, 10)).hits).toHaveLength(1);
      opened.close();
      await until(() => openDocumentStores() === 0);
      await backend.search("shelf", plan!);
      await until(() => openDocumentStores() === 3);
      await sleepsWith(0);
    } finally {
      await backend.stop();
    }
  });

  test("lets go of an opened search's snapshot that it has opened since the index fell asleep", async () => {
    const made = await harness.indexOf([WINTER, WINTER]);
    const threads = harness.pool(1);
    const kept = snapshotOf(made);
    const unkeep = threads.keep([kept]);
    threads.sleep(made.path);
    await threads.run(TASK, [kept], harness.patience());
    await until(() => openDocumentStores() === 2 + 2);
    unkeep();
    await until(() => openDocumentStores() === 2);
  });

  test("keeps an index that is awake again, whatever opened searches are closed", async () => {
    const made = await harness.indexOf([WINTER]);
    const other = await harness.indexOf([WINTER]);
    const threads = harness.pool(2);
    const kept = snapshotOf(made);
    const unkeep = threads.keep([kept]);
    await threads.run(TASK, [kept], harness.patience());
    threads.sleep(made.path);
    await made.index.close();
    const index = await Index.open(await FileDirectory.open(made.path, { create: false }));
    try {
      const awake = snapshotOf({ ...made, index });
      const expected = harness.here(TASK, [awake]);
      // The thread that has the older one is at work.
      const older = threads.run(TASK, [kept], harness.patience());
      await Promise.all([older, threads.run(TASK, [awake], harness.patience())]);
      threads.keep([snapshotOf(other)])();
      // It is still open: it is searched without its file.
      const file = documentStoreIn(made.path);
      renameSync(file, `${file}.elsewhere`);
      expect(await threads.run(TASK, [awake], harness.patience())).toEqual(expected);
      renameSync(`${file}.elsewhere`, file);
      await until(() => openDocumentStores() === 1 + 1 + 2);
      unkeep();
      await until(() => openDocumentStores() === 1 + 1 + 1);
    } finally {
      await index.close();
    }
  });

  test("follows what the writing thread commits", async () => {
    const { clock } = harness;
    const backend = await EmbeddedBackend.open({
      dataDirectory: join(harness.folder, "data"),
      clock,
      writingThread: true,
      searchThreads: 1,
      searchCostHereMax: -1,
    });
    try {
      await backend.start([]);
      await backend.createIndex("shelf", sample.schema);
      const write = async (id: string): Promise<void> => {
        await backend.add("shelf", [{ id, title: "winter" }]);
        await backend.commit("shelf");
      };
      await write("a");
      await backend.search("shelf", TASK.members[0]!.plan!);
      // In the threads that write, answer and search.
      await until(() => openDocumentStores() === 3);
      await backend.deleteAll("shelf");
      await backend.commit("shelf");
      await clock.advance(SOON_MS);
      await until(() => openDocumentStores() === 0);
    } finally {
      await backend.stop();
    }
  });
});
