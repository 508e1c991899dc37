import { TextView } from "../../bytes/text-view.js";
import { BlockDecoder, DECODER_MARGIN } from "../../kernels/block-decoder.js";
import { BLOCK_HEADER_LENGTH, blockHeader, CODEC_RAW } from "./doc-store-format.js";

/** Blocks that are longer before compression aren't kept. */
const RAW_LENGTH_MAX = 256 * 1024;
/** Longest block in the file that can be kept is so much longer: header and raw bytes, or a bit less of LZ4. */
const BLOCK_LENGTH_MORE = 1024;
/** What a thread keeps; the system gives it page by page as it is used. */
const RING_LENGTH = 32 * 1024 * 1024;
/** What a thread keeps that writes or merges, and reads a document again only by chance. */
const SMALL_RING_LENGTH = 1024 * 1024;
/**
 * Blocks that a thread keeps, about 100 bytes each: more than the ring holds of those that texts are compressed to.
 * Blocks below 1365 bytes, of very short or alike texts, use only a part of the ring.
 */
const BLOCKS_MAX = 24 * 1024;
/** One in so many of the blocks that would drive out others is kept when it is read first. */
const KEPT_ONE_IN = 8;
/** Most blocks that passed last, which are kept if they are read again; a power of two. */
const PASSED_MAX = 4096;
/** Blocks that begin in the same so many bytes of a file are read together, as long as they drive out none. */
const RUN_LENGTH = 64 * 1024;
/** Where a block is decompressed to; not 0, which kernels take for nothing. */
const TARGET_START = 16;

/** Where the blocks of one document store come from. */
export interface BlockSource {
  /**
   * By block, its place in the pool, from 1; 0 if it isn't there. The pool's to write. Maps of as many blocks as fill
   * the ring took a tenth of reading a document.
   */
  readonly places: Uint16Array;
  /** The bytes of all blocks together, in the file. */
  readonly byteLength: number;
  readonly blockCount: number;
  /** A block's first byte in the file. */
  blockOffset(block: number): number;
  /** A block's length in the file, header included. */
  blockLength(block: number): number;
  /**
   * Reads a block as it is in the file into `target` from `at` on.
   * @throws CorruptionError naming the file if its checksum is wrong
   */
  readBlockInto(block: number, target: Uint8Array, at: number): void;
  /** Reads blocks that follow one another, up to but without `end`, without a look at them. */
  readBlocksInto(first: number, end: number, target: Uint8Array, at: number): void;
  /** Whether a block that has been read to `at` passes its checksum. */
  isSound(block: number, bytes: Uint8Array, at: number): boolean;
}

/** A place in the pool, and the block there as it is in the file, from `start` on. Blocks take turns, as places stay. */
export class PooledBlock {
  start = 0;
  length = 0;
  codec = 0;
  rawLength = 0;
  block = 0;
  /** Null if there is no block, or it has left the pool. */
  source: BlockSource | null = null;
  /** Which of its documents have been asked for, by the last five bits of their doc ids; for the store to use. */
  seen = 0;

  /** @param header with `codec` and `rawLength` */
  hold(
    source: BlockSource,
    block: number,
    start: number,
    { codec, rawLength }: { readonly codec: number; readonly rawLength: number },
  ): void {
    this.start = start;
    this.length = source.blockLength(block);
    this.codec = codec;
    this.rawLength = rawLength;
    this.block = block;
    this.source = source;
    this.seen = 0;
  }
}

/**
 * Blocks that were read, of all document stores of a thread, compressed, in a ring of a fixed size: one that is added takes
 * the place of the oldest. What is asked for is decompressed to one place, as far as it has to be.
 *
 * As long as the ring has room, and could hold all of a store, the block's neighbours are read with it: a store that fits
 * is in memory after a few searches, at the price of one read for some forty blocks, and a document that nobody asked for
 * before is but decompressed.
 *
 * Once the ring is full, most blocks that are read only pass: those that are read again soon are added, and one in a
 * few others. If more documents are asked for in turn than the ring holds, each block would otherwise be driven out just
 * before it is asked for again; so the share of them that the ring holds is found there. Blocks asked for often are added
 * sooner than others and stay longer. (M. K. Qureshi et al., "Adaptive Insertion Policies for High Performance Caching",
 * ISCA 2007, has the chance; T. Johnson and D. Shasha, "2Q", VLDB 1994, the second request.)
 */
