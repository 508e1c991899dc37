import { canonicalInteger, INTEGER_LIMITS, type IntegerType } from "./integer-limits.js";

/** Enough for every 64-bit value; the bound keeps hostile digit strings from costing quadratic time. */
const DIGITS_MAX = 40;
const DECIMAL_DIGITS = /^-?\d+$/;

/**
 * The canonical form of an integer: a number within ±(2^53−1), beyond it a decimal string, or a bigint where it was
 * one.
 *
 * Takes integer-valued numbers within ±(2^53−1) (beyond, a number has already lost digits), bigints and strings of
 * decimal digits with an optional minus. Null for anything else and for values that the type cannot hold.
 */
export function parseInteger(
  input: string | number | bigint,
  type: IntegerType,
): number | bigint | string | null {
  const { least, greatest } = INTEGER_LIMITS[type];
  if (typeof input === "bigint") {
    if (input < least || input > greatest) return null;
    return typeof canonicalInteger(input) === "number" ? Number(input) : input;
  }
  if (typeof input === "number") {
    if (!Number.isSafeInteger(input) || input < least) return null;
    return input + 0; // -0 becomes 0
  }
  if (input.length > DIGITS_MAX || !DECIMAL_DIGITS.test(input)) return null;
  const value = BigInt(input);
  return value < least || value > greatest ? null : canonicalInteger(value);
}
