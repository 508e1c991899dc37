/**
 * Properties of indexes that a thread of their own writes:
 * - whatever moment the thread dies at, nothing acknowledged is lost, nothing rolled back is visible, and
 *   each unanswered write happened whole or not at all; reads go on meanwhile;
 * - once a commit has been answered, searches see what it has made visible, and nothing else;
 * - deletes of every kind, rewrites and errors are as without the thread;
 * - no file of the index stays open once it is closed.
 * Method: seeded operations against `CrashModel`, the thread being ended at random moments.
 * `FINDLING_TEST_THREAD_DEATHS=500` runs longer.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ServedIndex } from "../../src/adapters/embedded/writing/served-index.js";
import { ThreadIndexHost } from "../../src/adapters/embedded/writing/thread-index-host.js";
import { defineSchema, type Searcher } from "../../src/engine/server-door.js";
import { FindlingError } from "../../src/errors/index.js";
import type { UnreadDocuments } from "../../src/intake/read-documents.js";
import { CrashModel, type PendingWrite } from "../crash/crash-model.js";
import { SeededRandom } from "../setup/seeded-random.js";

const DEATHS = Number(process.env["FINDLING_TEST_THREAD_DEATHS"] ?? 12);
const SCHEMA = defineSchema({
  id: "keyword",
  body: "text",
  note: { kind: "text", indexed: false, stored: false },
});

let folder: string;
let problems: string[];
let host: ThreadIndexHost;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "findling-thread-"));
  problems = [];
  host = newHost();
});
afterEach(async () => {
  await host.stop();
  rmSync(folder, { recursive: true, force: true });
});

function newHost(pendingBytesMax = 1 << 20): ThreadIndexHost {
  return new ThreadIndexHost({
    pendingBytesMax,
    onProblem: (message, error) => problems.push(`${message}: ${String(error)}`),
  });
}

function ids(searcher: Searcher): string[] {
  const { hits } = searcher.search({ query: { kind: "match_all" }, offset: 0, limit: 100_000 });
  return hits.map(({ json }) => (JSON.parse(json) as { id: string }).id);
}

function documentOf(id: string): { id: string; body: string; note: string } {
  return { id, body: `${id} and some words`, note: `note of ${id}` };
}

/** As they come over the wire. */
function unread(documents: readonly object[]): UnreadDocuments {
  const text = { type: "text", required: false, stored: true, indexed: true, multi: false } as const;
  return {
    bytes: new TextEncoder().encode(JSON.stringify(documents)),
    fields: { id: text, body: text, note: text },
    maxDocuments: 1000,
    memoryMax: Infinity,
  };
}

function openFiles(): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      return target.startsWith(folder) ? [target] : [];
    } catch {
      return [];
    }
  });
}

test(
  `survives the thread's death at ${DEATHS} random moments`,
  async () => {
    const path = join(folder, "index");
    const model = new CrashModel();
    let nextId = 0;
    let index = await host.create(path, SCHEMA);
    for (let seed = 1; seed <= DEATHS; seed++) {
      const random = new SeededRandom(seed);
      const visible = new Set(ids(index.searcher));
      await index.commit();
      expect(model.judge(visible, new Set(ids(index.searcher))), `seed ${seed}`).toEqual([]);
      const dead = pause(random.below(150)).then(() => host.kill());
      await writeUntilDead(index, model, random, () => `d${nextId++}`);
      await dead;
      expect(index.failure?.code).toBe("storage_unavailable");
      ids(index.searcher);
      await index.settled();
      const dying = index;
      index = await host.open(path);
      await dying.close();
    }
    await index.close();
    if (process.platform === "linux") expect(openFiles()).toEqual([]);
    expect(problems).toHaveLength(DEATHS);
  },
  300_000 + DEATHS * 2_000,
);

async function writeUntilDead(
  index: ServedIndex,
  model: CrashModel,
  random: SeededRandom,
  newId: () => string,
): Promise<void> {
  const write = async (pending: PendingWrite, run: () => Promise<unknown>): Promise<boolean> => {
    try {
      await run();
      model.acknowledge(pending);
      return true;
    } catch (error) {
      expect(error).toBeInstanceOf(FindlingError);
      model.unanswered(pending);
      return false;
    }
  };
  for (;;) {
    const choice = random.below(10);
    if (choice < 5) {
      const alive = await Promise.all(
        Array.from({ length: 1 + random.below(3) }, () => {
          const add = Array.from({ length: 1 + random.below(choice === 0 ? 400 : 20) }, newId);
          const inBulk = random.below(2) === 0;
          return write({ add, remove: [] }, () =>
            inBulk ? host.addUnread(index, unread(add.map(documentOf))) : index.add(add.map(documentOf)),
          );
        }),
      );
      if (alive.includes(false)) return;
    } else if (choice < 7) {
      const known = [...model.visibleOrPending];
      if (known.length === 0) continue;
      const remove = Array.from({ length: 1 + random.below(4) }, () => random.pick(known));
      const query = { kind: "value_set", field: "id", values: remove } as const;
      if (!(await write({ add: [], remove }, () => index.deleteByQuery(query)))) return;
    } else {
      const kind = choice < 9 ? "commit" : "rollback";
      try {
        await index[kind]();
      } catch (error) {
        expect(error).toBeInstanceOf(FindlingError);
        model.unansweredEnd(kind);
        return;
      }
      if (kind === "commit") model.acknowledgeCommit();
      else model.acknowledgeRollback();
      expect(ids(index.searcher).sort()).toEqual([...model.committed].sort());
    }
  }
}

