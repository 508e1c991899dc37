import type { TokenSink } from "./analyzer.js";
import { withoutParticles } from "./korean-particles.js";
import { otherNasals } from "./nasal-spellings.js";
import { lowerCased } from "./unicode/lower-cased.js";
import { TOKEN_CLASS } from "./unicode/token-class.js";
import { astralTokenClass } from "./unicode/token-classes.js";
import type { WordRules } from "./word-rules.js";

/** Tokens longer than this in UTF-8 are dropped; they still take their position. */
export const TOKEN_BYTES_MAX = 255;

/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT_MAX = 3;

/** A longer run gives a token over the limit even if all of it composes when lower-cased. */
const WORD_LENGTH_MAX = 1024;

/**
 * Sends the tokens of a normalized text: maximal runs of letters, marks and numbers in lower case, with
 * the possessive 's, which is no part of the token but of what its offsets enclose; pictures one by one;
 * runs of scripts written without spaces cut into overlapping bigrams at consecutive positions (a
 * character with the marks of no script that follow it counts as one, a lone one stays a unigram).
 *
 * @param isStored whether what is only indexed is sent too: every character of such a run at the position of
 *   the bigram that begins with it, if the rules have it, and at that of its word a Korean noun and other spellings
 *   of nasals
 * @returns how many positions the text took
 */
export function tokenize(text: string, sink: TokenSink, rules: WordRules, isStored = false): number {
  const { classes } = rules;
  const length = text.length;
  let position = 0;
  let index = 0;
  while (index < length) {
    const start = index;
    let tokenClass = classes[text.charCodeAt(index)]!;
    if (tokenClass === TOKEN_CLASS.ASCII_PLAIN || tokenClass === TOKEN_CLASS.ASCII_UPPER) {
      let seen = 0;
      while (index < length) {
        tokenClass = classes[text.charCodeAt(index)]!;
        if (tokenClass !== TOKEN_CLASS.ASCII_PLAIN && tokenClass !== TOKEN_CLASS.ASCII_UPPER) break;
        seen |= tokenClass;
        index++;
      }
      // A separator of the BMP ends the token here; anything else may go on with it.
      if (
        index === length ||
        (tokenClass === TOKEN_CLASS.SEPARATOR && !isSurrogate(text.charCodeAt(index)))
      ) {
        const end = possessiveEnd(text, index, rules);
        if (index - start <= TOKEN_BYTES_MAX) {
          const slice = text.slice(start, index);
          const token = (seen & TOKEN_CLASS.ASCII_UPPER) === 0 ? slice : slice.toLowerCase();
          sink.token(token, position, start, end, token);
        }
        position++;
        index = end === index ? index + 1 : end;
        continue;
      }
      index = start;
    }
    index = itemEnd(text, start, rules);
    position = sendItem(text, start, index, position, sink, rules, isStored);
    index = afterItem(text, start, index, rules);
  }
  return position;
}

/** Where the separator, the word, the picture or the run of a script without spaces ends that starts at `start`. */
export function itemEnd(text: string, start: number, rules: WordRules): number {
  const tokenClass = classAt(text, start, rules);
  if (tokenClass === TOKEN_CLASS.SEPARATOR) return start + unitLengthAt(text, start);
  if (tokenClass === TOKEN_CLASS.PICTURE) return pictureEnd(text, start);
  return isWordClass(tokenClass) ? wordEnd(text, start, rules) : bigramRunEnd(text, start, tokenClass, rules);
}

/** Sends the tokens of what `itemEnd` has found; returns the position after them. */
export function sendItem(
  text: string,
  start: number,
  end: number,
  position: number,
  sink: TokenSink,
  rules: WordRules,
  isStored: boolean,
): number {
  const tokenClass = classAt(text, start, rules);
  if (tokenClass === TOKEN_CLASS.SEPARATOR) return position;
  if (isWordClass(tokenClass)) {
    if (rules.symbols !== "" && isOfSymbols(text, start, end, rules)) return position;
    const markedEnd = possessiveEnd(text, end, rules);
    sendWord(text, { start, end, markedEnd }, position, sink, isStored ? rules : null);
    return position + 1;
  }
  if (tokenClass === TOKEN_CLASS.PICTURE) {
    send(text, start, end, position, sink);
    return position + 1;
  }
  return sendBigrams(text, start, end, position, sink, rules, isStored && rules.hasSingles);
}

/**
 * Where the possessive 's ends that follows a word, in English names all over the world; the word's own
 * end if none does. What begins with it belongs to no word.
 *
 * @param end of the word
 */
export function possessiveEnd(text: string, end: number, rules: WordRules): number {
  if (!rules.joinsPossessives || !isApostrophe(text.charCodeAt(end))) return end;
  const letter = text.charCodeAt(end + 1);
  if (letter !== SMALL_S && letter !== CAPITAL_S) return end;
  const isLast = end + 2 >= text.length || !goesOn(classAt(text, end + 2, rules));
  return isLast ? end + 2 : end;
}

/** Where what follows an item begins that `itemEnd` has found: behind the possessive 's of a word. */
export function afterItem(text: string, start: number, end: number, rules: WordRules): number {
  return goesOn(classAt(text, start, rules)) ? possessiveEnd(text, end, rules) : end;
}

