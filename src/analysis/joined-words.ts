import type { Token } from "./analyzer.js";

/** What joins an article or a pronoun to its word, and leaves it one. */
const APOSTROPHES = /^['\u2018\u2019\u02bc\uff07]+$/;

/** What ends names of languages and grades. */
const SIGNS: ReadonlySet<string> = new Set(["+", "#"]);

const HAS_WHITE_SPACE = /\s/;

/**
 * The words of a text that give several tokens, such as codes, addresses and compounds with hyphens:
 * each as the tokens between which there is no white space. Such a word is found whole by a phrase of
 * its tokens.
 */
export function joinedWords(tokens: readonly Token[], text: string): Token[][] {
  const words: Token[][] = [];
  let first = 0;
  for (let i = 1; i <= tokens.length; i++) {
    if (i < tokens.length && isOneWord(tokens[i - 1]!, tokens[i]!, text)) continue;
    if (i - first > 1) words.push(tokens.slice(first, i));
    first = i;
  }
  return words;
}

/**
 * Whether a token is part of a longer word: a sign follows it as in `C++`, or something that is neither
 * white space nor an apostrophe joins it to a token beside it, as in `IT-500`, unlike `l'été`.
 */
export function isJoined(tokens: readonly Token[], index: number, text: string): boolean {
  if (SIGNS.has(text.charAt(tokens[index]!.end))) return true;
  return isJoint(tokens[index - 1], tokens[index], text) || isJoint(tokens[index], tokens[index + 1], text);
}

function isJoint(before: Token | undefined, after: Token | undefined, text: string): boolean {
  if (before === undefined || after === undefined) return false;
  // Pieces of a script without spaces overlap or touch: nothing joins them.
  if (before.end >= after.start) return false;
  return isOneWord(before, after, text) && !APOSTROPHES.test(text.slice(before.end, after.start));
}

function isOneWord(before: Token, after: Token, text: string): boolean {
  return before.end >= after.start || !HAS_WHITE_SPACE.test(text.slice(before.end, after.start));
}