export class BlockPool {
  static #ofThread: BlockPool | null = null;
  /** Made with the first block, and the memory with it. */
  #decoder: BlockDecoder | null = null;
  #texts: TextView | null = null;
  /** The block that the decoder is in the middle of. */
  #current: PooledBlock | null = null;
  /**
   * Places are taken in turn, and so is the ring: from the oldest on blocks lie in both in the order they came, and
   * where either ends they go on at its start.
   */
  readonly #places: PooledBlock[] = [];
  /** Place of the oldest block, from 0, and how many there are, those that were released included. */
  #oldest = 0;
  #count = 0;
  /** The block that was read last without being added, behind the ring. */
  readonly #passing = new PooledBlock();
  /** The numbers of blocks that passed, by their last bits; of whatever store, since one more is added at worst. */
  readonly #passed: Uint32Array = new Uint32Array(PASSED_MAX);
  /** State of a linear congruential generator. */
  #random = 1;
  readonly #keptOneIn: number;
  readonly #ringStart: number;
  readonly #ringEnd: number;
  readonly #rawLengthMax: number;
  #missCount = 0;
  readonly #blocksMax: number;
  /** Where the next block goes, if it fits before the end. */
  #head: number;

  /**
   * @param ringLength bytes of blocks, at least one of the longest
   * @param rawLengthMax bytes of the longest before compression
   * @param blocksMax from 1 to 65,535
   * @param keptOneIn from 1: all are added
   */
  constructor(
    ringLength: number = RING_LENGTH,
    rawLengthMax: number = RAW_LENGTH_MAX,
    blocksMax: number = BLOCKS_MAX,
    keptOneIn: number = KEPT_ONE_IN,
  ) {
    this.#keptOneIn = keptOneIn;
    this.#rawLengthMax = rawLengthMax;
    this.#blocksMax = blocksMax;
    this.#ringStart = TARGET_START + rawLengthMax + DECODER_MARGIN;
    this.#ringEnd = this.#ringStart + Math.max(ringLength, rawLengthMax + BLOCK_LENGTH_MORE);
    this.#head = this.#ringStart;
  }

  /** The pool that all document stores of a thread share, so that their memory is bounded together. */
  static ofThread(): BlockPool {
    BlockPool.#ofThread ??= new BlockPool();
    return BlockPool.#ofThread;
  }

  /** For `keepFewBlocks`. */
  static keepFewInThread(): void {
    BlockPool.#ofThread = new BlockPool(SMALL_RING_LENGTH);
  }

  /** How often a block was asked for that wasn't there and had to be read, those that are too long included. */
  get missCount(): number {
    return this.#missCount;
  }

