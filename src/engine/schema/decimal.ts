/**
 * A decimal number, exact however long: `0.digits × 10^exponent`, negated if `negative`. `digits` has
 * no zero at either end; zero is no digits at all.
 */
export interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/;

/** No text is long enough to bring an exponent beyond this back into any range that matters. */
const EXPONENT_LIMIT = 2 ** 50;

/** Significant decimal digits that tell any finite f64 from every other number: the longest has 767. */
const F64_DIGITS = 800;

/** Reads a decimal number such as `-12.50`, `.5` or `1e30`; null if the text is none. */
export function parseDecimal(text: string): Decimal | null {
  const match = DECIMAL.exec(text);
  if (match === null) return null;
  const whole = match[2]!;
  const all = whole + (match[3] ?? "");
  if (all === "") return null;
  let start = 0;
  while (start < all.length && all.charCodeAt(start) === 0x30) start++;
  let end = all.length;
  while (end > start && all.charCodeAt(end - 1) === 0x30) end--;
  if (start === end) return { negative: false, digits: "", exponent: 0 };
  const power = Math.max(-EXPONENT_LIMIT, Math.min(EXPONENT_LIMIT, Number(match[4] ?? 0)));
  return {
    negative: match[1] === "-",
    digits: all.slice(start, end),
    exponent: whole.length - start + power,
  };
}

/**
 * Greatest integer at or below the number, and whether the number itself is greater; ±Infinity for
 * numbers of more than `digitsMax` digits.
 */
export function floorOfDecimal(
  decimal: Decimal,
  digitsMax: number,
): { readonly floor: bigint | number; readonly exact: boolean } {
  const { negative, digits, exponent } = decimal;
  if (digits !== "" && exponent > digitsMax) {
    return { floor: negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY, exact: false };
  }
  const magnitude = exponent <= 0 ? 0n : BigInt(digits.slice(0, exponent).padEnd(exponent, "0"));
  const exact = digits.length <= Math.max(0, exponent);
  if (!negative) return { floor: magnitude, exact };
  return { floor: exact ? -magnitude : -magnitude - 1n, exact };
}

/** Sign of `decimal - value`, exactly; `value` is finite. */
export function compareDecimalToF64(decimal: Decimal, value: number): number {
  const sign = decimal.digits === "" ? 0 : decimal.negative ? -1 : 1;
  if (sign !== Math.sign(value)) return sign < Math.sign(value) ? -1 : 1;
  if (sign === 0) return 0;
  // More than one power of ten apart from the value's own magnitude: no need for the digits.
  const magnitude = Math.abs(value);
  if (decimal.exponent > 310) return sign;
  if (decimal.exponent < -325) return -sign;
  // Digits beyond any f64's own can't reach the next number that an f64 might be; they only break a tie.
  const digits = decimal.digits.slice(0, F64_DIGITS);
  const { significand, exponent } = partsOfF64(magnitude);
  let left = BigInt(digits);
  let right = significand;
  const power = decimal.exponent - digits.length;
  if (power >= 0) left *= 10n ** BigInt(power);
  else right *= 10n ** BigInt(-power);
  if (exponent >= 0) right <<= BigInt(exponent);
  else left <<= BigInt(-exponent);
  if (left !== right) return left > right ? sign : -sign;
  return decimal.digits.length > F64_DIGITS ? sign : 0;
}

/** A positive finite f64 as `significand × 2^exponent`. */
function partsOfF64(value: number): { readonly significand: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number(bits >> 52n) & 0x7ff;
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  if (biased === 0) return { significand: fraction, exponent: -1074 };
  return { significand: fraction | 0x10_0000_0000_0000n, exponent: biased - 1075 };
}
