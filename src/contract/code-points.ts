/** Order of two texts by code points, which is not that of JavaScript's own comparison beyond U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    // Where only the second halves of two pairs differ, they are in the order of the pairs.
    if (left.charCodeAt(i) !== right.charCodeAt(i)) return left.codePointAt(i)! - right.codePointAt(i)!;
  }
  return left.length - right.length;
}

/** Whether the text has more code points than that; reads no further than needed to tell. */
export function hasMoreCodePoints(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  if (text.length > limit * 2) return true;
  let count = 0;
  for (const _ of text) {
    if (++count > limit) return true;
  }
  return false;
}
