/**
 * Place of the first number at or after one among ascending numbers, from a place on: in leaps, which takes steps with
 * the logarithm of how far it is.
 */
export function firstAtOrAfter(numbers: Uint32Array, from: number, wanted: number): number {
  const { length } = numbers;
  if (from >= length || numbers[from]! >= wanted) return from;
  let low = from;
  let step = 1;
  while (low + step < length && numbers[low + step]! < wanted) {
    low += step;
    step <<= 1;
  }
  let high = Math.min(low + step, length);
  low++;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
