import { Buffer } from "node:buffer";
import { decodeUtf8 } from "./byte-reader.js";

/** Texts in one large memory, read quicker than by a view for each. */
export class TextView {
  readonly #memory: Uint8Array;
  readonly #buffer: Buffer;

  constructor(memory: Uint8Array) {
    this.#memory = memory;
    this.#buffer = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /**
   * The text of UTF-8 bytes.
   *
   * @param isAscii whether none of them is above 127
   * @throws MalformedBytesError if they are ill-formed
   */
  text(start: number, end: number, isAscii: boolean): string {
    return isAscii
      ? this.#buffer.toString("latin1", start, end)
      : decodeUtf8(this.#memory.subarray(start, end));
  }
}
