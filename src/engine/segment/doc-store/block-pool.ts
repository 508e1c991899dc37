import { TextView } from "../../bytes/text-view.js";
import { type BlockDecoder, createBlockDecoder, DECODER_MARGIN } from "../../kernels/block-decoder.js";
import { BLOCK_HEADER_LENGTH, blockHeader, CODEC_RAW } from "./doc-store-format.js";

/** Blocks that are longer before compression aren't kept. */
const RAW_LENGTH_MAX = 256 * 1024;
/** Longest block in the file that can be kept is so much longer: header and raw bytes, or a bit less of LZ4. */
const BLOCK_LENGTH_MORE = 1024;
/** What a thread keeps; the system gives it page by page as it is used. */
const RING_LENGTH = 32 * 1024 * 1024;
/** Where a block is decompressed to; not 0, which kernels take for nothing. */
const TARGET_START = 16;

/** Where the blocks of one document store come from. */
export interface BlockSource {
  /** Its blocks that are in the pool, by number. */
  readonly pooled: Map<number, PooledBlock>;
  /** A block's length in the file, header included. */
  blockLength(block: number): number;
  /**
   * Reads a block as it is in the file into `target` from `at` on.
   * @throws CorruptionError naming the file if its checksum is wrong
   */
  readBlockInto(block: number, target: Uint8Array, at: number): void;
}

/** A block in the pool as it is in the file, from `start` on. */
export class PooledBlock {
  readonly start: number;
  readonly length: number;
  readonly codec: number;
  readonly rawLength: number;
  readonly block: number;
  /** Null once it has left the pool. */
  source: BlockSource | null;
  /** The block that came in next. */
  next: PooledBlock | null = null;
  /** Which of its documents have been asked for, by the last five bits of their doc ids; for the store to use. */
  seen = 0;

  constructor(
    source: BlockSource,
    block: number,
    start: number,
    header: { readonly codec: number; readonly rawLength: number },
  ) {
    this.start = start;
    this.length = source.blockLength(block);
    this.codec = header.codec;
    this.rawLength = header.rawLength;
    this.block = block;
    this.source = source;
  }
}

/**
 * The blocks that were read last, of all document stores of a thread, compressed, in a ring of a fixed
 * size: a new one takes the place of the oldest. What is asked for is decompressed to one place, as far
 * as it has to be.
 */
export class BlockPool {
  static #ofThread: BlockPool | null = null;
  /** Made with the first block, and the memory with it. */
  #decoder: BlockDecoder | null = null;
  #texts: TextView | null = null;
  /** The block that the decoder is in the middle of. */
  #current: PooledBlock | null = null;
  /** Blocks lie in the order they came, from the oldest on; where the ring ends they go on at its start. */
  #oldest: PooledBlock | null = null;
  #newest: PooledBlock | null = null;
  readonly #ringStart: number;
  readonly #ringEnd: number;
  readonly #rawLengthMax: number;
  /** Where the next block goes, if it fits before the end. */
  #head: number;

  /**
   * @param ringLength bytes of blocks, at least one of the longest
   * @param rawLengthMax bytes of the longest before compression
   */
  constructor(ringLength: number = RING_LENGTH, rawLengthMax: number = RAW_LENGTH_MAX) {
    this.#rawLengthMax = rawLengthMax;
    this.#ringStart = TARGET_START + rawLengthMax + DECODER_MARGIN;
    this.#ringEnd = this.#ringStart + Math.max(ringLength, rawLengthMax + BLOCK_LENGTH_MORE);
    this.#head = this.#ringStart;
  }

  /** The pool that all document stores of a thread share, so that their memory is bounded together. */
  static ofThread(): BlockPool {
    BlockPool.#ofThread ??= new BlockPool();
    return BlockPool.#ofThread;
  }

