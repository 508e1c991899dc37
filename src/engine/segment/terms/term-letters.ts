import { GrowableU32 } from "./growable-u32.js";
import { utf8CodePoint, utf8Length } from "./utf8-code-points.js";

/** Labels are u16, 0 means "term ends here" and sorting needs the highest number free. */
const ALPHABET_MAX = 65_534;
/** Depths are u8. */
const TERM_LENGTH_MAX = 255;

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
  const termCount = offsets.length - 1;
  const starts = new Uint32Array(termCount + 1);
  let letterCount = 0;
  let highest = 0;
  for (let term = 0; term < termCount; term++) {
    starts[term] = letterCount;
    for (let at = offsets[term]!; at < offsets[term + 1]!; at += utf8Length(bytes[at]!)) {
      const codePoint = utf8CodePoint(bytes, at);
      if (codePoint > highest) highest = codePoint;
      letterCount++;
    }
    if (letterCount - starts[term]! > TERM_LENGTH_MAX) return null;
  }
  starts[termCount] = letterCount;

  const letterOf = new Uint16Array(highest + 1);
  for (let at = 0; at < bytes.length; at += utf8Length(bytes[at]!)) letterOf[utf8CodePoint(bytes, at)] = 1;
  const alphabet = new GrowableU32();
  for (let codePoint = 0; codePoint <= highest; codePoint++) {
    if (letterOf[codePoint] === 0) continue;
    alphabet.push(codePoint);
    letterOf[codePoint] = alphabet.length;
  }
  if (alphabet.length > ALPHABET_MAX) return null;

  const letters = new Uint16Array(letterCount);
  let letter = 0;
  for (let at = 0; at < bytes.length; at += utf8Length(bytes[at]!)) {
    letters[letter++] = letterOf[utf8CodePoint(bytes, at)]!;
  }
  return { alphabet: alphabet.toSection(), letters, starts };
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
