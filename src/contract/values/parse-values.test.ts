import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseFacetPath } from "./parse-facet-path.js";
import { parseFloat64 } from "./parse-float64.js";
import { parseInteger } from "./parse-integer.js";

describe("parseInteger", () => {
  test.each([
    [3, "u64", 3],
    [-0, "u64", 0],
    ["007", "u64", 7],
    ["-0", "u64", 0],
    ["9007199254740991", "u64", 9_007_199_254_740_991],
    ["9007199254740992", "u64", "9007199254740992"],
    ["18446744073709551615", "u64", "18446744073709551615"],
    ["-9223372036854775808", "i64", "-9223372036854775808"],
    ["-9007199254740991", "i64", -9_007_199_254_740_991],
  ] as const)("reads %j as %s: %j", (input, type, expected) => {
    expect(parseInteger(input, type)).toBe(expected);
  });

  test.each([
    [-1, "u64"],
    [2.5, "i64"],
    [2 ** 53, "u64"],
    [Number.NaN, "i64"],
    ["18446744073709551616", "u64"],
    ["9223372036854775808", "i64"],
    ["-9223372036854775809", "i64"],
    ["-1", "u64"],
    ["", "u64"],
    ["-", "i64"],
    ["+5", "i64"],
    ["3.0", "i64"],
    ["1e3", "i64"],
    [" 1", "i64"],
    ["1\n", "i64"],
    ["9".repeat(1_000_000), "u64"],
  ] as const)("refuses %j as %s", (input, type) => {
    expect(parseInteger(input, type)).toBeNull();
  });

  test("keeps every i64 exactly", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
        expect(String(parseInteger(String(value), "i64"))).toBe(String(value));
      }),
    );
  });
});

describe("parseFloat64", () => {
  test.each([
    [1.5, 1.5],
    [-0, 0],
    ["1.0", 1],
    ["-1e3", -1000],
    [".5", 0.5],
    ["5.", 5],
    ["+2", 2],
  ])("reads %j as %d", (input, expected) => {
    expect(parseFloat64(input)).toBe(expected);
  });

  test.each([
    "",
    " 1",
    "0x10",
    "1e",
    "Infinity",
    "NaN",
    "1e999",
    "1_000",
    ".",
    Number.NaN,
    Number.NEGATIVE_INFINITY,
  ])("refuses %j", (input) => {
    expect(parseFloat64(input)).toBeNull();
  });
});

describe("parseFacetPath", () => {
  test.each([
    ["fiction", "/fiction"],
    ["/fiction", "/fiction"],
    ["/fiction/", "/fiction"],
    ["a/b c", "/a/b c"],
  ])("reads %j as %s", (input, expected) => {
    expect(parseFacetPath(input)).toBe(expected);
  });

  test.each(["", "/", "//", "//a", "a//b", "a//", "a\0b"])("refuses %j", (input) => {
    expect(parseFacetPath(input)).toBeNull();
  });

  test("is stable: a canonical path is its own canonical path", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[ab/]{0,8}$/), (input) => {
        const path = parseFacetPath(input);
        if (path !== null) expect(parseFacetPath(path)).toBe(path);
      }),
    );
  });
});
