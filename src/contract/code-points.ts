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
