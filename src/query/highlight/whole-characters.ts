/** A mark that belongs to the character before it, or a picture's skin tone. */
const BELONGS_BEFORE = /\p{M}|\p{Emoji_Modifier}/uy;

/** Where what people take for one character ends that goes on at a place of a text, if one does; UTF-16 offsets. */
export function wholeEnd(text: string, end: number): number {
  let at = end;
  while (belongsBefore(text, at)) at = BELONGS_BEFORE.lastIndex;
  return at;
}

/** Where the character begins that a place of a text is within, if it is; not before `least`. */
export function wholeStart(text: string, start: number, least: number): number {
  let at = start;
  while (at > least && belongsBefore(text, at)) at -= isLowHalf(text.charCodeAt(at - 1)) ? 2 : 1;
  return Math.max(at, least);
}

function belongsBefore(text: string, at: number): boolean {
  BELONGS_BEFORE.lastIndex = at;
  return BELONGS_BEFORE.test(text);
}

function isLowHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
