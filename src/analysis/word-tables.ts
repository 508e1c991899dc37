import type { NormalForm } from "./normalized-text.js";
import { lowerCased } from "./unicode/lower-cased.js";
import { TOKEN_CLASS } from "./unicode/token-class.js";
import { astralTokenClass } from "./unicode/token-classes.js";
import type { WordRules } from "./word-rules.js";

/**
 * How words are cut out of UTF-8 byte by byte. Texts of code points that these tables know need no
 * normalizing, and their words are what `readWords` sends: a letter's case depends on nothing beside it.
 */
export interface WordTables {
  /** By code point below U+0800: its small letter, which takes as many bytes; 0: it separates words; 0xfffe: ss; `UNKNOWN_LETTER`. */
  readonly letters: Uint16Array;
  /** Bits of the code points of `SYMBOL_RANGES` that separate words, one range after the other; the others aren't known. */
  readonly symbols: Uint8Array;
}

/** Words read byte by byte, as an analyzer reads them. */
export interface WordReading {
  /** Whether the 's after a word belongs to it. */
  readonly joinsPossessives: boolean;
  readonly create: () => WordTables;
}

export const UNKNOWN_LETTER = 0xffff;

/** Two letters, s and s, that take as many bytes as the one. */
const DOUBLE_S = 0xfffe;

/** Punctuation and symbols of all kinds; pictures. Starts and ends, multiples of 8. */
const SYMBOL_RANGES: readonly (readonly [number, number])[] = [
  [0x2000, 0x2c00],
  [0x1_f000, 0x1_fc00],
];

const LETTERS_END = 0x800;
const ASCII_END = 0x80;
const MARK = /^\p{M}$/u;

/** The tables of Unicode's casing, for texts of the form and words of the rules. */
export function createWordTables(form: NormalForm, rules: WordRules): WordTables {
  const letters = new Uint16Array(LETTERS_END);
  for (let codePoint = ASCII_END; codePoint < LETTERS_END; codePoint++)
    letters[codePoint] = letterOf(codePoint, form, rules);
  const symbols: number[] = [];
  for (const [start, end] of SYMBOL_RANGES) {
    for (let codePoint = start; codePoint < end; codePoint++)
      symbols.push(isSeparator(codePoint, form, rules) ? 1 : 0);
  }
  const bits = new Uint8Array(symbols.length / 8);
  symbols.forEach((bit, i) => {
    bits[i >>> 3]! |= bit << (i & 7);
  });
  return { letters, symbols: bits };
}

function letterOf(codePoint: number, form: NormalForm, rules: WordRules): number {
  const letter = String.fromCodePoint(codePoint);
  if (isSeparator(codePoint, form, rules)) return 0;
  if (form.of(letter) === "ss") return DOUBLE_S;
  if (rules.classes[codePoint] !== TOKEN_CLASS.WORD || !isSettled(letter, form)) return UNKNOWN_LETTER;
  const small = lowerCased(letter);
  const unit = small.charCodeAt(0);
  return small.length === 1 && unit >= ASCII_END && unit < LETTERS_END ? unit : UNKNOWN_LETTER;
}

function isSeparator(codePoint: number, form: NormalForm, rules: WordRules): boolean {
  const isAstral = codePoint > 0xffff;
  const tokenClass = isAstral ? astralTokenClass(codePoint) : rules.classes[codePoint];
  const separates =
    tokenClass === TOKEN_CLASS.SEPARATOR ||
    (isAstral && tokenClass === TOKEN_CLASS.PICTURE && !rules.hasPictures);
  return separates && isSettled(String.fromCodePoint(codePoint), form);
}

/** Whether normalizing leaves the character as it is beside others of which that is true. */
function isSettled(character: string, form: NormalForm): boolean {
  return !MARK.test(character) && form.of(character) === character;
}
