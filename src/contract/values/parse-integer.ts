import { canonicalInteger, INTEGER_LIMITS, type IntegerType } from "./integer-limits.js";

/** Enough for every 64-bit value; the bound keeps hostile digit strings from costing quadratic time. */
const DIGITS_MAX = 40;
const DECIMAL_DIGITS = /^-?\d+$/;

/**
 * The canonical form of an integer: a number within ±(2^53−1), beyond it a decimal string.
 *
 * Takes integer-valued numbers within ±(2^53−1) (beyond, JSON has already lost digits) and strings of
 * decimal digits with an optional minus. Null for anything else and for values that the type cannot hold.
 */
export function parseInteger(input: string | number, type: IntegerType): number | string | null {
  const { least, greatest } = INTEGER_LIMITS[type];
  if (typeof input === "number") {
    if (!Number.isSafeInteger(input) || input < least) return null;
    return input + 0; // -0 becomes 0
  }
  if (input.length > DIGITS_MAX || !DECIMAL_DIGITS.test(input)) return null;
  const value = BigInt(input);
  return value < least || value > greatest ? null : canonicalInteger(value);
}
