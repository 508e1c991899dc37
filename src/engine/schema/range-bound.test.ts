// Proves: a resolved bound lets through exactly the values that an exact comparison of numbers would.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../../errors/index.js";
import { compareBytes } from "./compare-bytes.js";
import type { CanonicalValue } from "./document.js";
import type { EngineField, FieldKind } from "./engine-schema.js";
import { type RangeSide, rangeBound } from "./range-bound.js";
import { sortBytes } from "./sort-bytes.js";

function field(kind: FieldKind): EngineField {
  return { name: "f", kind, indexed: true, stored: true, multi: false, precision: "nanoseconds" };
}

function matches(
  kind: FieldKind,
  value: CanonicalValue,
  bound: CanonicalValue,
  inclusive: boolean,
  side: RangeSide,
): boolean {
  const resolved = rangeBound(field(kind), bound, inclusive, side);
  if (typeof resolved === "string") return resolved === "all";
  const order = compareBytes(sortBytes(field(kind), value), resolved.bytes);
  return order === 0 ? resolved.inclusive : order > 0 === (side === "lower");
}

function wanted(order: number, inclusive: boolean, side: RangeSide): boolean {
  return order === 0 ? inclusive : order > 0 === (side === "lower");
}

/** A decimal as an exact fraction, by the obvious algorithm. */
function fraction(text: string): { numerator: bigint; denominator: bigint } {
  const [mantissa, exponent = "0"] = text.toLowerCase().split("e");
  const [whole, places = ""] = mantissa!.replace("+", "").split(".");
  const power = Number(exponent) - places.length;
  const negative = whole!.startsWith("-");
  const digits = BigInt(`${whole!.replace("-", "")}${places}` || "0") * (negative ? -1n : 1n);
  return power >= 0
    ? { numerator: digits * 10n ** BigInt(power), denominator: 1n }
    : { numerator: digits, denominator: 10n ** BigInt(-power) };
}

/** Exact binary fraction of a double. */
function fractionOfF64(value: number): { numerator: bigint; denominator: bigint } {
  let denominator = 1n;
  let scaled = value;
  // Scaling tiny numbers up by powers of two is exact.
  while (!Number.isInteger(scaled)) {
    scaled *= 2;
    denominator *= 2n;
  }
  return { numerator: BigInt(scaled), denominator };
}

