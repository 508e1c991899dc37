import { MalformedBytesError } from "./malformed-bytes-error.js";

// A byte order mark belongs to the text, and ill-formed text is damage, never silently U+FFFD.
const TEXT_DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads what `ByteWriter` wrote. Every method is bounds-checked and throws `MalformedBytesError`,
 * which `readingFile` turns into a `CorruptionError`.
 */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #position: number;

  /** Reads `bytes` from `start` up to, not including, `end`. */
  constructor(bytes: Uint8Array, start = 0, end: number = bytes.length) {
    if (start < 0 || start > end || end > bytes.length) {
      throw new MalformedBytesError(`bytes ${start} to ${end} of ${bytes.length} don't exist`);
    }
    this.#bytes = bytes;
    this.#position = start;
    this.#end = end;
  }

  /** Offset of the next byte in the array given to the constructor. */
  get position(): number {
    return this.#position;
  }

  /** Bytes left. */
  get remaining(): number {
    return this.#end - this.#position;
  }

  u8(): number {
    return this.#bytes[this.#take(1)]!;
  }

  u16(): number {
    const at = this.#take(2);
    return this.#bytes[at]! | (this.#bytes[at + 1]! << 8);
  }

  u32(): number {
    return u32At(this.#bytes, this.#take(4));
  }

  /** @throws MalformedBytesError also for a number above `Number.MAX_SAFE_INTEGER` */
  varint(): number {
    let value = 0;
    let scale = 1;
    for (let index = 0; index < 8; index++) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new MalformedBytesError(`the number before byte ${this.#position} is too large`);
  }

  /** A view of the next `length` bytes, not a copy. */
  bytes(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Text written by `ByteWriter.utf8`. @throws MalformedBytesError also for ill-formed UTF-8 */
  utf8(): string {
    return decodeUtf8(this.bytes(this.varint()));
  }

  skip(length: number): void {
    this.#take(length);
  }

  /** Claims the next `length` bytes and returns the offset of the first. */
  #take(length: number): number {
    const at = this.#position;
    if (length < 0 || length > this.#end - at) {
      throw new MalformedBytesError(`${length} bytes are needed at byte ${at}, ${this.#end - at} are left`);
    }
    this.#position = at + length;
    return at;
  }
}

/** A number of four bytes that are there. */
export function u32At(bytes: Uint8Array, at: number): number {
  return (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0;
}

/** The text of well-formed UTF-8, byte order mark included. @throws MalformedBytesError if ill-formed */
export function decodeUtf8(bytes: Uint8Array): string {
  try {
    return TEXT_DECODER.decode(bytes);
  } catch {
    throw new MalformedBytesError("text is not well-formed UTF-8");
  }
}
