import { expect, test } from "vitest";
import { KnownWords } from "./known-words.js";

test("words are known by storage and field", () => {
  const known = new KnownWords();
  known.add("a", "title", new Set(["one", "two"]));
  known.add("a", "title", new Set(["three"]));
  expect([...known.of("a", "title")]).toEqual(["one", "two", "three"]);
  expect(known.of("a", "body").size).toBe(0);
  expect(known.of("b", "title").size).toBe(0);
});

test("so many are remembered and no more", () => {
  const known = new KnownWords();
  const batch = (start: number) => new Set(Array.from({ length: 100_000 }, (_, i) => `w${start + i}`));
  for (const [i, field] of ["a", "b", "c"].entries()) known.add("s", field, batch(i));
  expect(known.of("s", "a").size).toBe(100_000);
  known.add("s", "d", batch(0));
  expect(["a", "b", "c", "d"].map((field) => known.of("s", field).size)).toEqual([0, 0, 0, 100_000]);
});
