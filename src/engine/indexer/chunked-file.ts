import { CorruptionError } from "../../errors/index.js";
import type { RandomAccessFile } from "../directory/directory.js";

/** A file's bytes that are in memory in pieces, not written yet. */
export class ChunkedFile implements RandomAccessFile {
  readonly name: string;
  readonly size: number;
  readonly #chunks: readonly Uint8Array[];
  /** Offset of each chunk. */
  readonly #offsets: Float64Array;

  constructor(name: string, chunks: readonly Uint8Array[]) {
    this.name = name;
    this.#chunks = chunks;
    this.#offsets = new Float64Array(chunks.length);
    let size = 0;
    chunks.forEach((chunk, i) => {
      this.#offsets[i] = size;
      size += chunk.length;
    });
    this.size = size;
  }

  read(offset: number, length: number): Uint8Array {
    this.#checkEnd(offset + length);
    const bytes = new Uint8Array(length);
    this.readInto(offset, length, bytes, 0);
    return bytes;
  }

  readInto(offset: number, length: number, target: Uint8Array, at: number): void {
    this.#checkEnd(offset + length);
    let done = 0;
    for (let i = this.#chunkAt(offset); done < length; i++) {
      const start = offset + done - this.#offsets[i]!;
      const piece = this.#chunks[i]!.subarray(start, start + length - done);
      target.set(piece, at + done);
      done += piece.length;
    }
  }

  close(): void {}

  #checkEnd(end: number): void {
    if (end > this.size) throw new CorruptionError(this.name, `it ends before byte ${end}`);
  }

  /** The last chunk that starts at or before the offset. */
  #chunkAt(offset: number): number {
    let low = 0;
    let high = this.#offsets.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#offsets[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