  /**
   * The block, valid until the next call; null if it is too long to be kept.
   *
   * @throws CorruptionError naming the file; MalformedBytesError
   */
  find(source: BlockSource, block: number): PooledBlock | null {
    const place = source.places[block]!;
    if (place > 0) return this.#places[place - 1]!;
    if (this.#passing.source === source && this.#passing.block === block) return this.#passing;
    this.#missCount++;
    if (this.#readRun(source, block)) return this.#places[source.places[block]! - 1]!;
    const length = source.blockLength(block);
    if (length > this.#rawLengthMax + BLOCK_LENGTH_MORE) return null;
    return this.#isToBeAdded(block, length)
      ? this.#add(source, block, length)
      : this.#pass(source, block, length);
  }

  /** Adds a block and its neighbours, if nothing has to leave for them; false if the block isn't there afterwards. */
  #readRun(source: BlockSource, block: number): boolean {
    if (source.byteLength > this.#ringEnd - this.#ringStart || source.blockCount > this.#blocksMax)
      return false;
    const windowStart = source.blockOffset(block) - (source.blockOffset(block) % RUN_LENGTH);
    let first = block;
    while (first > 0 && source.blockOffset(first - 1) >= windowStart) first--;
    let end = block + 1;
    while (end < source.blockCount && source.blockOffset(end) < windowStart + RUN_LENGTH) end++;
    const offset = source.blockOffset(first);
    const length = source.blockOffset(end - 1) + source.blockLength(end - 1) - offset;
    if (end - first === 1 || this.#count + end - first > this.#blocksMax || this.#drivesOut(length))
      return false;
    const { bytes } = this.#ready();
    this.#makeRoom(length);
    const start = this.#head;
    source.readBlocksInto(first, end, bytes, start);
    for (let next = first; next < end; next++) {
      if (source.places[next]! > 0) continue;
      const at = start + source.blockOffset(next) - offset;
      // Whoever asks for a damaged block is told.
      if (source.isSound(next, bytes, at)) this.#hold(source, next, at, source.blockLength(next));
    }
    this.#head = start + length;
    return source.places[block]! > 0;
  }

  #add(source: BlockSource, block: number, length: number): PooledBlock | null {
    const decoder = this.#ready();
    this.#makeRoom(length);
    const start = this.#head;
    source.readBlockInto(block, decoder.bytes, start);
    const added = this.#hold(source, block, start, length);
    if (added !== null) this.#head = start + length;
    return added;
  }

  /** Gives a block that has been read to `start` the next place; null if it is too long to be kept. */
  #hold(source: BlockSource, block: number, start: number, length: number): PooledBlock | null {
    const header = blockHeader(this.#ready().bytes, start, block, length);
    if (header.rawLength > this.#rawLengthMax) return null;
    const next = (this.#oldest + this.#count) % this.#blocksMax;
    if (next === this.#places.length) this.#places.push(new PooledBlock());
    const added = this.#places[next]!;
    added.hold(source, block, start, header);
    this.#count++;
    source.places[block] = next + 1;
    return added;
  }

  /** Reads a block without adding it. */
  #pass(source: BlockSource, block: number, length: number): PooledBlock | null {
    const { bytes } = this.#ready();
    const start = this.#ringEnd + DECODER_MARGIN;
    this.#vacate(this.#passing);
    source.readBlockInto(block, bytes, start);
    const header = blockHeader(bytes, start, block, length);
    if (header.rawLength > this.#rawLengthMax) return null;
    this.#passing.hold(source, block, start, header);
    return this.#passing;
  }

  /** Whether a block that isn't there is worth its room. */
  #isToBeAdded(block: number, length: number): boolean {
    if (!this.#drivesOut(length)) return true;
    this.#random = (Math.imul(this.#random, 1_664_525) + 1_013_904_223) >>> 0;
    if ((this.#random >>> 16) % this.#keptOneIn === 0) return true;
    // Fewer than half of what the ring holds, so that blocks asked for in turn aren't taken for such.
    const passedMax = Math.min(1 << (31 - Math.clz32((this.#count >>> 1) | 1)), PASSED_MAX);
    const place = block & (passedMax - 1);
    if (this.#passed[place] === block + 1) return true;
    this.#passed[place] = block + 1;
    return false;
  }

  /** Whether so many bytes at the head would take the place of a block that is still of use. */
  #drivesOut(length: number): boolean {
    if (this.#count === 0 || this.#places[this.#oldest]!.source === null) return false;
    const end = this.#head + length;
    if (this.#count === this.#blocksMax || end > this.#ringEnd) return true;
    return this.#oldestStart >= this.#head && this.#oldestStart < end;
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
    if (this.#passing.source === source) this.#vacate(this.#passing);
    for (let block = 0; block < source.places.length; block++) {
      const place = source.places[block]!;
      if (place > 0) this.#vacate(this.#places[place - 1]!);
    }
  }

  #ready(): BlockDecoder {
    const passingLength = this.#rawLengthMax + BLOCK_LENGTH_MORE + DECODER_MARGIN;
    this.#decoder ??= new BlockDecoder(this.#ringEnd + DECODER_MARGIN + passingLength);
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

  /** Drops the oldest blocks until as many bytes are free at the head, and a place. */
  #makeRoom(length: number): void {
    if (this.#count === this.#blocksMax) this.#dropOldest();
    if (this.#head + length > this.#ringEnd) {
      while (this.#count > 0 && this.#oldestStart >= this.#head) this.#dropOldest();
      this.#head = this.#ringStart;
    }
    const end = this.#head + length;
    while (this.#count > 0 && this.#oldestStart >= this.#head && this.#oldestStart < end) this.#dropOldest();
  }

  get #oldestStart(): number {
    return this.#places[this.#oldest]!.start;
  }

  #dropOldest(): void {
    this.#vacate(this.#places[this.#oldest]!);
    this.#oldest = (this.#oldest + 1) % this.#blocksMax;
    this.#count--;
  }

  /** The block is found no more; its bytes stay until they are written over. */
  #vacate(pooled: PooledBlock): void {
    if (pooled.source !== null) pooled.source.places[pooled.block] = 0;
    pooled.source = null;
    if (this.#current === pooled) this.#current = null;
  }
}

/**
 * For a thread that answers no searches, before it opens a store: the pool of the thread's stores holds few blocks from
 * then on. Each small merge looks at a few documents once, and 23 MB of their blocks came together in a load.
 */
export function keepFewBlocks(): void {
  BlockPool.keepFewInThread();
}
