import { u32At } from "../../bytes/byte-reader.js";
import { crc32, crc32OfFew } from "../../bytes/crc32.js";
import { MalformedBytesError, readingFile } from "../../bytes/malformed-bytes-error.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import type { BlockPool, BlockSource } from "./block-pool.js";
import { decompressBlock, decompressInPassing } from "./decompress-block.js";
import {
  BLOCK_HEADER_CHECKED_LENGTH,
  BLOCK_HEADER_LENGTH,
  blockHeader,
  CODEC_RAW,
} from "./doc-store-format.js";
import type { DocStoreIndex } from "./doc-store-index.js";

/** The blocks of a document store file: one positional read each, and one checksum the first time. */
export class DocStoreBlocks implements BlockSource {
  readonly #file: RandomAccessFile;
  readonly #index: DocStoreIndex;
  /** A bit for each block that has passed its checksum on its way to the pool; made with the first. */
  #checked: Uint32Array | null = null;
  /** Made with the first block that is looked for. */
  #places: Uint16Array | null = null;

  constructor(file: RandomAccessFile, index: DocStoreIndex) {
    this.#file = file;
    this.#index = index;
  }

  get places(): Uint16Array {
    this.#places ??= new Uint16Array(this.#index.blockCount);
    return this.#places;
  }

  /** Takes its blocks out of a pool. */
  release(pool: BlockPool): void {
    if (this.#places !== null) pool.release(this);
  }

  get byteLength(): number {
    return this.#index.offset(this.#index.blockCount);
  }

  get blockCount(): number {
    return this.#index.blockCount;
  }

  blockOffset(block: number): number {
    return this.#index.offset(block);
  }

  blockLength(block: number): number {
    return this.#index.length(block);
  }

  readBlockInto(block: number, target: Uint8Array, at: number): void {
    this.readBlocksInto(block, block + 1, target, at);
    this.#checked ??= new Uint32Array((this.#index.blockCount + 31) >>> 5);
    const bit = 1 << (block & 31);
    // A file never changes, so what was right once is read again without summing it up, which takes a seventh of
    // reading a document that isn't in the pool.
    if ((this.#checked[block >>> 5]! & bit) !== 0) return;
    this.check(block, target, at);
    this.#checked[block >>> 5]! |= bit;
  }

  readBlocksInto(first: number, end: number, target: Uint8Array, at: number): void {
    const start = this.#index.offset(first);
    this.#file.readInto(start, this.#index.offset(end) - start, target, at);
  }

  isSound(block: number, bytes: Uint8Array, at: number): boolean {
    const checked = at + BLOCK_HEADER_CHECKED_LENGTH;
    const expected = u32At(bytes, checked);
    const payload = bytes.subarray(at + BLOCK_HEADER_LENGTH, at + this.#index.length(block));
    return crc32(payload, crc32OfFew(bytes, at, checked)) === expected;
  }

  /** @throws CorruptionError naming the file if the block's bytes at `at` fail its checksum */
  check(block: number, bytes: Uint8Array, at: number): void {
    if (this.isSound(block, bytes, at)) return;
    readingFile(this.#file.name, () => {
      throw new MalformedBytesError(`the block at byte ${this.#index.offset(block)} fails its checksum`);
    });
  }

  /**
   * Reads blocks from `first` on in one go, at least one, up to `target.length` bytes; returns the block behind
   * them. Their checksums aren't looked at: `check` does that.
   */
  readRun(first: number, target: Uint8Array): number {
    const start = this.#index.offset(first);
    let end = first + 1;
    while (end < this.#index.blockCount && this.#index.offset(end + 1) - start <= target.length) end++;
    this.readBlocksInto(first, end, target, 0);
    return end;
  }

  /** A block as it is in the file, header included. @throws CorruptionError naming the file */
  read(block: number): Uint8Array {
    const bytes = new Uint8Array(this.#index.length(block));
    this.#file.readInto(this.#index.offset(block), bytes.length, bytes, 0);
    this.check(block, bytes, 0);
    return bytes;
  }

  /**
   * A block's records, in memory of their own.
   * @param bytes of `read`, if they have been read already
   * @throws CorruptionError naming the file
   */
  decode(block: number, bytes: Uint8Array = this.read(block)): Uint8Array {
    return this.#decoded(block, bytes, decompressBlock);
  }

  /**
   * A block's records, in memory that is another block's with the thread's next call: nothing is allocated for it.
   * @param room where the block is read to, if it is long enough
   * @throws CorruptionError naming the file
   */
  decodeInPassing(block: number, room: Uint8Array): Uint8Array {
    const length = this.#index.length(block);
    if (length > room.length) return this.decode(block);
    this.#file.readInto(this.#index.offset(block), length, room, 0);
    this.check(block, room, 0);
    return this.#decoded(block, room.subarray(0, length), decompressInPassing);
  }

  #decoded(block: number, bytes: Uint8Array, decompress: typeof decompressBlock): Uint8Array {
    return readingFile(this.#file.name, () => {
      const { codec, rawLength } = blockHeader(bytes, 0, block, bytes.length);
      const payload = bytes.subarray(BLOCK_HEADER_LENGTH);
      return codec === CODEC_RAW ? payload : decompress(payload, rawLength);
    });
  }
}
