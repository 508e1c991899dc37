import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { MergeCandidate } from "./merge-policy.js";
import { SettlingMergePolicy } from "./settling-merge-policy.js";

/** A hundred thousand of these are as large as a segment may be. */
const UNIT = Math.floor(2 ** 28 / 100_000);
const segment = (units: number, deletedCount = 0): MergeCandidate => ({
  liveBytes: units * UNIT,
  imageBytes: (units * UNIT) / 10,
  maxDoc: 100,
  deletedCount,
});
const policy = new SettlingMergePolicy();
const rangeOf = (...sizes: readonly number[]): unknown =>
  policy.nextMerge(sizes.map((size) => segment(size)));

describe("SettlingMergePolicy", () => {
  test("merges all where the smaller ones are worth it, else what is beside the largest", () => {
    expect(rangeOf(80, 20, 30)).toEqual({ start: 0, end: 3 });
    expect(rangeOf(800, 20, 30)).toEqual({ start: 1, end: 3 });
    expect(rangeOf(20, 30, 800, 10, 10)).toEqual({ start: 3, end: 5 });
    expect(rangeOf(800, 30)).toBeNull();
    expect(rangeOf(800)).toBeNull();
    expect(rangeOf()).toBeNull();
  });

  test("makes no segment larger than the limit", () => {
    expect(rangeOf(60_000, 50_000)).toBeNull();
    expect(rangeOf(60_000, 50_000, 40_000)).toEqual({ start: 1, end: 3 });
  });

  test("rewrites a segment with deleted documents alone, unless it is too large", () => {
    expect(policy.nextMerge([segment(5_000, 8)])).toBeNull();
    expect(policy.nextMerge([segment(5_000, 9)])).toEqual({ start: 0, end: 1 });
    expect(policy.nextMerge([segment(500_000, 50)])).toBeNull();
  });

  // Goal: however often an index comes to rest, merging ends, and a byte is rewritten a logarithmic number of times.
  test("bounds segments and write amplification, however documents arrive", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 200 }), (commits) => {
        let segments: MergeCandidate[] = [];
        let written = 0;
        for (const size of commits) {
          segments = [...segments, segment(size)];
          for (let range = policy.nextMerge(segments); range !== null; range = policy.nextMerge(segments)) {
            const merged = segments.slice(range.start, range.end);
            const units = merged.reduce((sum, { liveBytes }) => sum + liveBytes / UNIT, 0);
            expect(units).toBeLessThanOrEqual(100_000);
            expect(merged.length).toBeGreaterThanOrEqual(2);
            written += units;
            segments = [...segments.slice(0, range.start), segment(units), ...segments.slice(range.end)];
          }
        }
        const total = commits.reduce((sum, size) => sum + size, 0);
        const rewrites = Math.log(Math.max(total, 2)) / Math.log(1.5) + 1;
        expect(segments.length).toBeLessThanOrEqual(rewrites + 1);
        expect(written).toBeLessThanOrEqual(total * rewrites);
      }),
    );
  });
});
