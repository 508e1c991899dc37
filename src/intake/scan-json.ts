import { NameCounter } from "./name-counter.js";

/** Bounds that keep one body from taking unreasonable time, stack or memory once parsed. */
export interface JsonBounds {
  /** Arrays and objects inside each other. */
  readonly depthMax: number;
  /** Values of any kind, members and elements alike. */
  readonly valuesMax: number;
  /** Distinct member names: V8 interns each, and makes hidden classes of their orders, slowly. */
  readonly namesMax: number;
  /** Halves of surrogate pairs, escaped, become U+FFFD, in the bytes themselves, rather than a problem. */
  readonly mendsSurrogates?: boolean;
  /** Integers that doubles can't hold keep their digits, as `bigint`s. */
  readonly keepsIntegers?: boolean;
}

/** Between two pieces of a long array, which can then be parsed apart. */
export interface JsonCut {
  /** Byte offset of the comma. */
  readonly offset: number;
  /** Members before it, as `memberCount` counts them. */
  readonly memberCount: number;
}

export type JsonProblem = "too_deep" | "too_many_values" | "too_many_names" | "lone_surrogate";

export interface JsonScan {
  readonly problem: JsonProblem | null;
  /** Byte offset of the problem. */
  readonly offset: number;
  /** Strings followed by a colon: what the parsed objects' members must add up to, unless a name repeats. */
  readonly memberCount: number;
  /** Values of any kind, members and elements alike. */
  readonly valueCount: number;
  /** Whether it has an integer of so many digits that doubles may not hold it. */
  readonly hasLongIntegers: boolean;
  /** If the text is an array: commas between its elements, at least `pieceBytes` apart; its brackets may not match. */
  readonly cuts: readonly JsonCut[];
}

/** Bytes scanned between two pauses, but for a string that is longer. */
const STEP_BYTES = 1 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const LETTER_U = 0x75;
const LETTER_E = 0x65;
const POINT = 0x2e;
const ZERO = 0x30;
/** Digits of the least integer that doubles may not hold. */
const LONG_INTEGER_DIGITS = 16;

/**
 * One pass over the bytes of a JSON text before it is parsed; the grammar is the parser's business.
 * Linear in the bytes, memory bounded by `namesMax` and by the pieces. Yields between steps, where it
 * may be left for a while. `JSON.parse` itself has no bounds: 64 MiB of `[` make it build millions of
 * nested arrays, whose later `stringify` overflows the stack.
 */
export function* scanJson(
  bytes: Uint8Array,
  bounds: JsonBounds,
  pieceBytes: number,
): Generator<undefined, JsonScan, undefined> {
  let depth = 0;
  let valueCount = 1;
  let memberCount = 0;
  let nameStart = 0;
  let nameEnd = 0;
  const length = bytes.length;
  const names = new NameCounter(bounds.namesMax, length);
  const cuts: JsonCut[] = [];
  let nextCut = isArray(bytes) ? pieceBytes : length;
  let nextStep = STEP_BYTES;
  let hasLongIntegers = false;
  const result = (problem: JsonProblem | null, offset: number): JsonScan => {
    return { problem, offset, memberCount, valueCount, hasLongIntegers, cuts };
  };
  for (let offset = 0; offset < length; offset++) {
    switch (bytes[offset]!) {
      case QUOTE: {
        let end = endOfString(bytes, offset + 1);
        while (end < 0 && bounds.mendsSurrogates === true) end = endOfString(bytes, mended(bytes, -end - 1));
        if (end < 0) return result("lone_surrogate", -end - 1);
        nameStart = offset + 1;
        nameEnd = end;
        offset = end;
        break;
      }
      case COLON:
        memberCount++;
        if (!names.add(bytes, nameStart, nameEnd)) return result("too_many_names", offset);
        break;
      case COMMA:
        if (++valueCount > bounds.valuesMax) return result("too_many_values", offset);
        if (depth === 1 && offset >= nextCut) {
          cuts.push({ offset, memberCount });
          nextCut = offset + pieceBytes;
        }
        if (offset >= nextStep) {
          nextStep = offset + STEP_BYTES;
          yield;
        }
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (++depth > bounds.depthMax) return result("too_deep", offset);
        if (++valueCount > bounds.valuesMax) return result("too_many_values", offset);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
      default: {
        if (!isDigit(bytes[offset])) break;
        let end = endOfDigits(bytes, offset);
        if (bytes[end] === POINT) end = endOfDigits(bytes, end + 1);
        else if ((bytes[end]! | 0x20) !== LETTER_E && end - offset >= LONG_INTEGER_DIGITS)
          hasLongIntegers = true;
        offset = end - 1;
      }
    }
  }
  return result(null, length);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= ZERO + 9;
}

function endOfDigits(bytes: Uint8Array, start: number): number {
  let end = start;
  while (isDigit(bytes[end])) end++;
  return end;
}

/** Whether the text begins as an array does. */
function isArray(bytes: Uint8Array): boolean {
  let at = 0;
  // Space, tab, line feed, carriage return.
  while (bytes[at] === 0x20 || bytes[at] === 0x09 || bytes[at] === 0x0a || bytes[at] === 0x0d) at++;
  return bytes[at] === OPEN_BRACKET;
}

/**
 * Offset of the closing quote (or of the end, if there is none) of the string that starts at `offset`;
 * −1 − the offset of the escape if it holds half of a surrogate pair.
 */
function endOfString(bytes: Uint8Array, offset: number): number {
  const length = bytes.length;
  for (let at = offset; at < length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) continue;
    if (bytes[at + 1] !== LETTER_U) {
      at++;
      continue;
    }
    const unit = hexUnit(bytes, at + 2);
    if (unit >= 0xdc00 && unit <= 0xdfff) return -1 - at;
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const low = bytes[at + 6] === BACKSLASH && bytes[at + 7] === LETTER_U ? hexUnit(bytes, at + 8) : -1;
      if (low < 0xdc00 || low > 0xdfff) return -1 - at;
      at += 6;
    }
    at += unit < 0 ? 1 : 5;
  }
  return length;
}

const REPLACEMENT_DIGITS = new TextEncoder().encode("fffd");

/** Writes U+FFFD over the escaped unit there; returns the offset behind it. */
function mended(bytes: Uint8Array, at: number): number {
  bytes.set(REPLACEMENT_DIGITS, at + 2);
  return at + 6;
}

/** The UTF-16 unit written as four hexadecimal digits at `offset`, −1 if they are not there. */
function hexUnit(bytes: Uint8Array, offset: number): number {
  let unit = 0;
  for (let at = offset; at < offset + 4; at++) {
    const digit = hexDigit(bytes[at]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
