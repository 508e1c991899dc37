/** Memories for joined lists: of which snapshots, for how many indexes at a time, and what happens to the others. */
import { afterEach, describe, expect, test, vi } from "vitest";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../../directory/memory-directory.js";
import { SegmentBuilder } from "../../indexer/segment-builder.js";
import { JoinedMemory } from "../../kernels/joined-memory.js";
import { compiledKernels } from "../../kernels/kernel-module.js";
import { defineSchema } from "../../schema/define-schema.js";
import { openSegment } from "../../segment/open-segment.js";
import type { SearchOptions } from "../search-types.js";
import { Searcher } from "../searcher.js";
import { joiningPace } from "./joined-lists.js";
import { JoinedListsPlace } from "./joined-lists-place.js";
import { joinedMemoriesMax } from "./joined-memories.js";

const paceBefore = { ...joiningPace };
const maxBefore = { ...joinedMemoriesMax };

afterEach(() => {
  Object.assign(joiningPace, paceBefore);
  Object.assign(joinedMemoriesMax, maxBefore);
  vi.restoreAllMocks();
});

const schema = defineSchema({ body: "text" });
const wanted: SearchOptions = {
  query: { kind: "term", field: "body", term: "half" },
  offset: 0,
  limit: 3,
};

/** Of so many segments, of so many documents each. */
async function searcherOf(segments: number, docs: number): Promise<Searcher> {
  const directory = new MemoryDirectory();
  const opened = [];
  for (let place = 0; place < segments; place++) {
    const builder = new SegmentBuilder(schema, createAnalyzer({ version: 1 }));
    for (let n = 0; n < docs; n++) builder.add(`${place}f${n}`.padStart(32, "0"), { body: "half" });
    await builder.write(directory, `s${place}`);
    opened.push(await openSegment(directory, `s${place}`, schema, null));
  }
  return new Searcher(opened, schema);
}

describe.skipIf(compiledKernels() === null)("memories for joined lists", () => {
  test("aren't made for few documents, in however many segments", async () => {
    const create = vi.spyOn(JoinedMemory, "create");
    const searcher = await searcherOf(9, 1);
    for (let i = 0; i < 10; i++) searcher.rank(wanted);
    expect(create).not.toHaveBeenCalled();
  });

  test.each([{ count: 3 }, { bytes: 3 * 1024 * 1024 }])("are at most so many: %o", (max) => {
    Object.assign(joinedMemoriesMax, max);
    const owner = { number: 1, maxDoc: 4096 };
    const places = Array.from({ length: 5 }, () => new JoinedListsPlace());
    const memories = places.slice(0, 3).map((place) => place.memoryFor(owner)!);
    const lists = memories.map((memory) => memory.add(10, owner.maxDoc, () => 0)!);
    expect(places[0]!.memoryFor(owner)).toBe(memories[0]);
    places[3]!.memoryFor(owner);
    places[4]!.memoryFor(owner);
    expect(places.map(({ memory }) => memory !== null)).toEqual([true, false, false, true, true]);
    expect(lists.map(({ isKept }) => isKept)).toEqual([true, false, false]);
    // It is another's that has to go when one is wanted again.
    expect(places[1]!.memoryFor(owner)).not.toBeNull();
    expect(places.map(({ memory }) => memory !== null)).toEqual([false, true, false, true, true]);
  });

  test("are given back to indexes that lost them", async () => {
    Object.assign(joinedMemoriesMax, { count: 1 });
    Object.assign(joiningPace, { snapshotDocsMin: 0, workPerDoc: 0, docsPerUse: Number.POSITIVE_INFINITY });
    const create = vi.spyOn(JoinedMemory, "create");
    const searchers = [await searcherOf(2, 40), await searcherOf(1, 90)];
    const counts = [];
    for (let round = 0; round < 3; round++) {
      for (const searcher of searchers) {
        for (let i = 0; i < 5; i++) counts.push(searcher.rank({ ...wanted, withCount: true }).count);
      }
    }
    expect(counts).toEqual(Array.from({ length: 30 }, (_, i) => (i % 10 < 5 ? 80 : 90)));
    expect(create).toHaveBeenCalledTimes(6);
  });
});
