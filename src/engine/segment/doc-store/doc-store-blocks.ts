import { u32At } from "../../bytes/byte-reader.js";
import { crc32, crc32OfFew } from "../../bytes/crc32.js";
import { MalformedBytesError, readingFile } from "../../bytes/malformed-bytes-error.js";
import type { RandomAccessFile } from "../../directory/directory.js";
import type { BlockSource, PooledBlock } from "./block-pool.js";
import { decompressBlock } from "./decompress-block.js";
import {
  BLOCK_HEADER_CHECKED_LENGTH,
  BLOCK_HEADER_LENGTH,
  blockHeader,
  CODEC_RAW,
} from "./doc-store-format.js";
import type { DocStoreIndex } from "./doc-store-index.js";

/** The blocks of a document store file: one positional read and one checksum each. */
export class DocStoreBlocks implements BlockSource {
  readonly pooled: Map<number, PooledBlock> = new Map();
  readonly #file: RandomAccessFile;
  readonly #index: DocStoreIndex;

  constructor(file: RandomAccessFile, index: DocStoreIndex) {
    this.#file = file;
    this.#index = index;
  }

  blockLength(block: number): number {
    return this.#index.length(block);
  }

  readBlockInto(block: number, target: Uint8Array, at: number): void {
    const offset = this.#index.offset(block);
    const length = this.#index.length(block);
    this.#file.readInto(offset, length, target, at);
    const checked = at + BLOCK_HEADER_CHECKED_LENGTH;
    const expected = u32At(target, checked);
    const payload = target.subarray(at + BLOCK_HEADER_LENGTH, at + length);
    if (crc32(payload, crc32OfFew(target, at, checked)) === expected) return;
    readingFile(this.#file.name, () => {
      throw new MalformedBytesError(`the block at byte ${offset} fails its checksum`);
    });
  }

  /** A block as it is in the file, header included. @throws CorruptionError naming the file */
  read(block: number): Uint8Array {
    const bytes = new Uint8Array(this.#index.length(block));
    this.readBlockInto(block, bytes, 0);
    return bytes;
  }

  /**
   * A block's records, in memory of their own.
   * @param bytes of `read`, if they have been read already
   * @throws CorruptionError naming the file
   */
  decode(block: number, bytes: Uint8Array = this.read(block)): Uint8Array {
    return readingFile(this.#file.name, () => {
      const { codec, rawLength } = blockHeader(bytes, 0, block, bytes.length);
      const payload = bytes.subarray(BLOCK_HEADER_LENGTH);
      return codec === CODEC_RAW ? payload : decompressBlock(payload, rawLength);
    });
  }
}
