/**
 * Whether a number that was read from JSON is, as text, still the one that was sent: integers beyond ±(2^53−1) have lost
 * their last digits on the way, so that one id would stand for many, and `1e400` became infinite. Whether such an integer
 * was sent with an exponent isn't known any more. Fractions are as near as a double comes.
 */
export function isExactNumber(number: number): boolean {
  return Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
}
