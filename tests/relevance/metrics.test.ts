/** The relevance figures against cases computed by hand. */
import { describe, expect, test } from "vitest";
import { averagePrecision, normalizedGain, recall, relevanceFigures } from "../../bench/relevance/metrics.js";

const judged = new Map([
  ["best", 3],
  ["good", 2],
  ["fair", 1],
  ["bad", 0],
]);

describe("normalizedGain", () => {
  test("is 1 for the ideal order, whatever follows it", () => {
    expect(normalizedGain(["best", "good", "fair"], judged, 10)).toBe(1);
    expect(normalizedGain(["best", "good", "fair", "bad", "unjudged"], judged, 10)).toBe(1);
  });

  test("discounts gains of 2^grade - 1 by the logarithm of the rank", () => {
    // Ideal: 7/1 + 3/log2(3) + 1/2 = 9.392789. Here: 0/1 + 7/log2(3) + 0/2 + 3/log2(5) = 5.708538.
    expect(normalizedGain(["bad", "best", "unjudged", "good"], judged, 10)).toBeCloseTo(
      5.708538 / 9.392789,
      6,
    );
  });

  test("looks no further than its depth, and neither does the ideal", () => {
    expect(normalizedGain(["bad", "best"], judged, 1)).toBe(0);
    // Ideal of two: 7 + 3/log2(3) = 8.892789; here: 1 + 7/log2(3) = 5.416508.
    expect(normalizedGain(["fair", "best", "good"], judged, 2)).toBeCloseTo(5.416508 / 8.892789, 6);
  });

  test("is 0 where nothing is found or nothing is relevant", () => {
    expect(normalizedGain([], judged, 10)).toBe(0);
    expect(normalizedGain(["bad"], new Map([["bad", 0]]), 10)).toBe(0);
  });
});

describe("averagePrecision", () => {
  test("averages the precision at each relevant document over all relevant ones", () => {
    // Relevant at ranks 1 and 4, the third isn't found: (1/1 + 2/4) / 3.
    expect(averagePrecision(["good", "bad", "unjudged", "fair"], judged)).toBeCloseTo(0.5, 12);
    expect(averagePrecision(["fair", "best", "good"], judged)).toBe(1);
    expect(averagePrecision([], judged)).toBe(0);
    expect(averagePrecision(["bad"], new Map([["bad", 0]]))).toBe(0);
  });

  test("cuts rankings after a thousand", () => {
    const misses = Array.from({ length: 999 }, (_, i) => `miss${i}`);
    expect(averagePrecision([...misses, "best"], judged)).toBeCloseTo(1 / 1000 / 3, 12);
    expect(averagePrecision([...misses, "bad", "best"], judged)).toBe(0);
  });
});

test("recall is the share of relevant documents within the depth", () => {
  expect(recall(["bad", "fair", "best", "good"], judged, 3)).toBeCloseTo(2 / 3, 12);
  expect(recall(["bad", "fair", "best", "good"], judged, 4)).toBe(1);
  expect(recall([], new Map(), 100)).toBe(0);
});

test("relevanceFigures are means over queries, one without results among them", () => {
  const figures = relevanceFigures([["best", "good", "fair"], []], [judged, judged]);
  expect(figures).toEqual({ ndcg10: 0.5, map: 0.5, recall100: 0.5 });
});
