import { GrowableU32 } from "../../bytes/growable-u32.js";
import { mappedBytes } from "../../bytes/mapped-bytes.js";
import { releaseBuffer } from "../../bytes/release-buffer.js";
import type { BuildingMemory } from "../../kernels/building-memory.js";

/** Strings are written to a piece of memory of this length first, */
const PIECE_BYTES = 1 << 14;
const PIECE_BYTES_MIN = 1 << 10;
/** and copied from there to chunks of this one. */
const CHUNK_BYTES = 1 << 18;

/**
 * Short byte strings, numbered from 0, that are looked at by kernels once all are there. What grows and is written
 * by loops has to begin with 33 MiB (`roomyBuffer`), and V8 collects its garbage for each of those.
 */
export class GatheredStrings {
  readonly #lengthMax: number;
  /** String i starts at entry i and ends at entry i + 1. */
  readonly #starts = new GrowableU32();
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  /** Bytes in the last chunk, and in all of them. */
  #chunkUsed = CHUNK_BYTES;
  #chunkedLength = 0;
  #piece: Uint8Array = new Uint8Array(0);
  #pieceUsed = 0;

  /** @param lengthMax of a string, at most 16 KiB */
  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
    this.#starts.push(0);
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  get starts(): Uint32Array {
    return this.#starts.array;
  }

  get bytesUsed(): number {
    return this.#chunks.length * CHUNK_BYTES + this.#piece.length + this.#starts.array.length * 4;
  }

  /** Where the next string is to be written, from `end` on; `close` comes next. */
  get piece(): Uint8Array {
    if (this.#pieceUsed + this.#lengthMax > this.#piece.length) this.#nextPiece();
    return this.#piece;
  }

  get end(): number {
    return this.#pieceUsed;
  }

  /** Ends a string of this length; returns its number. */
  close(length: number): number {
    this.#pieceUsed += length;
    this.#starts.push(this.#chunkedLength + this.#pieceUsed);
    return this.#starts.length - 2;
  }

  /** Copies all bytes to a region of a memory; returns its address. */
  placeBytes(memory: BuildingMemory): number {
    const address = memory.functions.allocate(this.#chunkedLength + this.#pieceUsed);
    const { bytes } = memory;
    let at = address;
    for (const part of this.#parts()) {
      bytes.set(part, at);
      at += part.length;
    }
    return address;
  }

  /** Gives back its memory; of no use afterwards. */
  release(): void {
    for (const chunk of this.#chunks) releaseBuffer(chunk.buffer);
  }

  *#parts(): Generator<Uint8Array> {
    for (let i = 0; i < this.#chunks.length - 1; i++) yield this.#chunks[i]!;
    const last = this.#chunks.at(-1);
    if (last !== undefined) yield last.subarray(0, this.#chunkUsed);
    yield this.#piece.subarray(0, this.#pieceUsed);
  }

  #nextPiece(): void {
    // One that could grow, but not by as much as is wanted, is emptied as if it were full.
    if (this.#piece.length < PIECE_BYTES && this.#pieceUsed + this.#lengthMax <= PIECE_BYTES) {
      // Few strings take little.
      const length = Math.max(PIECE_BYTES_MIN, 4 * this.#piece.length, this.#pieceUsed + this.#lengthMax);
      const grown = new Uint8Array(Math.min(PIECE_BYTES, length));
      grown.set(this.#piece.subarray(0, this.#pieceUsed));
      this.#piece = grown;
      return;
    }
    let piece = this.#piece.subarray(0, this.#pieceUsed);
    this.#chunkedLength += piece.length;
    this.#pieceUsed = 0;
    const room = CHUNK_BYTES - this.#chunkUsed;
    if (piece.length > room) {
      this.#chunks.at(-1)?.set(piece.subarray(0, room), this.#chunkUsed);
      piece = piece.subarray(room);
      this.#chunks.push(mappedBytes(CHUNK_BYTES));
      this.#chunkUsed = 0;
    }
    this.#chunks.at(-1)!.set(piece, this.#chunkUsed);
    this.#chunkUsed += piece.length;
  }
}
