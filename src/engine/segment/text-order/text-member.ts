import { decodeUtf8 } from "../../bytes/byte-reader.js";
import type { GrowableBytes } from "../../bytes/growable-bytes.js";
import { MalformedBytesError } from "../../bytes/malformed-bytes-error.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** What `\b`, `\n` and the like stand for, by the byte after the backslash; 0 for `\u`, which stands for anything. */
const ESCAPED: Uint8Array = new Uint8Array(256);
for (const [letter, meaning] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
  ESCAPED[letter!.charCodeAt(0)] = meaning!.charCodeAt(0);

/**
 * One text member of documents in the JSON that the engine writes: no white space. Finding it and
 * reading its bytes costs a fraction of parsing the document.
 */
export class TextMember {
  readonly #key: Uint8Array;

  readonly #isComposed: boolean;

  /** @param isComposed whether values are ordered in NFC */
  constructor(name: string, isComposed: boolean) {
    this.#isComposed = isComposed;
    this.#key = new TextEncoder().encode(`${JSON.stringify(name)}:`);
  }

  /**
   * Appends the first `limit` bytes of `textSortBytes` of the member's value.
   *
   * @throws MalformedBytesError if the document has no such member
   */
  appendSortBytes(json: Uint8Array, target: GrowableBytes, limit: number): void {
    const value = this.#find(json);
    target.reserve(Math.min(limit, json.length - value));
    const bytes = target.bytes;
    const start = target.length;
    let length = 0;
    for (let at = value + 1; at < json.length; at++) {
      // What follows the last byte may become one with it.
      if (length === limit && json[at]! < 0x80) break;
      let byte = json[at]!;
      if (byte === QUOTE) break;
      if (byte === BACKSLASH) byte = ESCAPED[json[++at]!]!;
      // Folding looks at more than one letter outside of ASCII.
      if (byte >= 0x80 || byte === 0) {
        appendFolded(foldedText(json, value, this.#isComposed), target, limit);
        return;
      }
      bytes[start + length++] = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    }
    target.length = start + length;
  }

  /** Offset of the opening quote of the member's value. */
  #find(json: Uint8Array): number {
    const key = this.#key;
    // Each turn skips a member; the JSON is finite.
    for (let at = 1; json[at] === QUOTE; at++) {
      let i = 0;
      while (i < key.length && json[at + i] === key[i]) i++;
      if (i === key.length && json[at + i] === QUOTE) return at + i;
      at = valueEnd(json, stringEnd(json, at) + 1);
      if (json[at] !== COMMA) break;
    }
    throw new MalformedBytesError(`a document has no text ${decodeUtf8(key)} where there should be one`);
  }
}

/** The sort bytes of the JSON text whose opening quote is at `quote`. */
export function foldedText(json: Uint8Array, quote: number, isComposed: boolean): Uint8Array {
  const text = JSON.parse(decodeUtf8(json.subarray(quote, stringEnd(json, quote)))) as string;
  return textSortBytes(text, isComposed);
}

/** For values with more than ASCII. */
function appendFolded(bytes: Uint8Array, target: GrowableBytes, limit: number): void {
  const length = Math.min(bytes.length, limit);
  target.reserve(length);
  // What the caller wrote there before it met the first such byte is overwritten.
  target.bytes.set(bytes.subarray(0, length), target.length);
  target.length += length;
}

/** Offset after the closing quote of the string that starts at `at`. */
function stringEnd(json: Uint8Array, at: number): number {
  let end = at + 1;
  for (; end < json.length && json[end] !== QUOTE; end++) if (json[end] === BACKSLASH) end++;
  return end + 1;
}

/** Offset after the value that starts at `at`: where a comma or closing brace stands outside of strings. */
function valueEnd(json: Uint8Array, at: number): number {
  let depth = 0;
  for (let end = at; end < json.length; end++) {
    const byte = json[end]!;
    if (byte === QUOTE) {
      end = stringEnd(json, end) - 1;
    } else if (byte === 0x7b || byte === 0x5b) {
      depth++;
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth === 0) return end;
      depth--;
    } else if (byte === COMMA && depth === 0) {
      return end;
    }
  }
  return json.length;
}
