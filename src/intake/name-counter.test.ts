/** Properties: as many distinct names as the limit are fine, however often they come and in however long a text; one more is not. */
import { expect, test } from "vitest";
import { NameCounter } from "./name-counter.js";

const LONG_TEXT = 1 << 30;

function addAll(counter: NameCounter, count: number): boolean {
  let isFine = true;
  for (let i = 0; i < count; i++) {
    const name = new TextEncoder().encode(`name ${i}`);
    isFine = counter.add(name, 0, name.length) && isFine;
  }
  return isFine;
}

test.each([1, 500, 513, 20_000])("takes %i names and no more", (limit) => {
  const counter = new NameCounter(limit, LONG_TEXT);
  expect(addAll(counter, limit)).toBe(true);
  expect(addAll(counter, limit)).toBe(true);
  // Names whose hashes collide count once.
  expect(addAll(counter, limit + 20)).toBe(false);
});

test("a text too short for too many names isn't looked at", () => {
  expect(addAll(new NameCounter(10, 40), 100)).toBe(true);
});
