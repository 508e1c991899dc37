/** Phrases are found again by all that tells them apart, however many begin alike, and take a bounded room. */
import { expect, test } from "vitest";
import { defineSchema } from "../../index.js";
import type { PhraseQuery } from "../query.js";
import { SnapshotStatistics } from "../statistics/snapshot-statistics.js";
import { QueryBinding } from "./query-binding.js";

const newBinding = (): QueryBinding =>
  new QueryBinding(defineSchema({ body: "text", title: "text" }), new SnapshotStatistics([]));

function phrase(words: readonly string[], changed: Partial<PhraseQuery> = {}): PhraseQuery {
  const terms = words.map((term, position) => ({ term, position }));
  return { kind: "phrase", field: "body", terms, slop: 0, lastIsPrefix: false, ...changed };
}

const manyWords = (count: number): string[] => Array.from({ length: count }, (_, n) => `w${n}`);

test("any number that begin with the same term are found again", () => {
  const binding = newBinding();
  const queries = manyWords(300).map((word) => phrase(["the", word]));
  const first = queries.map((query) => binding.phrase(query));
  expect(new Set(first).size).toBe(300);
  expect(queries.map((query) => binding.phrase(structuredClone(query)))).toEqual(first);
  queries.forEach((query, n) => {
    expect(binding.phrase(structuredClone(query))).toBe(first[n]);
  });
});

test("each is told from those that differ in one thing", () => {
  const binding = newBinding();
  for (const word of manyWords(20)) binding.phrase(phrase(["the", word]));
  const queries = [
    phrase(["the", "a b"]),
    phrase(["the", "a", "b"]),
    phrase(["the", "a"]),
    phrase(["the", "a"], { slop: 1 }),
    phrase(["the", "a"], { lastIsPrefix: true }),
    phrase(["the", "a"], { field: "title" }),
    phrase(["the"], {
      terms: [
        { term: "the", position: 0 },
        { term: "a", position: 2 },
      ],
    }),
  ];
  const bound = queries.map((query) => binding.phrase(query));
  queries.forEach((query, n) => {
    expect(bound[n]!.query).toEqual(query);
    expect(binding.phrase(query)).toBe(bound[n]);
  });
});

test("long ones aren't kept", () => {
  const binding = newBinding();
  const words = manyWords(17);
  for (const kept of [words.slice(1), ["the", "x".repeat(255)]]) {
    expect(binding.phrase(phrase(kept))).toBe(binding.phrase(phrase(kept)));
  }
  for (const long of [words, ["the", "x".repeat(256)]]) {
    expect(binding.phrase(phrase(long))).not.toBe(binding.phrase(phrase(long)));
  }
});

test("they are forgotten by how many tokens they have", () => {
  const binding = newBinding();
  const isKeptBehind = (count: number, tokens: number): boolean => {
    const query = phrase(["asked", `first${tokens}`]);
    const bound = binding.phrase(query);
    for (let n = 0; n < count; n++) binding.phrase(phrase([...manyWords(tokens - 1), `last${n}`]));
    return binding.phrase(query) === bound;
  };
  expect(isKeptBehind(1000, 2)).toBe(true);
  expect(isKeptBehind(1000, 16)).toBe(false);
});

test("terms longer than documents' aren't kept", () => {
  const binding = newBinding();
  const [longest, longer] = ["x".repeat(255), "x".repeat(256)];
  expect(binding.term("body", longest!)).toBe(binding.term("body", longest!));
  expect(binding.term("body", longer!)).not.toBe(binding.term("body", longer!));
});
