/**
 * Matching for a delete by query or by kept values pauses: other indexes' writes, in the same thread, go on meanwhile, the
 * index's own come after it, and the time of others doesn't count. What it finds is what matching in one go finds.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { WINDOW_SIZE } from "./search/evaluators/evaluator.js";
import { NO_INTERRUPT } from "./search/search-interrupt.js";
import { Searcher } from "./search/searcher.js";
import { defineSchema, Index, MemoryDirectory, type Query } from "./server-door.js";

const SCHEMA = defineSchema({ title: "text" });
const ALL: Query = { kind: "match_all" };
/** Far more than the other index's write takes turns of the event loop. */
const STEPS_MAX = 50_000_000;

afterEach(() => vi.restoreAllMocks());

test("it pauses once it is bound, for each segment and each window of documents", async () => {
  const index = await Index.create(new MemoryDirectory(), SCHEMA);
  const titles = ["red", "blue"];
  await index.add(Array.from({ length: 3 * WINDOW_SIZE + 5 }, (_, n) => ({ title: titles[n % 2]! })));
  await index.commit();
  for (const query of [ALL, { kind: "term", field: "title", term: "red" }] satisfies Query[]) {
    const work = index.searcher.matchingDocsInSlices(query, NO_INTERRUPT);
    let pauses = 0;
    let step = work.next();
    for (; step.done !== true; step = work.next()) pauses++;
    expect(pauses).toBe(1 + index.segmentCount + 4);
    expect(step.value).toEqual(index.searcher.matchingDocs(query));
  }
  await index.close();
});

test("another index's write is done meanwhile, and the index's own afterwards", async () => {
  const [index, other] = await Promise.all([
    Index.create(new MemoryDirectory(), SCHEMA),
    Index.create(new MemoryDirectory(), SCHEMA),
  ]);
  await index.add([{ title: "old" }]);
  const done: string[] = [];
  vi.spyOn(Searcher.prototype, "matchingDocsInSlices").mockImplementation(function* (this: Searcher, query) {
    void index.add([{ title: "new" }]).then(() => done.push("own"));
    void other.add([{ title: "other" }]).then(() => done.push("other"));
    for (let step = 0; step < STEPS_MAX && done.length === 0; step++) yield;
    done.push("matched");
    return this.matchingDocs(query);
  });
  expect(await index.deleteByQuery(ALL)).toBe(1);
  await index.commit();
  expect(done).toEqual(["other", "matched", "own"]);
  expect(index.search({ query: ALL }).count).toBe(1);
  await Promise.all([index.close(), other.close()]);
});

test("the time limit is for its own work", async () => {
  const index = await Index.create(new MemoryDirectory(), SCHEMA);
  await index.add([{ title: "red" }]);
  let nowMs = 0;
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
  vi.spyOn(Searcher.prototype, "matchingDocsInSlices").mockImplementation(function* (_, interrupt) {
    setImmediate(() => (nowMs += 1000));
    // The slice is over.
    nowMs += 3;
    yield;
    expect(nowMs).toBeGreaterThan(1000);
    interrupt.check();
    nowMs += 3;
    interrupt.check();
    return [Uint32Array.of(1)];
  });
  expect(await index.deleteByQuery(ALL, 7)).toBe(1);
  await expect(index.deleteByQuery(ALL, 6)).rejects.toMatchObject({ code: "search_timeout" });
  await index.close();
});

describe("by kept values", () => {
  const KEPT = defineSchema({ title: "text", note: { kind: "text", indexed: false } });
  const match = { kind: "values", values: ["old"] } as const;
  const documents = Array.from({ length: 200 }, (_, n) => ({ title: "a", note: n === 3 ? "old" : "new" }));
  let index: Index;
  beforeEach(async () => {
    index = await Index.create(new MemoryDirectory(), KEPT);
    await index.add(documents);
    await index.commit();
    let nowMs = 0;
    // However little is done, as much as a slice is over afterwards.
    vi.spyOn(performance, "now").mockImplementation(() => (nowMs += 3));
  });
  afterEach(() => index.close());

  test("another index's write is done meanwhile, for documents may be large", async () => {
    const other = await Index.create(new MemoryDirectory(), SCHEMA);
    const done: string[] = [];
    const deleting = index.deleteByKeptValue("note", match).then(() => done.push("deleted"));
    const adding = other.add([{ title: "other" }]).then(() => done.push("other"));
    await Promise.all([deleting, adding]);
    expect(done).toEqual(["other", "deleted"]);
    await other.close();
  });

  test("what takes too long deletes nothing", async () => {
    await expect(index.deleteByKeptValue("note", match, 100)).rejects.toMatchObject({
      code: "search_timeout",
    });
    expect(await index.deleteByKeptValue("note", match, 10_000)).toBe(1);
  });
});
