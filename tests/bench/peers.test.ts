/**
 * The benchmark beside native engines sees every difference between answers that isn't one of order
 * among equals; its queries are of the frequencies that their class says, and the same for a seed; a
 * larger made-up corpus begins with a smaller one.
 */
import { describe, expect, test } from "vitest";
import { disagreement } from "../../bench/peers/agreement.js";
import type { InputDigest } from "../../bench/peers/input-digest.js";
import type { PeerAnswer, PeerQuery } from "../../bench/peers/peer-query.js";
import { drawQueryClasses } from "../../bench/peers/query-classes.js";
import { zipfRows } from "../../bench/peers/zipf-corpus.js";

const OR: PeerQuery = { kind: "or", terms: ["a", "b"] };
const ANSWER: PeerAnswer = { count: 9, docs: [4, 7, 5, 2], scores: [3, 2, 2, 1] };

describe("answers are compared", () => {
  test("equal ones, and ones whose scores differ by rounding, agree", () => {
    expect(disagreement(OR, ANSWER, ANSWER, true)).toBeNull();
    expect(disagreement(OR, { ...ANSWER, scores: [3.000001, 2, 2, 1] }, ANSWER, true)).toBeNull();
  });

  test("documents of equal score may change places, others may not", () => {
    expect(disagreement(OR, { ...ANSWER, docs: [4, 5, 7, 2] }, ANSWER, true)).toBeNull();
    expect(disagreement(OR, { ...ANSWER, docs: [8, 7, 5, 2] }, ANSWER, true)).toContain("document 8");
  });

  test("another count, score or number of hits is a difference", () => {
    expect(disagreement(OR, { ...ANSWER, count: 8 }, ANSWER, true)).toBe("count 8 instead of 9");
    expect(disagreement(OR, { ...ANSWER, scores: [3, 2, 2, 1.001] }, ANSWER, true)).toContain("rank 4");
    expect(disagreement(OR, { ...ANSWER, docs: [4, 7, 5], scores: [3, 2, 2] }, ANSWER, true)).toContain(
      "rank 4",
    );
  });

  test("scores are left alone where engines rank in their own ways, counts never", () => {
    const other = { ...ANSWER, scores: [1, 1, 1, 1] };
    expect(disagreement(OR, other, ANSWER, false)).toBeNull();
    expect(disagreement({ kind: "fuzzy", terms: ["a"], distance: 1 }, other, ANSWER, true)).toBeNull();
    expect(disagreement(OR, { ...other, count: 1 }, ANSWER, false)).not.toBeNull();
  });

  test("facets may come in any order, with the same counts", () => {
    const theirs: PeerAnswer = {
      docs: [],
      scores: [],
      facets: [
        ["/a", 1],
        ["/b", 2],
      ],
    };
    expect(
      disagreement({ kind: "facets" }, { ...theirs, facets: theirs.facets!.toReversed() }, theirs, true),
    ).toBeNull();
    expect(disagreement({ kind: "facets" }, { ...theirs, facets: [["/a", 1]] }, theirs, true)).not.toBeNull();
  });
});

/** 100,000 documents; words w0, w1, ... of falling frequency, written together in the texts. */
const DIGEST: InputDigest = (() => {
  const docCount = 100_000;
  const words = Array.from({ length: 400 }, (_, i) => `word${i}`);
  const docFreqs = words.map((_, i) => Math.max(1, Math.floor(docCount * 0.5 * 0.97 ** i)));
  const texts = words.map((_, i) => words.slice(Math.max(0, i - 20), i + 20).join(" "));
  const paths = words.map((_, i) => (i % 3 === 0 ? [] : [`/a${i % 5}/b${i % 7}`]));
  return { docCount, words, docFreqs, texts, paths, numbers: Array.from({ length: 20_000 }, (_, i) => i) };
})();

describe("queries are drawn", () => {
  const share = (word: string): number => DIGEST.docFreqs[DIGEST.words.indexOf(word)]! / DIGEST.docCount;

  test("from words of the frequencies that the class names, none twice", () => {
    const classes = new Map(drawQueryClasses(DIGEST, 7, 18).map(({ name, queries }) => [name, queries]));
    const andFm = classes.get("and_fm")!;
    expect(new Set(andFm.map((query) => JSON.stringify(query))).size).toBe(18);
    for (const { terms } of andFm) {
      expect(share(terms![0]!)).toBeGreaterThanOrEqual(0.08);
      expect(share(terms![1]!)).toBeGreaterThanOrEqual(0.003);
      expect(share(terms![1]!)).toBeLessThanOrEqual(0.02);
    }
    for (const { terms } of classes.get("or_hh")!) {
      for (const word of terms!) expect(Math.abs(share(word) - 0.04)).toBeLessThanOrEqual(0.02);
    }
  });

  test("the same for a seed, others for another", () => {
    expect(drawQueryClasses(DIGEST, 7, 5)).toEqual(drawQueryClasses(DIGEST, 7, 5));
    expect(drawQueryClasses(DIGEST, 8, 5)).not.toEqual(drawQueryClasses(DIGEST, 7, 5));
  });
});

test("a larger made-up corpus begins with a smaller one", () => {
  const rows = [...zipfRows(20, 3, 5000)];
  expect(rows.slice(0, 5)).toEqual([...zipfRows(5, 3, 5000)]);
  for (const { t, f } of rows) {
    expect(t.split(" ").length).toBeGreaterThanOrEqual(40);
    expect(f[0]).toMatch(/^\/a\d+\/b\d\/c\d$/);
  }
});
