/** The tiers of fuzzy scores are disjoint whatever goes into them, f32 rounding included. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inverseDocumentFrequency } from "./bm25-similarity.js";
import { fuzzyScore, isFirstRowScore, rowScore } from "./fuzzy-scoring.js";

const inverseDocFreq = fc
  .tuple(fc.integer({ min: 1, max: 2 ** 31 }), fc.integer({ min: 1, max: 2 ** 31 }))
  .map(([docFreq, docCount]) => inverseDocumentFrequency(docFreq, docCount));
const termScore = fc.oneof(fc.constant(0), fc.float({ min: 0, max: 1e9, noNaN: true }));

describe("fuzzyScore", () => {
  test("falls with each edit, whatever the frequencies, lengths and boosts", () => {
    fc.assert(
      fc.property(inverseDocFreq, termScore, termScore, fc.constantFrom(0, 1), (idf, near, far, steps) => {
        expect(fuzzyScore(idf, steps, near)).toBeGreaterThan(fuzzyScore(idf, steps + 1, far));
      }),
      { numRuns: 2000 },
    );
  });

  test("never falls when the term score grows", () => {
    fc.assert(
      fc.property(inverseDocFreq, termScore, termScore, fc.constantFrom(0, 1, 2), (idf, a, b, steps) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        expect(fuzzyScore(idf, steps, high)).toBeGreaterThanOrEqual(fuzzyScore(idf, steps, low));
      }),
    );
  });
});

test("rows that come first are told from the nearest variants, also where they count nothing", () => {
  const before = fc.double({ min: 0.01, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(inverseDocFreq, before, termScore, (idf, least, own) => {
      const row = rowScore(idf, { isSlip: false, before: least, most: least }, own);
      expect(isFirstRowScore(idf, least, row)).toBe(true);
      expect(isFirstRowScore(idf, least, fuzzyScore(idf, 0, least * 0.999))).toBe(false);
    }),
    { examples: [[1, 2.2, 0]] },
  );
});
