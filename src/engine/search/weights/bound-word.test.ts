/** What a word's variants in a segment cost: each list is counted once, under the interrupt of who asks. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { defineSchema, Index, MemoryDirectory } from "../../index.js";
import { NO_INTERRUPT } from "../search-interrupt.js";
import { SegmentStatistics } from "../statistics/segment-statistics.js";
import { SnapshotStatistics } from "../statistics/snapshot-statistics.js";
import { BoundWord } from "./bound-word.js";

const VARIANTS = ["wald", "wand", "ward", "wahd", "wasd"];

let index: Index;

beforeEach(async () => {
  index = await Index.create(new MemoryDirectory(), defineSchema({ body: "text" }));
  await index.add(Array.from({ length: 40 }, (_, n) => ({ body: `${VARIANTS[n % 5]} x${n}` })));
  await index.commit();
  for (const deleted of ["x3", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14"]) {
    await index.deleteByQuery({ kind: "term", field: "body", term: deleted });
  }
  await index.commit();
});

afterEach(async () => {
  await index.close();
  vi.restoreAllMocks();
});

test("counts each variant's live documents once, and asks before each", () => {
  const statistics = new SegmentStatistics(index.searcher.segments[0]!);
  const walks = vi.spyOn(statistics.segment.terms("body")!, "postings");
  const query = { term: "waqd", maxDistance: 1, names: ["body"] } as const;
  const bound = new BoundWord(query, new SnapshotStatistics([statistics]), NO_INTERRUPT);
  let checks = 0;
  const found = bound.in(statistics, "body", { check: () => checks++ })!;
  expect(found.nearest).toHaveLength(VARIANTS.length);
  expect(found.nearestDocs).toBe(7);
  expect(walks.mock.calls.length).toBe(VARIANTS.length);
  expect(checks).toBeGreaterThanOrEqual(VARIANTS.length);
});

test("tells variants by their steps from the nearest", () => {
  const statistics = new SegmentStatistics(index.searcher.segments[0]!);
  const query = { term: "wald", maxDistance: 1, names: ["body"] } as const;
  const bound = new BoundWord(query, new SnapshotStatistics([statistics]), NO_INTERRUPT);
  const { nearest, farther, ordinals } = bound.in(statistics, "body", NO_INTERRUPT)!;
  const terms = statistics.segment.terms("body")!;
  const textsOf = (step: number): string[] =>
    ordinals[step]!.map((ordinal) => new TextDecoder().decode(terms.termBytes(ordinal)));
  expect([textsOf(0), textsOf(1), textsOf(2)]).toEqual([["wald"], ["wahd", "wand", "ward", "wasd"], []]);
  expect([nearest.length, farther.map(({ steps, places }) => [steps, places.length])]).toEqual([1, [[1, 4]]]);
});
