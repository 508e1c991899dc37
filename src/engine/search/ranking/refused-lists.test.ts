/** What can't be joined, or isn't in time, is not joined again for ever, and leaves the room that others' lists have. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { JoinedMemory } from "../../kernels/joined-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { Query } from "../query.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { Searcher } from "../searcher.js";
import { JoinedLists } from "./joined-lists.js";

const schema = defineSchema({ body: "text" });
const term = (word: string): Query => ({ kind: "term", field: "body", term: word });
const boosted = (factor: number, query: Query): Query => ({ kind: "boost", factor, query });
const good = term("w1");

let searcher: Searcher;

beforeEach(async () => {
  const directory = new MemoryDirectory();
  const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
  for (let n = 0; n < 6000; n++) builder.add(`${n}`.padStart(32, "0"), { body: `the other w${n % 5}` });
  await builder.write(directory, "s");
  searcher = new Searcher([await openSegment(directory, "s", schema, null)], schema);
});

afterEach(() => {
  vi.restoreAllMocks();
});

function ask(query: Query, times: number, interrupt?: SearchInterrupt): void {
  for (let n = 0; n < times; n++)
    searcher.rank({ query, offset: 0, limit: 10, ...(interrupt && { interrupt }) });
}

/** Whether a list ranks it. */
function isJoined(query: Query): boolean {
  const taken = vi.spyOn(JoinedLists.prototype, "resultOf");
  taken.mockClear();
  ask(query, 1);
  return taken.mock.calls.length === 1;
}

describe.skipIf(compiledKernels() === null)("lists that are refused", () => {
  test.each([0, 1e-30])("boost %d: tried once, and others' lists stay", (factor) => {
    ask(good, 30);
    expect(isJoined(good)).toBe(true);
    const added = vi.spyOn(JoinedMemory.prototype, "add");
    ask(boosted(factor, term("the")), 600);
    expect(added).toHaveBeenCalledTimes(1);
    expect(isJoined(good)).toBe(true);
  });

  test("many of them take no room from others", () => {
    ask(good, 30);
    // Each word is asked for by another factor, which is another list.
    for (let n = 1; n <= 30; n++) ask(boosted(n * 1e-30, term("the")), 30);
    expect(isJoined(good)).toBe(true);
  });

  test("the same words are joined by another boost", () => {
    ask(boosted(0, term("the")), 60);
    expect(isJoined(boosted(0, term("the")))).toBe(false);
    ask(term("the"), 60);
    expect(isJoined(term("the"))).toBe(true);
  });
});

test.skipIf(compiledKernels() === null)("filters whose joining takes too long leave others' lists", () => {
  ask(good, 30);
  const filter: Query = { kind: "prefix", field: "body", prefix: "oth" };
  let isFilling = false;
  const addMarks = JoinedMemory.prototype.addMarks;
  const added = vi.spyOn(JoinedMemory.prototype, "addMarks").mockImplementation(function (
    this: JoinedMemory,
    fill,
  ) {
    return addMarks.call(this, (bits) => {
      isFilling = true;
      fill(bits);
    });
  });
  const interrupt = {
    check(): void {
      if (!isFilling) return;
      isFilling = false;
      throw new RangeError("the time is over");
    },
  };
  for (let n = 0; n < 6000; n++) {
    try {
      ask(filter, 1, interrupt);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  expect(added.mock.calls.length).toBeGreaterThan(1200);
  expect(isJoined(good)).toBe(true);
});
