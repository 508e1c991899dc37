/** From here on JavaScript writes a number with an exponent, which nobody takes for the digits of an id. */
const EXPONENT_FROM = 1e21;

/**
 * Whether a number that was read from JSON is, as text, still the one that was sent: integers beyond ±(2^53−1) have lost
 * their last digits on the way, so that one id would stand for many, and `1e400` became infinite. Fractions and numbers
 * with an exponent are as near as a double comes.
 */
export function isExactNumber(number: number): boolean {
  if (!Number.isInteger(number)) return Number.isFinite(number);
  return Number.isSafeInteger(number) || Math.abs(number) >= EXPONENT_FROM;
}
