/** Common English misspellings find their words, and words typed right are first (contract 5.2). */
import { expect, test } from "vitest";
import { loadMisspellings } from "../../bench/relevance/misspellings.js";
import { measureTypoRecall } from "../../bench/relevance/typo-recall.js";

/** By length of the misspelt word, at most: the edits that the contract allows. */
const allowed = (length: number): number => (length <= 2 ? 0 : length <= 5 ? 1 : 2);

/** All of them take half a minute; one in twenty finds what is broken for a kind of word or edit. */
const STEP = process.env["FINDLING_TEST_ALL"] === "1" ? 1 : 20;

test("every misspelling within the distance finds its word, and every word typed right is first alone", async () => {
  const { pairs } = loadMisspellings();
  const recall = await measureTypoRecall(pairs, STEP);
  const within = pairs.filter(({ wrong, osa }) => osa <= allowed(wrong.length));
  expect(within).toHaveLength(27_148);
  expect(recall.withinDistance).toBe(Math.ceil(within.length / STEP));
  expect(recall.missed).toEqual([]);
  expect(recall.exactWords).toBe(Math.ceil(34_662 / STEP));
  expect(recall.notFirst).toEqual([]);
  expect(recall.first / recall.withinDistance).toBeGreaterThan(0.99);
});
