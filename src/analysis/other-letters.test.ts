/** Letters written as one and as two. */
import { expect, test } from "vitest";
import { otherLetters } from "./other-letters.js";

test.each([
  ["koeln", ["köln", "køln"]],
  ["köln", ["koeln"]],
  ["mueller", ["müller"]],
  ["aarhus", ["århus"]],
  ["århus", ["aarhus"]],
  ["smørrebrød", ["smoerrebroed"]],
  ["queue", []],
  ["neue", []],
  ["bauen", []],
  ["book", []],
])("%s", (word, others) => {
  expect(otherLetters(word)).toEqual(others);
});
