import { TOKEN_CLASS } from "./unicode/token-class.js";
import { astralTokenClass, BMP_TOKEN_CLASSES } from "./unicode/token-classes.js";

/** Words of more characters are not taken apart. */
const CHARACTERS_MAX = 32;
/** Characters of each half, unless a letter and a digit meet, or the half is a syllable. */
const HALF_MIN = 2;
/** Characters behind a single letter, as the `shirt` of `tshirt`. */
const REST_MIN = 3;

/** Letters of an abbreviation: words of more are hardly ever written with full stops. */
const ABBREVIATED_MAX = 4;

/** Parts of a code: what changes more often is a checksum or a key, and nothing that people part. */
const CODE_PARTS_MAX = 6;

const LETTER = /^[\p{Ll}\p{Lu}]\p{M}*$/u;
const MARK = /^\p{M}/u;
const NUMBER = /^\p{N}/u;
const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;

/** The two parts of a word, in order. */
export type Halves = readonly [string, string];

/**
 * Two words each that a word may have been written as, had there been a space or a hyphen in it: nowhere inside a
 * number, nor where one of the two would be a single letter, which only a first one may be that is no stopword (`t-shirt`).
 * A word of a script without spaces is not taken apart: its pieces are looked for anyway.
 *
 * @param word normalized
 */
export function wordHalves(word: string, isStopWord: (word: string) => boolean): Halves[] {
  const characters = charactersOf(word);
  const halves: Halves[] = [];
  if (characters === null || characters.length > CHARACTERS_MAX) return halves;
  let length = 0;
  for (let i = 1; i < characters.length; i++) {
    length += characters[i - 1]!.length;
    if (!mayPart(characters, i)) continue;
    const first = word.slice(0, length);
    if (!isWord(characters[i - 1]!, characters[i]!, i) && isStopWord(first)) continue;
    halves.push([first, word.slice(length)]);
  }
  return halves;
}

/**
 * The letters of a word that may be an abbreviation, as those of `usa` for `u.s.a.`; null for one that is none. Scripts
 * without capitals don't abbreviate so.
 *
 * @param word normalized
 */
export function lettersOf(word: string): readonly string[] | null {
  const characters = charactersOf(word);
  if (characters === null || characters.length < 2 || characters.length > ABBREVIATED_MAX) return null;
  return characters.every(isLetter) ? characters : null;
}

/**
 * The parts of a code in three and more, as `ab`, `1234` and `xy` of `ab1234xy` for "AB-1234-XY": letters and digits in
 * turns. Null for a word that is none; one in two parts is in two halves.
 *
 * @param word normalized
 */
export function codePartsOf(word: string): readonly string[] | null {
  const characters = charactersOf(word);
  if (characters === null || characters.length > CHARACTERS_MAX) return null;
  const parts: string[] = [];
  for (const [i, character] of characters.entries()) {
    if (i > 0 && NUMBER.test(character) === NUMBER.test(characters[i - 1]!))
      parts[parts.length - 1] += character;
    else parts.push(character);
  }
  return parts.length > 2 && parts.length <= CODE_PARTS_MAX ? parts : null;
}

/** Whether a word is a single letter of a script with capitals. */
export function isLetter(word: string): boolean {
  return LETTER.test(word);
}

/** Whether a word may be taken apart before a character of it. */
function mayPart(characters: readonly string[], at: number): boolean {
  const before = characters[at - 1]!;
  const after = characters[at]!;
  const rest = characters.length - at;
  if (NUMBER.test(before) || NUMBER.test(after)) return NUMBER.test(before) !== NUMBER.test(after);
  if (rest < HALF_MIN && !isSyllable(after)) return false;
  return at >= HALF_MIN || isSyllable(before) || rest >= REST_MIN;
}

/** Whether what stands before a cut is more than a letter. */
function isWord(before: string, after: string, at: number): boolean {
  return at >= HALF_MIN || isSyllable(before) || NUMBER.test(before) || NUMBER.test(after);
}

/** Characters with the marks on them; null for what is no word of letters and digits. */
export function charactersOf(word: string): string[] | null {
  const characters: string[] = [];
  for (const character of word) {
    const codePoint = character.codePointAt(0)!;
    const tokenClass = codePoint > 0xffff ? astralTokenClass(codePoint) : BMP_TOKEN_CLASSES[codePoint]!;
    if (tokenClass === TOKEN_CLASS.SEPARATOR || tokenClass >= TOKEN_CLASS.EAST_ASIAN) return null;
    if (characters.length > 0 && MARK.test(character)) characters[characters.length - 1] += character;
    else characters.push(character);
  }
  return characters;
}

function isSyllable(character: string): boolean {
  const codePoint = character.codePointAt(0)!;
  return codePoint >= FIRST_SYLLABLE && codePoint <= LAST_SYLLABLE;
}
