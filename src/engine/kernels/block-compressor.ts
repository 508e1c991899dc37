import { lz4Bound } from "../bytes/lz4.js";
import { BuildingMemory } from "./building-memory.js";

/** Bytes that the kernel may read and overwrite behind what it is given and what it writes. */
const MARGIN = 16;
/** The kernel's table has a place for each of so many hashes, for short blocks in two bytes each. */
const TABLE_BYTES = 4 << 13;
const SHORT_TABLE_BYTES = 2 << 13;
const SHORT_MAX = 1 << 16;
const BLOCK_BYTES_MIN = 64 * 1024;
/** Longer blocks are few, and not worth a memory that stays as long. */
const BLOCK_BYTES_MAX = 1 << 20;
/** Places of bytes, counted over all blocks, stay below, so that the table tells blocks apart. */
const PLACE_MAX = 0x7fff_ffff;

let ofThread: BlockCompressor | null = null;

/** The compressor that a thread's document stores share: what it writes depends on the block alone. */
export function blockCompressorOfThread(): BlockCompressor {
  ofThread ??= new BlockCompressor(BuildingMemory.take());
  return ofThread;
}

/** Compresses LZ4 blocks, by kernel. */
export class BlockCompressor {
  readonly #memory: BuildingMemory;
  readonly #table: number;
  readonly #shortTable: number;
  #capacity = 0;
  #source = 0;
  #target = 0;
  /** Place of the next block's first byte; entries of the table that are less are stale. */
  #base = 1;

  constructor(memory: BuildingMemory) {
    this.#memory = memory;
    this.#table = memory.functions.zeros(TABLE_BYTES);
    this.#shortTable = memory.functions.allocate(SHORT_TABLE_BYTES);
  }

  /**
   * Compresses `source` to `target` from `start` on and returns the end there.
   *
   * @throws RangeError if `target` has less than `lz4Bound(source.length)` bytes from `start`
   */
  compress(source: Uint8Array, target: Uint8Array, start: number): number {
    if (source.length <= BLOCK_BYTES_MAX) return this.#compress(source, target, start);
    const memory = BuildingMemory.take();
    try {
      return new BlockCompressor(memory).#compress(source, target, start);
    } finally {
      memory.giveBack();
    }
  }

  #compress(source: Uint8Array, target: Uint8Array, start: number): number {
    const { length } = source;
    if (target.length - start < lz4Bound(length)) throw new RangeError("the target is shorter than lz4Bound");
    if (length > this.#capacity) this.#grow(length);
    const { bytes } = this.#memory;
    bytes.set(source, this.#source);
    const end = length <= SHORT_MAX ? this.#compressShort(length) : this.#compressLong(length);
    target.set(bytes.subarray(this.#target, end), start);
    return start + end - this.#target;
  }

  #compressShort(length: number): number {
    return this.#memory.functions.compressShortLz4(this.#source, length, this.#target, this.#shortTable);
  }

  #compressLong(length: number): number {
    const table = this.#table;
    if (this.#base > PLACE_MAX - length) {
      this.#memory.bytes.fill(0, table, table + TABLE_BYTES);
      this.#base = 1;
    }
    const end = this.#memory.functions.compressLz4(this.#source, length, this.#target, table, this.#base);
    this.#base += length;
    return end;
  }

  #grow(length: number): void {
    const { functions } = this.#memory;
    this.#capacity = Math.max(length, 2 * this.#capacity, BLOCK_BYTES_MIN);
    functions.releaseTo(this.#shortTable + SHORT_TABLE_BYTES);
    this.#source = functions.allocate(this.#capacity + MARGIN);
    this.#target = functions.allocate(lz4Bound(this.#capacity) + MARGIN);
  }
}
