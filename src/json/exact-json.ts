/**
 * JSON whose integers keep all their digits: those beyond ±(2^53−1) are `bigint`s, which `JSON.parse` would round and
 * `JSON.stringify` refuse. All else is as those two have it.
 */

/** Digits of the longest integer that is less than the greatest double: what has more is infinite, as ever. */
const DIGITS_MAX = 309;
/** Fewer digits are always exact. */
const DIGITS_MIN = 16;

/** Whether a text may hold a long integer outside of its strings; whoever finds one inside of a string reads in vain. */
const MAYBE_LONG = /(?:^|[[:,\s-])\d{16,}(?:[,\]}\s]|$)/;
const LONG_INTEGER = /^-?[1-9]\d*$/;

const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const LETTER_E = 0x65;

/** The character that marks integers while they are strings; JSON can only have it escaped. */
const MARK = "\u0001";
const ESCAPED_MARK = "\\u0001";

/**
 * The value of a JSON text.
 *
 * @throws SyntaxError as `JSON.parse` does
 */
export function readJson(text: string): unknown {
  return MAYBE_LONG.test(text) ? readExactJson(text) : (JSON.parse(text) as unknown);
}

/**
 * As `readJson`, for a text that is known to have a long integer, or likely to: it takes several times as long.
 *
 * @throws SyntaxError
 */
export function readExactJson(text: string): unknown {
  const integers = longIntegers(text);
  if (integers.length === 0) return JSON.parse(text) as unknown;
  const marks = marksIn(text) + 1;
  const opening = `"${ESCAPED_MARK.repeat(marks)}`;
  let marked = "";
  let end = 0;
  for (const { from, to } of integers) {
    marked += `${text.slice(end, from)}${opening}${text.slice(from, to)}"`;
    end = to;
  }
  let value: unknown;
  try {
    value = JSON.parse(marked + text.slice(end)) as unknown;
  } catch {
    // Which has the same mistake, at the place that the caller knows.
    return JSON.parse(text) as unknown;
  }
  return withIntegers(value, MARK.repeat(marks));
}

/**
 * A value as JSON text. `bigint`s are written as their digits, whatever they are.
 *
 * @param indent spaces by which each level is set off, in lines; 0: all in one line
 */
export function writeJson(value: unknown, indent = 0): string {
  try {
    return JSON.stringify(value, null, indent);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return marked(value, indent);
  }
}

/** Integers are strings with a mark that no other string begins with, until they are text. */
function marked(value: unknown, indent: number): string {
  const written = (textOf: (integer: bigint) => string): string =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? textOf(each) : each), indent);
  const marks = marksIn(written(() => "")) + 1;
  const text = written((integer) => `${MARK.repeat(marks)}${integer}`);
  return text.replaceAll(new RegExp(`"(?:\\${ESCAPED_MARK}){${marks}}(-?\\d+)"`, "g"), "$1");
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where integers stand that doubles may not hold; never where the name of a member should. */
function longIntegers(text: string): readonly Place[] {
  const found: Place[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = closingQuote(text, at);
      continue;
    }
    if (code !== MINUS && !isDigit(code)) continue;
    const from = at;
    at++;
    while (isOfNumber(text.charCodeAt(at))) at++;
    const to = at;
    at--;
    if (to - from < DIGITS_MIN || to - from > DIGITS_MAX + 1) continue;
    const token = text.slice(from, to);
    if (!LONG_INTEGER.test(token) || !isLong(token) || isName(text, to)) continue;
    found.push({ from, to });
  }
  return found;
}

/** Whether a double rounds the integer, or might; one that it makes infinite stays so. */
function isLong(token: string): boolean {
  const number = Number(token);
  return !Number.isSafeInteger(number) && Number.isFinite(number);
}

function isName(text: string, from: number): boolean {
  let at = from;
  while (text[at] === " " || text[at] === "\n" || text[at] === "\t" || text[at] === "\r") at++;
  return text.charCodeAt(at) === COLON;
}

function isDigit(code: number): boolean {
  return code >= ZERO && code < COLON;
}

function isOfNumber(code: number): boolean {
  return isDigit(code) || code === POINT || (code | 0x20) === LETTER_E || code === MINUS || code === 0x2b;
}

/** Where the string's closing quote is, or the text ends. */
function closingQuote(text: string, opening: number): number {
  let at = opening + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

/** How many marks, escaped, follow each other at most: no string of the text begins with one more. */
function marksIn(text: string): number {
  let most = 0;
  for (let at = text.indexOf(ESCAPED_MARK); at >= 0; at = text.indexOf(ESCAPED_MARK, at)) {
    let count = 0;
    for (; text.startsWith(ESCAPED_MARK, at); at += ESCAPED_MARK.length) count++;
    most = Math.max(most, count);
  }
  return most;
}

/** The value with integers in place of the strings that stand for them. Doesn't recurse. */
function withIntegers(value: unknown, mark: string): unknown {
  if (typeof value === "string") return integerOf(value, mark);
  const open: object[] = typeof value === "object" && value !== null ? [value] : [];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      for (let i = 0; i < container.length; i++) {
        const element: unknown = container[i];
        if (typeof element === "string") container[i] = integerOf(element, mark);
        else if (typeof element === "object" && element !== null) open.push(element);
      }
      continue;
    }
    const record = container as Record<string, unknown>;
    for (const name of Object.keys(record)) {
      const member = record[name];
      if (typeof member === "string") {
        if (member.startsWith(mark)) replace(record, name, integerOf(member, mark));
      } else if (typeof member === "object" && member !== null) open.push(member);
    }
  }
  return value;
}

/** Assigning to `__proto__` would do something else. */
function replace(record: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}

function integerOf(text: string, mark: string): string | bigint {
  return text.startsWith(mark) ? BigInt(text.slice(mark.length)) : text;
}
