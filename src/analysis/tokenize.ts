import type { TokenSink } from "./analyzer.js";
import { lowerCased } from "./unicode/lower-cased.js";
import { TOKEN_CLASS } from "./unicode/token-class.js";
import { astralTokenClass, BMP_TOKEN_CLASSES } from "./unicode/token-classes.js";

/** Tokens longer than this in UTF-8 are dropped; they still take their position. */
export const TOKEN_BYTES_MAX = 255;

/** UTF-8 needs at most three bytes for a UTF-16 code unit. */
const BYTES_PER_UNIT_MAX = 3;

/** A longer run gives a token over the limit even if all of it composes when lower-cased. */
const WORD_LENGTH_MAX = 1024;

/**
 * Sends the tokens of a text in NFC: maximal runs of letters, marks and numbers in lower case; runs of
 * scripts written without spaces are cut into overlapping bigrams at consecutive positions (a character
 * with the marks of no script that follow it counts as one, a lone one stays a unigram).
 *
 * @returns how many positions the text took
 */
export function tokenize(text: string, sink: TokenSink): number {
  const classes = BMP_TOKEN_CLASSES;
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
        if (index - start <= TOKEN_BYTES_MAX) {
          const slice = text.slice(start, index);
          const token = (seen & TOKEN_CLASS.ASCII_UPPER) === 0 ? slice : slice.toLowerCase();
          sink.token(token, position, start, index, token);
        }
        position++;
        index++;
        continue;
      }
      index = start;
    }
    index = itemEnd(text, start);
    position = sendItem(text, start, index, position, sink);
  }
  return position;
}

/** Where the separator, the word or the run of a script without spaces ends that starts at `start`. */
export function itemEnd(text: string, start: number): number {
  const tokenClass = classAt(text, start);
  if (tokenClass === TOKEN_CLASS.SEPARATOR) return start + unitLengthAt(text, start);
  return tokenClass >= TOKEN_CLASS.EAST_ASIAN ? bigramRunEnd(text, start, tokenClass) : wordEnd(text, start);
}

/** Sends the tokens of what `itemEnd` has found; returns the position after them. */
export function sendItem(
  text: string,
  start: number,
  end: number,
  position: number,
  sink: TokenSink,
): number {
  const tokenClass = classAt(text, start);
  if (tokenClass === TOKEN_CLASS.SEPARATOR) return position;
  if (tokenClass >= TOKEN_CLASS.EAST_ASIAN) return sendBigrams(text, start, end, position, sink);
  sendWord(text, start, end, position, sink);
  return position + 1;
}

function sendWord(text: string, start: number, end: number, position: number, sink: TokenSink): void {
  if (end - start > WORD_LENGTH_MAX) return;
  const token = lowerCased(text.slice(start, end));
  if (fits(token)) sink.token(token, position, start, end, token);
}

/** Returns the position after the last bigram. */
function sendBigrams(text: string, start: number, end: number, position: number, sink: TokenSink): number {
  let first = start;
  let second = characterEnd(text, first);
  if (second >= end) {
    send(text, first, end, position, sink);
    return position + 1;
  }
  while (second < end) {
    const after = characterEnd(text, second);
    send(text, first, after, position, sink);
    position++;
    first = second;
    second = after;
  }
  return position;
}

function send(text: string, start: number, end: number, position: number, sink: TokenSink): void {
  const token = text.slice(start, end);
  if (fits(token)) sink.token(token, position, start, end, token);
}

function wordEnd(text: string, start: number): number {
  let index = start;
  while (index < text.length) {
    const tokenClass = classAt(text, index);
    if (tokenClass === TOKEN_CLASS.SEPARATOR || tokenClass >= TOKEN_CLASS.EAST_ASIAN) break;
    index += unitLengthAt(text, index);
  }
  return index;
}

function bigramRunEnd(text: string, start: number, runClass: number): number {
  let index = start;
  while (index < text.length) {
    const tokenClass = classAt(text, index);
    if (tokenClass !== runClass && tokenClass !== TOKEN_CLASS.EXTEND) break;
    index += unitLengthAt(text, index);
  }
  return index;
}

/** Where the character that starts at `start` ends, with the marks that extend it. */
function characterEnd(text: string, start: number): number {
  let index = start + unitLengthAt(text, start);
  while (index < text.length && classAt(text, index) === TOKEN_CLASS.EXTEND)
    index += unitLengthAt(text, index);
  return index;
}

/** The class of the code point at the index; a lone surrogate is a separator. */
function classAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (!isSurrogate(unit)) return BMP_TOKEN_CLASSES[unit]!;
  const codePoint = text.codePointAt(index)!;
  return codePoint > 0xffff ? astralTokenClass(codePoint) : TOKEN_CLASS.SEPARATOR;
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
