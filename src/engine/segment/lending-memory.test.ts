/**
 * Work borrows the memory that is lent to it, behind what is in it and one part behind the other; work in its pauses
 * doesn't. A segment is folded and unfolded in its builder's own memory.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { MemoryDirectory } from "../directory/memory-directory.js";
import { SegmentBuilder } from "../indexer/segment-builder.js";
import { BuildingMemory } from "../kernels/building-memory.js";
import { defineSchema } from "../schema/define-schema.js";
import { lendingMemory } from "./lending-memory.js";
import { openSegment } from "./open-segment.js";
import { runWhole, type SlicedWork } from "./sliced-work.js";

afterEach(() => vi.restoreAllMocks());

function taken(): BuildingMemory {
  const memory = BuildingMemory.take();
  return memory;
}

describe("a memory that is lent", () => {
  it("is borrowed behind what is in it, and is as before afterwards", () => {
    const lent = taken();
    const kept = lent.place(Uint8Array.of(1, 2, 3));
    const top = lent.functions.heapTop();
    function* work(): SlicedWork<void> {
      const outer = BuildingMemory.borrow()!;
      expect(outer).toBe(lent);
      const first = outer.place(Uint8Array.of(4, 5));
      expect(first).toBeGreaterThan(kept);
      yield;
      const inner = BuildingMemory.borrow()!;
      expect(inner.place(Uint8Array.of(6))).toBeGreaterThan(first);
      inner.giveBack();
      yield;
      expect([...outer.bytes.subarray(first, first + 2)]).toEqual([4, 5]);
      outer.giveBack();
    }
    runWhole(lendingMemory(lent, work()));
    expect(lent.functions.heapTop()).toBe(top);
    expect([...lent.bytes.subarray(kept, kept + 3)]).toEqual([1, 2, 3]);
  });

  it("is seen by no other work, nor after a failure", () => {
    const lent = taken();
    function* work(): SlicedWork<void> {
      yield;
      throw new Error("failed");
    }
    const running = lendingMemory(lent, work());
    running.next();
    expect(BuildingMemory.borrow()).not.toBe(lent);
    expect(() => running.next()).toThrow("failed");
    expect(BuildingMemory.borrow()).not.toBe(lent);
  });
});

it("is the builder's while its segment is written and opened", async () => {
  const schema = defineSchema({
    text: "text",
    word: "keyword",
    number: "u64",
    path: { kind: "facet", multi: true },
  });
  const builder = new SegmentBuilder(schema, createAnalyzer(schema.analyzer));
  for (let i = 0; i < 2000; i++) {
    builder.add(i.toString(16).padStart(32, "0"), {
      text: `word${i} of${i % 97} all ${"long ".repeat(i % 30)}`,
      word: `k${i % 700}`,
      number: i * i,
      path: [`/a/${i % 600}`, `/b/${i % 11}/c`],
    });
  }
  const take = vi.spyOn(BuildingMemory, "take");
  const borrow = vi.spyOn(BuildingMemory, "borrow");
  const directory = new MemoryDirectory();
  await builder.write(directory, "s");
  const borrowed = borrow.mock.calls.length;
  expect(borrowed).toBeGreaterThan(10);
  const segment = await openSegment(directory, "s", schema, null, {
    lending: (work) => builder.lendingMemory(work),
  });
  expect(borrow.mock.calls.length).toBeGreaterThan(borrowed);
  expect(take).not.toHaveBeenCalled();
  segment.close();
  builder.close();
});
