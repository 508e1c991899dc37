/**
 * Orders byte ranges as unsigned bytes, shorter first where one is a prefix of the other. On UTF-8
 * that is the order of code points (but not of UTF-16 units). Below 0, 0 or above 0.
 */
export function compareTerms(
  a: Uint8Array,
  aStart: number,
  aEnd: number,
  b: Uint8Array,
  bStart: number,
  bEnd: number,
): number {
  const aLength = aEnd - aStart;
  const bLength = bEnd - bStart;
  const shared = aLength < bLength ? aLength : bLength;
  for (let i = 0; i < shared; i++) {
    const difference = a[aStart + i]! - b[bStart + i]!;
    if (difference !== 0) return difference;
  }
  return aLength - bLength;
}
