/** Levels of arrays and objects that a request's JSON may have: more would overflow the stack when it is written out again. */
export const JSON_DEPTH_MAX = 512;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON has more levels of arrays and objects than requests may have; doesn't recurse. Whether it is JSON isn't asked. */
export function isNestedTooDeep(json: string): boolean {
  // Shorter JSON can't be.
  if (json.length <= 2 * JSON_DEPTH_MAX) return false;
  let depth = 0;
  for (let at = 0; at < json.length; at++) {
    switch (json.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(json, at);
        break;
      case 0x5b:
      case 0x7b:
        if (++depth > JSON_DEPTH_MAX) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
    }
  }
  return false;
}

/** Where a string's closing quote is, or the text ends. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json.charCodeAt(at) !== QUOTE) at += json.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}
