import { querySyntaxError } from "./query-syntax-error.js";
import { Quotes } from "./quotes.js";
import type { SyntaxText } from "./syntax-tree.js";

export type Keyword = "AND" | "OR" | "NOT";
const KEYWORDS: readonly Keyword[] = ["AND", "OR", "NOT"];

/** Where bare text may stand decides which characters belong to it (contract 5.5, rules 6, 10 and 11). */
export interface BareTextRules {
  /** Characters that end the text. */
  readonly stops: string;
  /** Whether a `*` ends the text and makes it a prefix; otherwise it is a character like any other. */
  readonly starIsPrefix: boolean;
  /** Whether `^` before a number ends the text. */
  readonly boostStops: boolean;
}

export const WORD_RULES: BareTextRules = { stops: ':{}"[]()', starIsPrefix: true, boostStops: true };
/** A word on a datetime field: instants are written with colons. */
export const DATETIME_WORD_RULES: BareTextRules = { stops: '{}"[]()', starIsPrefix: true, boostStops: true };
export const COMPARED_RULES: BareTextRules = { stops: '{}"[]()', starIsPrefix: false, boostStops: true };
/** Set items and range bounds. */
export const ITEM_RULES: BareTextRules = { stops: '{}"[]()', starIsPrefix: false, boostStops: false };
/** Set items of fields whose values hold no comma. */
export const LISTED_ITEM_RULES: BareTextRules = { stops: ',{}"[]()', starIsPrefix: false, boostStops: false };

/** More positions than a value has, so that a longer distance means no more. */
const SLOP_MAX = 1_000_000;

