import { GrowableU32 } from "../../bytes/growable-u32.js";
import { ALPHABET_MAX, TERM_LENGTH_MAX } from "../terms/spell-terms.js";
import { utf8CodePoint, utf8Length } from "../terms/utf8-code-points.js";

const CODE_POINTS = 0x11_0000;

/** A field's terms as strings over its own alphabet. */
export interface TermLetters {
  /** Distinct code points, ascending; letter n of a term stands for entry n - 1. */
  readonly alphabet: Uint32Array;
  /** All terms' letters, one term after the other. */
  readonly letters: Uint16Array;
  /** Term i is `letters[starts[i]]` up to, not including, `letters[starts[i + 1]]`. */
  readonly starts: Uint32Array;
}

/**
 * Spells terms, well-formed UTF-8 one after the other, in letters. Null if their alphabet has more
 * than 65,534 code points or one is longer than 255 code points, which tries can't hold.
 */
export function spellTerms(bytes: Uint8Array, offsets: Uint32Array): TermLetters | null {
  const { letterCount, letterOf } = countLetters(bytes);
  const alphabet = new GrowableU32();
  for (let codePoint = 0; codePoint < letterOf.length; codePoint++) {
    if (letterOf[codePoint] === 0) continue;
    alphabet.push(codePoint);
    if (alphabet.length > ALPHABET_MAX) return null;
    letterOf[codePoint] = alphabet.length;
  }

  const termCount = offsets.length - 1;
  const starts = new Uint32Array(termCount + 1);
  const letters = new Uint16Array(letterCount);
  let letter = 0;
  let at = 0;
  for (let term = 0; term < termCount; term++) {
    const start = letter;
    const end = offsets[term + 1]!;
    starts[term] = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (byte < 0x80) {
        letters[letter++] = letterOf[byte]!;
        at++;
      } else {
        letters[letter++] = letterOf[utf8CodePoint(bytes, at)]!;
        at += utf8Length(byte);
      }
    }
    if (letter - start > TERM_LENGTH_MAX) return null;
  }
  starts[termCount] = letter;
  return { alphabet: alphabet.toSection(), letters, starts };
}

/** How many code points there are, and by code point, up to the highest or beyond, 1 if it occurs. */
function countLetters(bytes: Uint8Array): { readonly letterCount: number; readonly letterOf: Uint16Array } {
  let occurs = new Uint16Array(0x80);
  let letterCount = 0;
  for (let at = 0; at < bytes.length; letterCount++) {
    const byte = bytes[at]!;
    if (byte < 0x80) {
      occurs[byte] = 1;
      at++;
      continue;
    }
    const codePoint = utf8CodePoint(bytes, at);
    if (codePoint >= occurs.length) {
      const longer = new Uint16Array(
        codePoint < 0x800 ? 0x800 : codePoint < 0x1_0000 ? 0x1_0000 : CODE_POINTS,
      );
      longer.set(occurs);
      occurs = longer;
    }
    occurs[codePoint] = 1;
    at += utf8Length(byte);
  }
  return { letterCount, letterOf: occurs };
}

/** Turns every term's letters round, in place. */
export function reverseTerms(letters: Uint16Array, starts: Uint32Array): void {
  for (let term = 0; term + 1 < starts.length; term++) {
    for (let low = starts[term]!, high = starts[term + 1]! - 1; low < high; low++, high--) {
      const letter = letters[low]!;
      letters[low] = letters[high]!;
      letters[high] = letter;
    }
  }
}
