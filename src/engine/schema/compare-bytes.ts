/** Sign of the unsigned lexicographic order of two byte strings; a prefix comes first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const difference = left[i]! - right[i]!;
    if (difference !== 0) return difference < 0 ? -1 : 1;
  }
  return Math.sign(left.length - right.length);
}
