import fc from "fast-check";
import { expect, test } from "vitest";
import { compareSortValues, type SortValue } from "./compare-sort-values.js";
import type { CanonicalValue } from "./document.js";
import type { EngineField, FieldKind } from "./engine-schema.js";
import { sortBytes } from "./sort-bytes.js";
import { textSortBytes } from "./text-sort-bytes.js";

const fieldOf = (kind: FieldKind): EngineField => ({
  name: "n",
  kind,
  indexed: true,
  stored: true,
  multi: false,
});

function numberOf(
  kind: "u64" | "i64" | "f64",
  value: CanonicalValue,
): SortValue & { exact: bigint | number } {
  const field = fieldOf(kind);
  return {
    field,
    bytes: sortBytes(field, value),
    exact: typeof value === "string" ? BigInt(value) : (value as number),
  };
}

const number = fc.oneof(
  fc
    .oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 9n), fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n))
    .map((value) => numberOf("u64", String(value))),
  fc
    .oneof(
      fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      fc.bigInt(-9n, 9n),
      fc.bigInt(2n ** 53n - 2n, 2n ** 53n + 2n),
    )
    .map((value) => numberOf("i64", String(value))),
  fc
    .oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -9, max: 9 }),
      fc.integer({ min: -2, max: 2 }).map((step) => 2 ** 53 + 2 * step),
    )
    .map((value) => numberOf("f64", value)),
);

test("numbers of every kind compare as the numbers that they are", () => {
  fc.assert(
    fc.property(number, number, (left, right) => {
      const expected = left.exact < right.exact ? -1 : left.exact > right.exact ? 1 : 0;
      expect(Math.sign(compareSortValues(left, right))).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test("texts and identifiers compare by code points, whatever their case", () => {
  const text = { field: fieldOf("text"), bytes: textSortBytes("Zebra", true) };
  const keyword = { field: fieldOf("keyword"), bytes: textSortBytes("zebrb", true) };
  expect(compareSortValues(text, keyword)).toBeLessThan(0);
  expect(compareSortValues(keyword, text)).toBeGreaterThan(0);
  expect(compareSortValues(text, { ...keyword, bytes: textSortBytes("ZEBRA", false) })).toBe(0);
});