const QUOTE = /["'\u2018\u2019\u201c-\u201e]/;

/** Beyond ASCII. */
const WIDE_SPACE = /\s/;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const CLOSING_PARENTHESIS = 0x29;
const LETTER_A = 0x41;
const LETTER_N = 0x4e;
const LETTER_O = 0x4f;
const BACKSLASH = 0x5c;
const CARET = 0x5e;
const TILDE = 0x7e;
const ASCII_MAX = 0x7f;
const BOOST = /\^(\d+(?:\.\d+)?|\.\d+)(?=[\s)"]|$)/y;
const SLOP = /~(\d+)(?=[\s)\]},"^]|$)/y;

/**
 * Reads the parts of a query string from left to right. What a character means depends on where it
 * stands, so the parser asks for the kind of part that may come next instead of getting tokens.
 */
export class Lexer {
  readonly text: string;
  readonly #quotes: Quotes | null;
  /** Offset of the next code unit. */
  index = 0;
  #countedIndex = 0;
  #countedPosition = 1;

  /** @param hasLiteralQuote whether one of the double quotes means itself: there is an odd number of them */
  constructor(text: string, hasLiteralQuote = false) {
    this.text = text;
    this.#quotes = QUOTE.test(text) ? new Quotes(text, hasLiteralQuote) : null;
  }

  isAtEnd(): boolean {
    return this.index >= this.text.length;
  }

  /** The next code unit as text; empty at the end. */
  peek(): string {
    return this.text.charAt(this.index);
  }

  /** Whether a phrase comes next, where one may stand. */
  isAtPhrase(): boolean {
    return this.#quotes?.opensAt(this.index) === true;
  }

  /** Whether a phrase in double quotes comes next, which needs no white space before it. */
  isAtDoubleQuote(): boolean {
    return this.#quotes?.opensInWord(this.index) === true;
  }

  /** Takes the text if it comes next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.index)) return false;
    this.index += expected.length;
    return true;
  }

  /** Returns whether there was white space. */
  skipSpace(): boolean {
    const start = this.index;
    while (isSpace(this.text.charCodeAt(this.index))) this.index++;
    return this.index > start;
  }

  /** Skips white space and every lone `-` and `+`; returns whether something was skipped. */
  skipSpaceAndLoneSigns(): boolean {
    const start = this.index;
    for (;;) {
      this.skipSpace();
      const sign = this.peek();
      if ((sign !== "-" && sign !== "+") || !this.isSpaceOrEndAt(this.index + 1)) break;
      this.index++;
    }
    return this.index > start;
  }

  /** The keyword that comes next, without taking it. */
  peekKeyword(): Keyword | null {
    const code = this.text.charCodeAt(this.index);
    if (code !== LETTER_A && code !== LETTER_O && code !== LETTER_N) return null;
    for (const keyword of KEYWORDS) {
      if (!this.text.startsWith(keyword, this.index)) continue;
      const end = this.index + keyword.length;
      if (
        this.isSpaceOrEndAt(end) ||
        WORD_RULES.stops.includes(this.text.charAt(end)) ||
        this.#quotes?.opensInWord(end) === true ||
        this.#isBoostAt(end)
      ) {
        return keyword;
      }
    }
    return null;
  }

  /** Code points from 1; amortized linear, since questions go from left to right. */
  positionAt(index: number): number {
    while (this.#countedIndex < index) {
      this.#countedIndex += this.text.codePointAt(this.#countedIndex)! > 0xffff ? 2 : 1;
      this.#countedPosition++;
    }
    while (this.#countedIndex > index) {
      this.#countedIndex--;
      if (this.text.codePointAt(this.#countedIndex - 1)! > 0xffff) this.#countedIndex--;
      this.#countedPosition--;
    }
    return this.#countedPosition;
  }

  position(): number {
    return this.positionAt(this.index);
  }

  /**
   * Takes bare text that starts with none of the characters that stand alone and returns it without escapes; empty text if none comes next.
   * @throws FindlingError `query_syntax` for a backslash at the end and a `*` inside a word
   */
  takeBareText(rules: BareTextRules): SyntaxText {
    const position = this.position();
    let text = "";
    let isPrefix = false;
    for (;;) {
      const plain = this.#takePlain();
      if (plain !== "") text += plain;
      if (this.isAtEnd() || isPrefix) break;
      if (isSpace(this.text.charCodeAt(this.index))) break;
      const character = this.peek();
      if (rules.stops.includes(character) || this.isAtDoubleQuote()) break;
      if (rules.boostStops && this.#isBoostAt(this.index)) break;
      if (character === "\\") {
        text += this.#takeEscaped();
      } else if (character === "*" && rules.starIsPrefix) {
        this.index++;
        isPrefix = true;
        this.#expectEndOfWord();
      } else {
        text += character;
        this.index++;
      }
    }
    return { text, position, isQuoted: false, slop: 0, isPrefix };
  }

  /** Takes a phrase; one comes next. @throws FindlingError `query_syntax` if it has no end */
  takePhrase(): SyntaxText {
    const position = this.position();
    const quote = this.peek();
    const end = this.#quotes?.closing(this.index) ?? -1;
    this.index++;
    let text = this.#takeUpTo(end);
    while (this.index !== end) {
      if (this.isAtEnd()) {
        throw querySyntaxError(position, `the quote ${quote} is not closed; close it or write \\${quote}`);
      }
      text += this.#takeEscaped() + this.#takeUpTo(end);
    }
    this.index++;
    const slop = this.text.charCodeAt(this.index) === TILDE ? this.#takeMatch(SLOP) : null;
    const isPrefix = slop === null && this.take("*");
    return { text, position, isQuoted: true, slop: Math.min(Number(slop ?? 0), SLOP_MAX), isPrefix };
  }

  /** Takes `^` and the number after it; null if there is none. */
  takeBoost(): number | null {
    if (this.text.charCodeAt(this.index) !== CARET) return null;
    const position = this.position();
    const digits = this.#takeMatch(BOOST);
    if (digits === null) return null;
    const factor = Number(digits);
    if (!Number.isFinite(factor)) throw querySyntaxError(position, "the number after ^ is too large");
    return factor;
  }

  isSpaceOrEndAt(index: number): boolean {
    const code = this.text.charCodeAt(index);
    return index >= this.text.length || code === CLOSING_PARENTHESIS || isSpace(code);
  }

  /** @throws FindlingError `query_syntax` unless a `*` just taken ends its word */
  #expectEndOfWord(): void {
    const next = this.peek();
    if (this.isSpaceOrEndAt(this.index) || next === '"' || this.#isBoostAt(this.index)) return;
    throw querySyntaxError(
      this.positionAt(this.index - 1),
      "* is allowed only at the end of a word or alone; write \\* for the character",
    );
  }

  /** @throws FindlingError `query_syntax` if nothing follows the backslash */
  #takeEscaped(): string {
    const position = this.position();
    const codePoint = this.text.codePointAt(this.index + 1);
    if (codePoint === undefined) {
      throw querySyntaxError(
        position,
        "expected a character after the backslash; write \\\\ for a backslash",
      );
    }
    const escaped = String.fromCodePoint(codePoint);
    this.index += 1 + escaped.length;
    return escaped;
  }

  /** Characters that mean nothing but themselves wherever text may stand. */
  #takePlain(): string {
    const start = this.index;
    while (this.index < this.text.length && isPlain(this.text.charCodeAt(this.index))) this.index++;
    return start === this.index ? "" : this.text.slice(start, this.index);
  }

  /** The part of a phrase before its end, an escape or the end of the query. @param end −1 for none */
  #takeUpTo(end: number): string {
    const start = this.index;
    for (; this.index < this.text.length && this.index !== end; this.index++) {
      if (this.text.charCodeAt(this.index) === BACKSLASH) break;
    }
    return this.text.slice(start, this.index);
  }

  #isBoostAt(index: number): boolean {
    if (this.text.charCodeAt(index) !== CARET) return false;
    BOOST.lastIndex = index;
    return BOOST.test(this.text);
  }

  #takeMatch(pattern: RegExp): string | null {
    pattern.lastIndex = this.index;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    this.index += match[0].length;
    return match[1]!;
  }
}

/** @param code not a number at the end */
function isSpace(code: number): boolean {
  if (code <= ASCII_MAX) return code === SPACE || (code >= TAB && code <= CARRIAGE_RETURN);
  return code > ASCII_MAX && WIDE_SPACE.test(String.fromCharCode(code));
}

/** ASCII letters and digits. */
function isPlain(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39);
}
