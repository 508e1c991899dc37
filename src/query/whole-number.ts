/** A decimal number cut down to an integer, exactly. */
export interface WholeNumber {
  /** The greatest integer at or below the number. */
  readonly floor: bigint;
  /** Whether the number is that integer. */
  readonly isWhole: boolean;
}

const DECIMAL = /^([+-]?)(?=\.?\d)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** More digits than any 64-bit integer has; numbers beyond stand for themselves as this power of ten. */
const DIGITS_MAX = 40;

/**
 * Reads decimal text with optional sign, fraction and exponent, beyond the precision of a `number`.
 * Null for anything else. Whatever exceeds ±10^40 comes as ±10^40.
 */
export function parseWholeNumber(text: string): WholeNumber | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const isNegative = sign === "-";
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return { floor: 0n, isWhole: true };
  /** How many of the digits stand before the point; beyond the last digit there are zeros. */
  const point = digits.length - fraction.length + Number(exponent);
  if (point > DIGITS_MAX)
    return { floor: (isNegative ? -1n : 1n) * 10n ** BigInt(DIGITS_MAX), isWhole: true };
  const magnitude = point <= 0 ? 0n : BigInt(digits.slice(0, point).padEnd(point, "0"));
  const isWhole = point > 0 ? /^0*$/.test(digits.slice(point)) : false;
  if (!isNegative) return { floor: magnitude, isWhole };
  return { floor: isWhole ? -magnitude : -magnitude - 1n, isWhole };
}
