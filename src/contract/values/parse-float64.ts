const DECIMAL_NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * A finite number, from a number or from decimal text with optional sign, fraction and exponent; -0
 * becomes 0. Null for anything else, such as text in hexadecimal, and for what overflows to infinity.
 */
export function parseFloat64(input: string | number): number | null {
  if (typeof input === "string" && !DECIMAL_NUMBER.test(input)) return null;
  const value = Number(input);
  return Number.isFinite(value) ? value + 0 : null;
}