/** Whether what has the class would make one word with letters before it. */
function goesOn(tokenClass: number): boolean {
  return tokenClass !== TOKEN_CLASS.SEPARATOR && isWordClass(tokenClass);
}

const SMALL_S = 0x73;
const CAPITAL_S = 0x53;

/** ' ` ´ ’ ‘; the letters among apostrophes are ' in a normalized text. */
function isApostrophe(unit: number): boolean {
  return unit === 0x27 || unit === 0x60 || unit === 0xb4 || unit === 0x2019 || unit === 0x2018;
}

/** Letters, marks and numbers, and what separates them, but no script without spaces and no picture. */
function isWordClass(tokenClass: number): boolean {
  return tokenClass < TOKEN_CLASS.EAST_ASIAN;
}

/** Whether all of a word are signs that only the index's setting makes letters of: then it is none. */
function isOfSymbols(text: string, start: number, end: number, { symbols }: WordRules): boolean {
  for (let i = start; i < end; i++) if (!symbols.includes(text.charAt(i))) return false;
  return true;
}

function sendWord(
  text: string,
  { start, end, markedEnd }: { readonly start: number; readonly end: number; readonly markedEnd: number },
  position: number,
  sink: TokenSink,
  /** What is sent beside the word; null: nothing. */
  rules: WordRules | null,
): void {
  if (end - start > WORD_LENGTH_MAX) return;
  const token = lowerCased(text.slice(start, end));
  if (!fits(token)) return;
  if (rules?.stripsParticles === true) {
    for (const noun of withoutParticles(token)) sink.token(noun, position, start, markedEnd, noun);
  }
  if (rules?.spellsNasals === true) {
    for (const other of otherNasals(token).filter(fits)) sink.token(other, position, start, markedEnd, other);
  }
  sink.token(token, position, start, markedEnd, token);
}

/** Returns the position after the last bigram, or after the last single. */
function sendBigrams(
  text: string,
  start: number,
  end: number,
  position: number,
  sink: TokenSink,
  rules: WordRules,
  withSingles: boolean,
): number {
  let first = start;
  let second = characterEnd(text, first, rules);
  if (second >= end) {
    send(text, first, end, position, sink);
    return position + 1;
  }
  while (second < end) {
    const after = characterEnd(text, second, rules);
    if (withSingles) send(text, first, second, position, sink);
    send(text, first, after, position, sink);
    position++;
    first = second;
    second = after;
  }
  if (withSingles) send(text, first, end, position, sink);
  return rules.hasSingles ? position + 1 : position;
}

function send(text: string, start: number, end: number, position: number, sink: TokenSink): void {
  const token = text.slice(start, end);
  if (fits(token)) sink.token(token, position, start, end, token);
}

function wordEnd(text: string, start: number, rules: WordRules): number {
  let index = start;
  while (index < text.length && goesOn(classAt(text, index, rules))) index += unitLengthAt(text, index);
  return index;
}

function bigramRunEnd(text: string, start: number, runClass: number, rules: WordRules): number {
  let index = start;
  while (index < text.length) {
    const tokenClass = classAt(text, index, rules);
    if (tokenClass !== runClass && tokenClass !== TOKEN_CLASS.EXTEND) break;
    index += unitLengthAt(text, index);
  }
  return index;
}

/** Two halves of a flag are one picture. */
function pictureEnd(text: string, start: number): number {
  const end = start + unitLengthAt(text, start);
  return isRegion(text, start) && isRegion(text, end) ? end + 2 : end;
}

function isRegion(text: string, index: number): boolean {
  const codePoint = text.codePointAt(index);
  return codePoint !== undefined && codePoint >= 0x1_f1e6 && codePoint <= 0x1_f1ff;
}

/** Where the character that starts at `start` ends, with the marks that extend it. */
function characterEnd(text: string, start: number, rules: WordRules): number {
  let index = start + unitLengthAt(text, start);
  while (index < text.length && classAt(text, index, rules) === TOKEN_CLASS.EXTEND)
    index += unitLengthAt(text, index);
  return index;
}

/** The class of the code point at the index; a lone surrogate is a separator. */
function classAt(text: string, index: number, rules: WordRules): number {
  const unit = text.charCodeAt(index);
  if (!isSurrogate(unit)) return rules.classes[unit]!;
  const codePoint = text.codePointAt(index)!;
  if (codePoint <= 0xffff) return TOKEN_CLASS.SEPARATOR;
  const tokenClass = astralTokenClass(codePoint);
  return tokenClass === TOKEN_CLASS.PICTURE && !rules.hasPictures ? TOKEN_CLASS.SEPARATOR : tokenClass;
}

function unitLengthAt(text: string, index: number): number {
  return isSurrogate(text.charCodeAt(index)) && text.codePointAt(index)! > 0xffff ? 2 : 1;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

function fits(token: string): boolean {
  return token.length * BYTES_PER_UNIT_MAX <= TOKEN_BYTES_MAX || utf8Length(token) <= TOKEN_BYTES_MAX;
}

/** Bytes of a text without lone surrogates. */
function utf8Length(text: string): number {
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Each half of a surrogate pair stands for two of its four bytes.
    bytes += unit < 0x80 ? 1 : unit < 0x800 || isSurrogate(unit) ? 2 : BYTES_PER_UNIT_MAX;
  }
  return bytes;
}
