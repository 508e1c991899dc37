import { releaseBuffer } from "./release-buffer.js";

const TEXT_ENCODER = new TextEncoder();

/** A text of so few units is written sooner than the encoder is called. */
const SHORT_TEXT_UNITS = 96;

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Appends numbers, bytes and text to one growing buffer. Numbers are little-endian; a varint is
 * LEB128: seven bits per byte, lowest first, high bit set on all but the last.
 */
export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** @param room the buffer where it starts, or how many bytes that has; it doubles as needed */
  constructor(room: number | ArrayBuffer = 256) {
    this.#bytes = new Uint8Array(typeof room === "number" ? new ArrayBuffer(Math.max(room, 16)) : room);
  }

  /** Bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Makes room for so many more bytes at once: growing by doubling takes new memory each time. */
  reserve(extra: number): void {
    const needed = this.#length + extra;
    if (needed > this.#bytes.length) this.#grow(needed);
  }

  /** Apart, as what is called for every value is compiled into all that write. */
  #grow(needed: number): void {
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#length));
    releaseBuffer(this.#bytes.buffer);
    this.#bytes = grown;
  }

  /** `value` from 0 to 255. */
  u8(value: number): void {
    this.reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** `value` from 0 to 65,535. */
  u16(value: number): void {
    this.reserve(2);
    const bytes = this.#bytes;
    bytes[this.#length++] = value;
    bytes[this.#length++] = value >>> 8;
  }

  /** `value` from 0 to 2^32 - 1. */
  u32(value: number): void {
    this.reserve(4);
    this.#put32(this.#length, value);
    this.#length += 4;
  }

  /** `value`: an integer from 0 to `Number.MAX_SAFE_INTEGER`; 1 to 8 bytes. */
  varint(value: number): void {
    this.reserve(8);
    const bytes = this.#bytes;
    let rest = value;
    // Bit operations see 32 bits only, so the high part of a large number is divided away first.
    while (rest >= 0x8000_0000) {
      bytes[this.#length++] = (rest % 128) | 0x80;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 0x80) {
      bytes[this.#length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    bytes[this.#length++] = rest;
  }

  /** The bytes as they are, without a length. */
  bytes(source: Uint8Array): void {
    this.reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  /** A varint of the text's length in UTF-8 bytes, then those bytes. Lone surrogates become U+FFFD. */
  utf8(text: string): void {
    // Encode past the longest possible varint, then move back: the byte length is known only after.
    const room = 8;
    this.reserve(text.length * 3 + room);
    const start = this.#length + room;
    const { written } = TEXT_ENCODER.encodeInto(text, this.#bytes.subarray(start));
    this.varint(written);
    this.#bytes.copyWithin(this.#length, start, start + written);
    this.#length += written;
  }

  /** The text's UTF-8 as it is, without a length. Lone surrogates become U+FFFD. */
  text(text: string): void {
    this.reserve(text.length);
    if (text.length <= SHORT_TEXT_UNITS && this.#shortAscii(text)) return;
    const { read, written } = TEXT_ENCODER.encodeInto(text, this.#bytes.subarray(this.#length));
    this.#length += written;
    if (read < text.length) this.#restOf(text, read);
  }

  /** JSON of a text of few units; false, and nothing is written, if it has more than ASCII or needs an escape. */
  shortJson(text: string): boolean {
    const { length } = text;
    if (length > SHORT_TEXT_UNITS) return false;
    this.reserve(length + 2);
    const bytes = this.#bytes;
    const start = this.#length + 1;
    for (let i = 0; i < length; i++) {
      const unit = text.charCodeAt(i);
      if (unit < SPACE || unit >= 0x80 || unit === QUOTE || unit === BACKSLASH) return false;
      bytes[start + i] = unit;
    }
    bytes[start - 1] = QUOTE;
    bytes[start + length] = QUOTE;
    this.#length = start + length + 1;
    return true;
  }

  /** False, and nothing is written, if the text has more than ASCII. There is room for it. */
  #shortAscii(text: string): boolean {
    const bytes = this.#bytes;
    const start = this.#length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[start + i] = unit;
    }
    this.#length = start + text.length;
    return true;
  }

  /** Text whose UTF-8 takes more bytes than it has units. */
  #restOf(text: string, from: number): void {
    this.reserve((text.length - from) * 3);
    this.#length += TEXT_ENCODER.encodeInto(text.slice(from), this.#bytes.subarray(this.#length)).written;
  }

  /** Zero bytes up to the next multiple of `alignment`. */
  align(alignment: number): void {
    const padding = (alignment - (this.#length % alignment)) % alignment;
    this.reserve(padding);
    this.#bytes.fill(0, this.#length, this.#length + padding);
    this.#length += padding;
  }

  /** Overwrites four bytes already written at `offset`. */
  setU32(offset: number, value: number): void {
    if (offset < 0 || offset + 4 > this.#length) throw new RangeError(`offset ${offset} is not written yet`);
    this.#put32(offset, value);
  }

  /** Drops all bytes and keeps the buffer: views handed out before change with the next write. */
  clear(): void {
    this.#length = 0;
  }

  /** The bytes written, without copying: valid until the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** A copy of the bytes written, in a buffer of exactly that length. */
  toBytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #put32(offset: number, value: number): void {
    const bytes = this.#bytes;
    bytes[offset] = value;
    bytes[offset + 1] = value >>> 8;
    bytes[offset + 2] = value >>> 16;
    bytes[offset + 3] = value >>> 24;
  }
}