  /**
   * The block, valid until the next call; null if it is too long to be kept.
   *
   * @throws CorruptionError naming the file; MalformedBytesError
   */
  find(source: BlockSource, block: number): PooledBlock | null {
    const pooled = source.pooled.get(block);
    if (pooled !== undefined) return pooled;
    const length = source.blockLength(block);
    if (length > this.#rawLengthMax + BLOCK_LENGTH_MORE) return null;
    const decoder = this.#ready();
    this.#makeRoom(length);
    const start = this.#head;
    source.readBlockInto(block, decoder.bytes, start);
    const header = blockHeader(decoder.bytes, start, block, length);
    if (header.rawLength > this.#rawLengthMax) return null;
    const added = new PooledBlock(source, block, start, header);
    this.#head = start + length;
    if (this.#newest === null) this.#oldest = added;
    else this.#newest.next = added;
    this.#newest = added;
    source.pooled.set(block, added);
    return added;
  }

  /**
   * What says where one of the block's records is, which are lengths (varints) and as many bytes: the
   * bytes are valid until the pool is used again.
   *
   * @param ordinal of the record, from 0
   * @param expected bytes of the block up to its end, about
   * @throws MalformedBytesError; the block has left the pool then
   */
  record(pooled: PooledBlock, ordinal: number, expected: number): BlockDecoder {
    const decoder = this.#ready();
    try {
      if (this.#current !== pooled) this.#begin(decoder, pooled);
      decoder.findRecord(ordinal, expected);
      return decoder;
    } catch (error) {
      this.#vacate(pooled);
      throw error;
    }
  }

  /** A record's text. @throws MalformedBytesError if it isn't UTF-8 */
  text({ recordStart, recordEnd, recordIsAscii, bytes }: BlockDecoder): string {
    this.#texts ??= new TextView(bytes);
    return this.#texts.text(recordStart, recordEnd, recordIsAscii);
  }

  /** A copy of a record. */
  copy({ recordStart, recordEnd, bytes }: BlockDecoder): Uint8Array {
    this.#texts ??= new TextView(bytes);
    return this.#texts.copy(recordStart, recordEnd);
  }

  /** Forgets all blocks of a store. */
  release(source: BlockSource): void {
    for (const pooled of [...source.pooled.values()]) this.#vacate(pooled);
  }

  #ready(): BlockDecoder {
    this.#decoder ??= createBlockDecoder(this.#ringEnd + DECODER_MARGIN);
    return this.#decoder;
  }

  #begin(decoder: BlockDecoder, pooled: PooledBlock): void {
    const sourceStart = pooled.start + BLOCK_HEADER_LENGTH;
    const sourceEnd = pooled.start + pooled.length;
    if (pooled.codec === CODEC_RAW) decoder.startFilled(sourceStart, sourceEnd);
    else
      decoder.start({
        sourceStart,
        sourceEnd,
        targetStart: TARGET_START,
        targetEnd: TARGET_START + pooled.rawLength,
      });
    this.#current = pooled;
  }

  /** Drops the oldest blocks until as many bytes are free at the head. */
  #makeRoom(length: number): void {
    if (this.#head + length > this.#ringEnd) {
      while (this.#oldest !== null && this.#oldest.start >= this.#head) this.#dropOldest(this.#oldest);
      this.#head = this.#ringStart;
    }
    const end = this.#head + length;
    while (this.#oldest !== null && this.#oldest.start >= this.#head && this.#oldest.start < end) {
      this.#dropOldest(this.#oldest);
    }
  }

  #dropOldest(oldest: PooledBlock): void {
    this.#vacate(oldest);
    this.#oldest = oldest.next;
    if (this.#oldest === null) this.#newest = null;
  }

  /** The block is found no more; its bytes stay until they are written over. */
  #vacate(pooled: PooledBlock): void {
    if (pooled.source?.pooled.get(pooled.block) === pooled) pooled.source.pooled.delete(pooled.block);
    pooled.source = null;
    if (this.#current === pooled) this.#current = null;
  }
}
