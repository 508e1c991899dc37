import { Buffer } from "node:buffer";
import { ByteChunks } from "./byte-chunks.js";
import { decodeUtf8 } from "./byte-reader.js";

const CHUNK_LENGTH = 16 * 1024;

/** Texts in one large memory, read quicker than by a view for each. */
export class TextView {
  readonly #memory: Uint8Array;
  readonly #buffer: Buffer;
  readonly #copies = new ByteChunks(CHUNK_LENGTH);

  constructor(memory: Uint8Array) {
    this.#memory = memory;
    this.#buffer = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /** A copy of the bytes, which may share its memory with other copies. */
  copy(start: number, end: number): Uint8Array {
    return this.#copies.copy(this.#memory, start, end);
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
