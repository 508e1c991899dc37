import { readJson } from "../../json/exact-json.js";
import { decodeUtf8 } from "../bytes/byte-reader.js";
import type { CanonicalValue } from "../schema/document.js";
import type { EngineField } from "../schema/engine-schema.js";
import { SortBytesWriter } from "../schema/sort-bytes.js";

const QUOTE = 0x22;
const SLASH = 0x2f;
const ZERO = 0x30;
const BACKSLASH = 0x5c;

/** Text of no greater bytes has no mark that could be put together with a letter: those are from U+0300 on. */
const COMPOSED_BYTE_MAX = 0xcb;

/** Decimal digits that any number can hold. */
const DIGITS_MAX = 15;
/** Longer strings are few. */
const STRING_BYTES_MAX = 256;

/**
 * `SortBytesWriter` for the JSON of values that have been checked: most strings and numbers are taken as they lie,
 * without making values of them first.
 */
export class JsonSortBytes {
  readonly #writer = new SortBytesWriter();
  readonly #string = new Uint8Array(STRING_BYTES_MAX);
  /** What was written last stands at the start. */
  bytes: Uint8Array = this.#writer.bytes;

  /** Returns how many bytes the value takes whose JSON, as `JSON.stringify` writes it, is `json[start]` up to `json[end]`. */
  write(field: EngineField, json: Uint8Array, start: number, end: number): number {
    const { kind, composed } = field;
    if (kind === "facet" || kind === "keyword" || kind === "label") {
      // Characters that labels are written without are escaped in JSON.
      const byteMax = composed === true ? COMPOSED_BYTE_MAX : 0xff;
      const length = this.#plainString(json.subarray(start, end), kind === "facet" ? 0 : SLASH, byteMax);
      if (length >= 0) return length;
    } else if (kind === "u64" || kind === "i64") {
      const number = digits(json, start, end);
      if (number >= 0) return this.#written(field, number);
    }
    return this.#written(field, readJson(decodeUtf8(json.subarray(start, end))) as CanonicalValue);
  }

  #written(field: EngineField, value: CanonicalValue): number {
    const length = this.#writer.write(field, value);
    this.bytes = this.#writer.bytes;
    return length;
  }

  /** The string's UTF-8, another byte for a slash; -1 if it is long, or has escapes or greater bytes than that. */
  #plainString(json: Uint8Array, slash: number, byteMax: number): number {
    const length = json.length - 2;
    if (length > STRING_BYTES_MAX || json[0] !== QUOTE) return -1;
    const bytes = this.#string;
    for (let i = 0; i < length; i++) {
      const byte = json[1 + i]!;
      if (byte === BACKSLASH || byte > byteMax) return -1;
      bytes[i] = byte === SLASH ? slash : byte;
    }
    this.bytes = bytes;
    return length;
  }
}

/** The number whose few digits these are; -1 if they are others. */
function digits(json: Uint8Array, start: number, end: number): number {
  if (end - start > DIGITS_MAX) return -1;
  let number = 0;
  for (let at = start; at < end; at++) {
    const digit = json[at]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    number = 10 * number + digit;
  }
  return number;
}
