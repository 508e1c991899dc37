import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseWholeNumber } from "./whole-number.js";

describe("parseWholeNumber", () => {
  test.each<[string, bigint, boolean]>([
    ["0", 0n, true],
    ["-0.0", 0n, true],
    ["007", 7n, true],
    ["+5.", 5n, true],
    [".5", 0n, false],
    ["-.5", -1n, false],
    ["-2.5", -3n, false],
    ["2.50e1", 25n, true],
    ["255e-1", 25n, false],
    ["250e-1", 25n, true],
    ["1e-999999999999999999999", 0n, false],
    ["-1e-9", -1n, false],
    ["18446744073709551615.000", 18_446_744_073_709_551_615n, true],
    ["1e999999999999999999999", 10n ** 40n, true],
    [`-${"9".repeat(5000)}`, -(10n ** 40n), true],
    ["0e999999999999999999999", 0n, true],
    [`0.${"0".repeat(5000)}1e5001`, 1n, true],
  ])("%s", (text, floor, isWhole) => {
    expect(parseWholeNumber(text)).toEqual({ floor, isWhole });
  });

  test.each(["", "-", ".", "e5", "1e", "1e5.5", "0x1", "1_0", " 1", "1 ", "Infinity", "1,5"])(
    "refuses %j",
    (text) => {
      expect(parseWholeNumber(text)).toBeNull();
    },
  );

  test("agrees with division of big integers", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }),
        fc.nat({ max: 20 }),
        (digits, places) => {
          const divisor = 10n ** BigInt(places);
          const quotient = digits / divisor;
          const isWhole = digits % divisor === 0n;
          const floor = isWhole || digits > 0n ? quotient : quotient - 1n;
          expect(parseWholeNumber(`${digits}e-${places}`)).toEqual({ floor, isWhole });
          const padded = String(digits < 0n ? -digits : digits).padStart(places + 1, "0");
          const point = padded.length - places;
          const written = `${digits < 0n ? "-" : ""}${padded.slice(0, point)}.${padded.slice(point)}`;
          expect(parseWholeNumber(written)).toEqual({ floor, isWhole });
        },
      ),
    );
  });
});
