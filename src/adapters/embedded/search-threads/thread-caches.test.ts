/** What a thread tells of its caches is what its user reads; sums are by cache. */
import { expect, test } from "vitest";
import { searchCacheFigures } from "../../../engine/server-door.js";
import { summedFigures, ThreadCaches } from "./thread-caches.js";

test("what one side tells the other reads", () => {
  const user = new ThreadCaches();
  const nothing = user.figures();
  expect(nothing.map(({ name }) => name)).toEqual(searchCacheFigures().map(({ name }) => name));
  for (const { bytes, hits, misses } of nothing) expect([bytes, hits, misses]).toEqual([0, 0, 0]);
  new ThreadCaches(user.shared).tell();
  expect(user.figures()).toEqual(searchCacheFigures());
});

test("figures of the same caches are added up", () => {
  const a = [
    { name: "x", bytes: 1, hits: 2, misses: 3 },
    { name: "y", bytes: 4, hits: 5, misses: 6 },
  ];
  const b = [
    { name: "x", bytes: 10, hits: 20, misses: 30 },
    { name: "y", bytes: 40, hits: 50, misses: 60 },
  ];
  expect(summedFigures([a, b])).toEqual([
    { name: "x", bytes: 11, hits: 22, misses: 33 },
    { name: "y", bytes: 44, hits: 55, misses: 66 },
  ]);
  expect(summedFigures([])).toEqual([]);
});