function orderOf(
  left: { numerator: bigint; denominator: bigint },
  right: { numerator: bigint; denominator: bigint },
): number {
  const difference = left.numerator * right.denominator - right.numerator * left.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const sides = fc.constantFrom<RangeSide>("lower", "upper");

const decimals = fc
  .record({
    sign: fc.constantFrom("", "-", "+"),
    whole: fc.oneof(fc.stringMatching(/^\d{1,3}$/), fc.stringMatching(/^\d{15,24}$/), fc.constant("")),
    places: fc.oneof(fc.constant(null), fc.stringMatching(/^\d{1,3}$/), fc.stringMatching(/^\d{15,30}$/)),
    exponent: fc.oneof(fc.constant(null), fc.integer({ min: -30, max: 30 })),
  })
  .map(({ sign, whole, places, exponent }) => {
    const digits = whole === "" && places === null ? "0" : whole;
    return `${sign}${digits}${places === null ? "" : `.${places}`}${exponent === null ? "" : `e${exponent}`}`;
  });

describe("rangeBound", () => {
  test.each([
    ["u64", 0n, 2n ** 64n - 1n],
    ["i64", -(2n ** 63n), 2n ** 63n - 1n],
  ] as const)("%s: agrees with exact fractions", (kind, min, max) => {
    const values = fc.oneof(
      fc.bigInt({ min, max }),
      fc.constantFrom(min, max, 0n, 1n),
      fc.nat({ max: 999 }).map(BigInt),
    );
    const bounds = fc.oneof(
      decimals,
      values.map(String),
      values.map((value) => `${value}.5`),
      values.map((value) => `${value + 1n}`),
    );
    fc.assert(
      fc.property(values, bounds, fc.boolean(), sides, (value, bound, inclusive, side) => {
        const order = orderOf({ numerator: value, denominator: 1n }, fraction(bound));
        expect(matches(kind, String(value), bound, inclusive, side)).toBe(wanted(order, inclusive, side));
      }),
      { numRuns: 500 },
    );
  });

  test("f64: agrees with exact fractions, also right beside the value", () => {
    const values = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e40, max: 1e40 }),
      fc.constantFrom(0, -0, 0.1, 5e-324, -5e-324, 2 ** 53, Number.MAX_VALUE),
    );
    const cases = fc.record({
      value: values,
      other: decimals,
      beside: fc.boolean(),
      tail: fc.constantFrom("", "1", "0", `${"0".repeat(900)}1`),
    });
    fc.assert(
      fc.property(cases, fc.boolean(), sides, ({ value, other, beside, tail }, inclusive, side) => {
        const bound = beside ? exactText(value) + tail : other;
        const order = orderOf(fractionOfF64(value), fraction(bound));
        expect(matches("f64", value, bound, inclusive, side)).toBe(wanted(order, inclusive, side));
      }),
      { numRuns: 500 },
    );
  });

  test("numbers compare as the number that they are", () => {
    fc.assert(
      fc.property(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer(),
        fc.boolean(),
        sides,
        (bound, value, inclusive, side) => {
          const result = wanted(Math.sign(value - bound) || 0, inclusive, side);
          expect(matches("i64", value, bound, inclusive, side)).toBe(result);
          expect(matches("f64", value, bound, inclusive, side)).toBe(result);
        },
      ),
    );
  });

  test("bounds beyond the kind's range", () => {
    expect(rangeBound(field("u64"), -1, false, "lower")).toBe("all");
    expect(rangeBound(field("u64"), "-0.5", true, "upper")).toBe("none");
    expect(rangeBound(field("i64"), "1e30", false, "upper")).toBe("all");
    expect(rangeBound(field("i64"), `-1e${"9".repeat(400)}`, false, "upper")).toBe("none");
    expect(rangeBound(field("i64"), `1e-${"9".repeat(400)}`, true, "upper")).toEqual({
      bytes: sortBytes(field("i64"), 0),
      inclusive: true,
    });
    expect(rangeBound(field("f64"), "1e400", true, "lower")).toBe("none");
    expect(rangeBound(field("f64"), "-1e400", true, "lower")).toBe("all");
    expect(matches("f64", 0, "1e-400", true, "lower")).toBe(false);
    expect(matches("f64", 5e-324, "1e-400", true, "lower")).toBe(true);
  });

  test("datetime bounds keep the digits below the nanosecond", () => {
    const value = "2024-01-01T00:00:00.000000001Z";
    const bound = "2024-01-01T00:00:00.0000000015Z";
    expect(matches("datetime", value, bound, true, "lower")).toBe(false);
    expect(matches("datetime", value, bound, false, "upper")).toBe(true);
    expect(matches("datetime", value, "2024-01-01T01:00:00.000000001+01:00", false, "lower")).toBe(false);
    expect(matches("datetime", "0001-01-01T00:00:00Z", "0001-01-01T00:00:00+05:00", false, "lower")).toBe(
      true,
    );
  });

  test("refuses what is no number or instant", () => {
    for (const bound of [
      "",
      ".",
      "1e",
      "0x10",
      "abc",
      " 1",
      true,
      null,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      [1],
    ]) {
      expect(() => rangeBound(field("u64"), bound, true, "lower")).toThrowError(FindlingError);
      expect(() => rangeBound(field("f64"), bound, true, "lower")).toThrowError(FindlingError);
    }
    expect(() => rangeBound(field("datetime"), "2024", true, "lower")).toThrowError(FindlingError);
  });
});

/** Every decimal place of a double. */
function exactText(value: number): string {
  const { numerator, denominator } = fractionOfF64(value);
  const places = denominator.toString(2).length - 1;
  const magnitude = String((numerator < 0n ? -numerator : numerator) * 5n ** BigInt(places)).padStart(
    places + 1,
    "0",
  );
  const whole = magnitude.slice(0, magnitude.length - places);
  return `${numerator < 0n ? "-" : ""}${whole}.${magnitude.slice(magnitude.length - places) || "0"}`;
}
