import type { JsonScan } from "./scan-json.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const ASCII_MAX = 0x7f;

/**
 * What `scanJson` finds in a short text, as most requests are: all ASCII, nothing escaped by its number, and too short
 * to go beyond any bound but that of depth. Long integers aren't looked for, as no query has any.
 *
 * @returns null where the text isn't like that
 */
export function scanPlainJson(text: string, depthMax: number): JsonScan | null {
  let depth = 0;
  let valueCount = 1;
  let memberCount = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code > ASCII_MAX) return null;
    if (code === BACKSLASH) {
      const escaped = text.charCodeAt(++i);
      if (!isInString || escaped === LETTER_U || escaped > ASCII_MAX) return null;
    } else if (code === QUOTE) isInString = !isInString;
    else if (isInString) continue;
    else if (code === COLON) memberCount++;
    else if (code === COMMA) valueCount++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      valueCount++;
      if (++depth > depthMax) return null;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  const hasLongIntegers = false;
  return { problem: null, offset: text.length, memberCount, valueCount, hasLongIntegers, cuts: [] };
}
