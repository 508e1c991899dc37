/** Properties: what is said of shares at one average length holds at any other, and hardly says too much near the best. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shareAbove, shareBelow, slopeAbove, slopeBelow } from "./bounds-at-length.js";

/** BM25's share of a term's weight, unrounded. */
function share(freq: number, length: number, average: number): number {
  return freq / (freq + 1.2 * (0.25 + (0.75 * length) / average));
}

const lengths = fc.double({ min: 1, max: 10_000, noNaN: true });
const freqs = fc.integer({ min: 1, max: 1000 });
/** Above any rounding of these few operations, below any error that could matter. */
const ROUNDING = 1e-12;

describe("bounds at another length", () => {
  it("bound what a posting scores there from both sides", () => {
    fc.assert(
      fc.property(freqs, lengths, lengths, lengths, (freq, length, segments, collections) => {
        const ratio = segments / collections;
        const known = share(freq, length, segments);
        const scored = share(freq, length, collections);
        expect(shareAbove(ratio) + slopeAbove(ratio) * known).toBeGreaterThan(scored - ROUNDING);
        expect(shareBelow(ratio) + slopeBelow(ratio) * known).toBeLessThan(scored + ROUNDING);
      }),
      { numRuns: 2000 },
    );
  });

  it("are a hundredth off at most near the best scores, where lengths differ by a tenth", () => {
    for (const average of [90, 110]) {
      const ratio = average / 100;
      for (let known = 0.6; known < 1; known += 0.01) {
        const furthest = known / (ratio + (1 - ratio) * known);
        const above = shareAbove(ratio) + slopeAbove(ratio) * known;
        const below = shareBelow(ratio) + slopeBelow(ratio) * known;
        expect(ratio < 1 ? above - furthest : furthest - below).toBeLessThan(0.01);
      }
    }
  });

  it("are what they are at the same length", () => {
    expect([slopeAbove(1), shareAbove(1), slopeBelow(1), shareBelow(1)]).toEqual([1, 0, 1, 0]);
  });
});
