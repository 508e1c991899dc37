import { closeSync, readSync } from "node:fs";
import { CorruptionError } from "../../errors/index.js";
import type { RandomAccessFile } from "./directory.js";
import { storageError } from "./storage-error.js";

/** `RandomAccessFile` over a file descriptor, which stays valid even if the file is deleted meanwhile. */
export class FileRandomAccess implements RandomAccessFile {
  readonly name: string;
  readonly size: number;
  readonly #descriptor: number;
  #closed = false;

  /** `name` is the path, for messages. The descriptor belongs to this object from now on. */
  constructor(name: string, descriptor: number, size: number) {
    this.name = name;
    this.size = size;
    this.#descriptor = descriptor;
  }

  read(offset: number, length: number): Uint8Array {
    this.#checkRange(offset + length);
    const bytes = new Uint8Array(length);
    this.readInto(offset, length, bytes, 0);
    return bytes;
  }

  readInto(offset: number, length: number, target: Uint8Array, at: number): void {
    const end = offset + length;
    this.#checkRange(end);
    const pieceMax = 0x4000_0000;
    let done = 0;
    while (done < length) {
      let count: number;
      try {
        count = readSync(
          this.#descriptor,
          target,
          at + done,
          Math.min(length - done, pieceMax),
          offset + done,
        );
      } catch (error) {
        throw storageError("read", this.name, error);
      }
      if (count === 0)
        throw new CorruptionError(this.name, `it ends at byte ${offset + done}, before byte ${end}`);
      done += count;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    try {
      closeSync(this.#descriptor);
    } catch (error) {
      throw storageError("close", this.name, error);
    }
  }

  #checkRange(end: number): void {
    // A descriptor's number is given to another file once it is closed, so reading on would read that.
    if (this.#closed) throw storageError("read", this.name, new Error("the file is closed"));
    if (end > this.size)
      throw new CorruptionError(this.name, `it ends at byte ${this.size}, before byte ${end}`);
  }
}
