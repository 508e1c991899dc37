import { Buffer } from "node:buffer";
import { decodeUtf8 } from "./byte-reader.js";

const ROOM_LENGTH = 16 * 1024;
/** Longer copies have memory of their own. */
const SHARED_LENGTH_MAX = ROOM_LENGTH / 4;

/** Texts in one large memory, read quicker than by a view for each. */
export class TextView {
  readonly #memory: Uint8Array;
  readonly #buffer: Buffer;
  /** Where copies go, one behind the other. */
  #room = new ArrayBuffer(0);
  #roomUsed = ROOM_LENGTH;

  constructor(memory: Uint8Array) {
    this.#memory = memory;
    this.#buffer = Buffer.from(memory.buffer, memory.byteOffset, memory.byteLength);
  }

  /** A copy of the bytes, which may share its memory with other copies: memory of its own for each takes longer. */
  copy(start: number, end: number): Uint8Array {
    const length = end - start;
    if (length > SHARED_LENGTH_MAX) return this.#memory.slice(start, end);
    if (this.#roomUsed + length > ROOM_LENGTH) {
      this.#room = new ArrayBuffer(ROOM_LENGTH);
      this.#roomUsed = 0;
    }
    const bytes = new Uint8Array(this.#room, this.#roomUsed, length);
    this.#roomUsed += length;
    bytes.set(this.#memory.subarray(start, end));
    return bytes;
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