describe("an index that another thread writes", () => {
  test("deletes by kept values and all, counts what is hit, and keeps the order of overlapping calls", async () => {
    const index = await host.create(join(folder, "index"), SCHEMA);
    const adding = index.add(["a", "b", "c"].map(documentOf));
    const deleting = index.deleteByKeptValue("note", { kind: "values", values: ["note of b"] });
    await index.commit();
    expect(await adding).toHaveLength(3);
    expect(await deleting).toBe(1);
    expect(ids(index.searcher)).toEqual(["a", "c"]);
    expect(index.documentCount).toBe(2);
    expect(index.hasPendingWrites).toBe(false);
    expect(await index.deleteAll()).toBe(2);
    expect(index.hasPendingWrites).toBe(true);
    await index.rollback();
    expect(index.hasPendingWrites).toBe(false);
    await index.settled();
    expect(index.isSettled).toBe(true);
    await index.close();
    expect(() => index.searcher).toThrow(FindlingError);
  });

  test("held states stay as they are, however much is committed and merged meanwhile, and after the close", async () => {
    const index = await host.create(join(folder, "index"), SCHEMA);
    await index.add(["a", "b"].map(documentOf));
    await index.commit();
    const held = index.holdSearcher();
    for (let round = 0; round < 20; round++) {
      await index.add([documentOf(`r${round}`)]);
      if (round === 7) await index.deleteByQuery({ kind: "value_set", field: "id", values: ["a"] });
      await index.commit();
    }
    await index.settled();
    expect(ids(held.searcher)).toEqual(["a", "b"]);
    expect(ids(index.searcher)).toHaveLength(21);
    await index.close();
    expect(ids(held.searcher)).toEqual(["a", "b"]);
    held.release();
    held.release();
    if (process.platform === "linux") expect(openFiles()).toEqual([]);
  });

  test("is closed in the middle of merges, whose states nobody sees any more", async () => {
    for (let round = 0; round < 6; round++) {
      const path = join(folder, `index${round}`);
      const index = await host.create(path, SCHEMA);
      for (let n = 0; n < 8 + round; n++) {
        await index.add(Array.from({ length: 300 }, (_, i) => documentOf(`${n}x${i}`)));
        await index.commit();
      }
      await index.close();
      const again = await host.open(path);
      expect(again.documentCount).toBe(300 * (8 + round));
      await again.close();
    }
    if (process.platform === "linux") expect(openFiles()).toEqual([]);
    expect(problems).toEqual([]);
  });

  test("is copied under another analysis while it is written", async () => {
    const source = await host.create(join(folder, "source"), SCHEMA);
    const target = await host.create(join(folder, "target"), {
      ...SCHEMA,
      analyzer: { version: 1, stemming: "en" },
    });
    await source.add(["a", "b", "c"].map(documentOf));
    await source.commit();
    const copying = await host.rewrite(source, target);
    await copying.catchUp(() => true);
    await source.deleteByQuery({ kind: "value_set", field: "id", values: ["b"] });
    await source.commit();
    await source.add([documentOf("d")]);
    await copying.finish();
    expect(ids(target.searcher)).toEqual(["a", "c"]);
    await target.commit();
    expect(ids(target.searcher)).toEqual(["a", "c", "d"]);
    const term = { kind: "term", field: "body", term: "word" } as const;
    expect(target.searcher.search({ query: term, offset: 0, limit: 10 }).count).toBe(3);

    const unwanted = await host.create(join(folder, "unwanted"), SCHEMA);
    const given = await host.rewrite(source, unwanted);
    await expect(given.catchUp(() => false)).rejects.toMatchObject({ code: "shutting_down" });
    given.close();
  });

  test("refuses documents that don't fit, what isn't there, and more than there is memory for, by their codes", async () => {
    await expect(host.open(folder)).rejects.toMatchObject({ code: "index_not_found" });
    const index = await host.create(join(folder, "index"), SCHEMA);
    await expect(host.create(join(folder, "index"), SCHEMA)).rejects.toMatchObject({ code: "index_exists" });
    await expect(index.add([{ nothing: "like this" }])).rejects.toMatchObject({ code: "invalid_document" });
    await expect(host.addUnread(index, unread([{ id: [1, 2] }]))).rejects.toMatchObject({
      code: "invalid_document",
      items: [{ path: "[0].id" }],
    });
    const large = Array.from({ length: 8 }, (_, n) => ({ id: `l${n}`, body: "word ".repeat(40_000) }));
    const outcomes = await Promise.allSettled(large.map((document) => index.add([document])));
    const refused = outcomes.filter((outcome) => outcome.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ code: "rate_limited", retryAfterSeconds: 1 });
    await index.commit();
    expect(index.documentCount).toBe(outcomes.length - refused.length);
  });
});
