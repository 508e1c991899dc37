/** Numbers in the groups in which they are written. */
import { expect, test } from "vitest";
import { numberGroups } from "./number-groups.js";

const shown = (word: string): string[] => numberGroups(word).map((parts) => parts.join("-"));

test("thousands", () => {
  expect(shown("10000")).toEqual(["10-000"]);
  expect(shown("1000")).toEqual(["1-000"]);
  expect(shown("1234567")).toEqual(["1-234-567"]);
  expect(shown("999")).toEqual([]);
  expect(shown("10000a")).toEqual([]);
  expect(numberGroups("123456789012")).toEqual([["123", "456", "789", "012"]]);
});

test("book numbers whose last digit is right", () => {
  expect(shown("9783161484100")).toContain("978-3-16-148410-0");
  expect(shown("9783161484100")).toHaveLength(6);
  expect(shown("9783161484101")).toEqual([]);
  expect(shown("9788071963479")).toContain("978-80-7196-347-9");
  expect(shown("316148410x")).toContain("3-16-148410-x");
  expect(shown("3161484109")).toEqual(["3-161-484-109"]);
  expect(shown("978316148410x")).toEqual([]);
});
