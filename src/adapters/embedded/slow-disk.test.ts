/**
 * Documents that lie on a slow disk: the thread that answers requests waits for one read beyond a search's trial before
 * it gives the search away, and lets other requests pass between the documents of an open search's page. What was read
 * before, and stays in memory, is taken without giving up. The disk's time is the test's own clock.
 */
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { Index, MemoryDirectory } from "../../engine/server-door.js";
import { compileSearch } from "../../query/compile-search.js";
import { BoundSearch } from "./bound-search.js";
import { OpenedSearch } from "./opened-search.js";
import { searchIndex } from "./search-index.js";
import { SearchPatience, TooDear } from "./search-patience.js";
import { toEngineSchema } from "./to-engine-schema.js";

const READ_MS = 3;
const DOCUMENTS = 30;
const sample = sampleIndex({
  fields: { title: field("text"), body: field("text", { indexed: false }) },
  search_fields: ["title"],
});
const clause = { mode: "exact" as const, ctx: "winter", occur: "should" as const };
const plan = compileSearch({ clauses: [clause], offset: 0, limit: DOCUMENTS, sort: "desc" }, sample, 0);

let now = 0;
let reads = 0;

/** Reading a document takes time. */
class SlowDirectory extends MemoryDirectory {
  override async open(name: string): ReturnType<MemoryDirectory["open"]> {
    const file = await super.open(name);
    return {
      name: file.name,
      size: file.size,
      read: (offset, length) => file.read(offset, length),
      readInto(offset, length, target, at) {
        reads++;
        now += READ_MS;
        file.readInto(offset, length, target, at);
      },
      close: () => file.close(),
    };
  }
}

let index: Index;

beforeEach(async () => {
  now = 0;
  index = await Index.create(new SlowDirectory(), toEngineSchema(sample.schema));
  // Each fills a block by itself, and more than what is read with it.
  const documents = Array.from({ length: DOCUMENTS }, () => ({
    title: "winter",
    body: randomBytes(70_000).toString("hex"),
  }));
  await index.add(documents);
  await index.commit();
  reads = 0;
});

afterEach(async () => {
  vi.restoreAllMocks();
  await index.close();
});

test("a search is given away one document after its trial is over", () => {
  const patience = new SearchPatience(60_000, () => now);
  patience.try(2000);
  expect(() => searchIndex(index.searcher, plan, patience)).toThrow(TooDear);
  expect(reads).toBe(2);
});

test("what is in memory by then is no reason", () => {
  const patience = new SearchPatience(60_000, () => now);
  expect(searchIndex(index.searcher, plan, patience).hits).toHaveLength(DOCUMENTS);
  expect(reads).toBe(DOCUMENTS);
  patience.try(2000);
  expect(searchIndex(index.searcher, plan, patience).hits).toHaveLength(DOCUMENTS);
  expect(reads).toBe(DOCUMENTS);
});

test("a page of an open search lets others pass between its documents", async () => {
  const patience = new SearchPatience(60_000, () => now);
  let isReleased = false;
  const opened = await OpenedSearch.open({
    search: BoundSearch.ofIndex(index.searcher, plan, patience),
    patience,
    somewhere: async (here) => here(),
    dressSomewhere: async (here) => here(),
    first: { offset: 0, limit: DOCUMENTS },
    caller: undefined,
    release() {
      isReleased = true;
    },
  });
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const page = opened.page(opened.first, DOCUMENTS);
  // Others had their turn after each document, and one of them closes the search, which stays readable to the end.
  const readAtTurns: number[] = [];
  while (reads < DOCUMENTS && readAtTurns.length <= DOCUMENTS) {
    readAtTurns.push(reads);
    if (reads === 2) opened.close();
    expect(isReleased).toBe(false);
    await new Promise((resume) => setImmediate(resume));
  }
  expect(readAtTurns).toEqual(Array.from({ length: DOCUMENTS - 1 }, (_, i) => i + 1));
  expect((await page).hits).toHaveLength(DOCUMENTS);
  expect(isReleased).toBe(true);
});
