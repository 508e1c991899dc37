import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type MergeCandidate, TieredMergePolicy } from "./merge-policy.js";

const segment = (liveBytes: number, deletedCount = 0): MergeCandidate => ({
  liveBytes,
  imageBytes: liveBytes / 10,
  maxDoc: 100,
  deletedCount,
});
const policy = new TieredMergePolicy({ segmentsPerTier: 4, floorBytes: 10, maxMergedBytes: 100_000 });

describe("TieredMergePolicy", () => {
  test("leaves fewer than a tier's worth of segments alone", () => {
    expect(policy.nextMerge([segment(5), segment(5), segment(5)])).toBeNull();
  });

  test("merges neighbours of like size, oldest first", () => {
    const sizes = [5000, 5, 5, 5, 5, 5];
    expect(policy.nextMerge(sizes.map((size) => segment(size)))).toEqual({ start: 1, end: 5 });
  });

  test("leaves a large segment alone until what came after it is worth the rewriting", () => {
    let segments: MergeCandidate[] = [segment(5000)];
    let rewritten = 0;
    for (let commit = 0; commit < 2000; commit++) {
      segments.push(segment(1));
      for (let range = policy.nextMerge(segments); range !== null; range = policy.nextMerge(segments)) {
        const merged = segments.slice(range.start, range.end);
        if (merged[0]!.liveBytes >= 5000) rewritten++;
        const bytes = merged.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
        segments = [...segments.slice(0, range.start), segment(bytes), ...segments.slice(range.end)];
      }
      expect(segments.length).toBeLessThanOrEqual(20);
    }
    expect(rewritten).toBe(0);
  });

  test("rewrites a segment with many deleted documents alone", () => {
    expect(policy.nextMerge([segment(5000), segment(400, 31), segment(5)])).toEqual({ start: 1, end: 2 });
    expect(policy.nextMerge([segment(5000), segment(400, 30), segment(5)])).toBeNull();
  });

  test("makes no image larger than there is memory for, and leaves what has grown to half of that", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 300 }),
        fc.integer({ min: 20, max: 200 }),
        (flushes, imageBytesMax) => {
          let segments: MergeCandidate[] = [];
          for (const size of flushes) {
            segments = [...segments, segment(size)];
            let range = policy.nextMerge(segments, imageBytesMax);
            for (; range !== null; range = policy.nextMerge(segments, imageBytesMax)) {
              const merged = segments.slice(range.start, range.end);
              const bytes = merged.reduce((sum, { liveBytes }) => sum + liveBytes, 0);
              expect(merged.length).toBeGreaterThanOrEqual(2);
              expect(bytes / 10).toBeLessThanOrEqual(imageBytesMax);
              segments = [...segments.slice(0, range.start), segment(bytes), ...segments.slice(range.end)];
            }
          }
          const total = flushes.reduce((sum, size) => sum + size, 0);
          // Each two neighbours that were cut apart are more than the limit together; between, tiers as ever.
          const grown = segments.filter(({ imageBytes }) => imageBytes * 2 > imageBytesMax).length;
          expect(grown).toBeLessThanOrEqual((total / 10 / imageBytesMax) * 2);
        },
      ),
      { numRuns: 100 },
    );
  });

  test("refuses a tier of one, which would never end", () => {
    expect(() => new TieredMergePolicy({ segmentsPerTier: 1 })).toThrow(RangeError);
    expect(() => new TieredMergePolicy({ segmentsPerTier: 4, segmentsBelowFloor: 3 })).toThrow(RangeError);
  });

  test("waits for more where all together are below the floor", () => {
    const patient = new TieredMergePolicy({ segmentsPerTier: 2, segmentsBelowFloor: 4, floorBytes: 100 });
    const next = (...sizes: number[]): unknown => patient.nextMerge(sizes.map((size) => segment(size)));
    expect(next(30, 30, 30)).toBeNull();
    expect(next(5, 5, 5, 5)).toEqual({ start: 0, end: 4 });
    expect(next(40, 30, 30)).toEqual({ start: 0, end: 3 });
    expect(next(50, 50)).toEqual({ start: 0, end: 2 });
  });

  // Goal: merging always comes to an end, never grows a segment beyond the limit, keeps few
  // segments, and rewrites each byte a logarithmic number of times.
  test.each([4, 9])(
    "bounds segments and write amplification, however documents arrive (%i below the floor)",
    (few) => {
      const policy = new TieredMergePolicy({
        segmentsPerTier: 4,
        segmentsBelowFloor: few,
        floorBytes: 10,
        maxMergedBytes: 100_000,
      });
      fc.assert(
        fc.property(
          fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 400 }),
          (flushes) => {
            let segments: MergeCandidate[] = [];
            let written = 0;
            for (const size of flushes) {
              segments = [...segments, segment(size)];
              for (
                let range = policy.nextMerge(segments);
                range !== null;
                range = policy.nextMerge(segments)
              ) {
                const bytes = segments
                  .slice(range.start, range.end)
                  .reduce((sum, { liveBytes }) => sum + liveBytes, 0);
                expect(bytes).toBeLessThanOrEqual(100_000);
                expect(range.end - range.start).toBeGreaterThanOrEqual(2);
                written += bytes;
                segments = [...segments.slice(0, range.start), segment(bytes), ...segments.slice(range.end)];
              }
            }
            const total = flushes.reduce((sum, size) => sum + size, 0);
            const tiers = Math.ceil(Math.log(Math.max(total, 40) / 10) / Math.log(4)) + 2;
            expect(segments.length).toBeLessThanOrEqual(4 * tiers + few - 4);
            expect(written).toBeLessThanOrEqual(total * tiers * 2);
          },
        ),
      );
    },
  );
});
