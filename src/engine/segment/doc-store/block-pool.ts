import { ByteReader } from "../../bytes/byte-reader.js";
import { type BlockDecoder, createBlockDecoder, DECODER_MARGIN } from "../../kernels/block-decoder.js";
import { BLOCK_HEADER_LENGTH, blockHeader, CODEC_RAW } from "./doc-store-format.js";

/** Places of one length, and how many of them. */
interface PlaceKind {
  /** Bytes of a block before compression, at most. */
  readonly length: number;
  readonly count: number;
}

/**
 * Ascending. Documents of up to half a block share blocks of up to 8 KiB; longer documents have larger
 * ones, or one for themselves. 40 MiB together, which the system gives page by page as they are used.
 */
const PLACE_KINDS: readonly PlaceKind[] = [
  { length: 8 * 1024, count: 4096 },
  { length: 64 * 1024, count: 128 },
];
/** Blocks that are longer before compression aren't kept. */
const PLACE_LENGTH_MAX = 64 * 1024;
/** Longest block in the file that can be kept: header and raw bytes, or a bit less of LZ4. */
const INPUT_LENGTH = PLACE_LENGTH_MAX + 1024;

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

/** A place in the pool, and the block there: its bytes are `start` to `end` of the pool's. */
export class PooledBlock {
  readonly start: number;
  end: number;
  /** How far it is decompressed. */
  filledTo: number;
  source: BlockSource | null = null;
  block = 0;
  /** Asked for again since it came in, or since it was last spared for that. */
  isUsedAgain = false;
  /** Texts of its documents that have been asked for again, by doc id; for the store to use. */
  texts: Map<number, string> | null = null;

  constructor(start: number) {
    this.start = start;
    this.end = start;
    this.filledTo = start;
  }
}

/**
 * The blocks that were asked for last, of all document stores of a thread, in one memory of a fixed
 * size. A block is decompressed as far as it is asked for. When room is needed, blocks asked for only
 * once go first (second chance: Corbató, A Paging Experiment with the Multics System, 1968).
 */
export class BlockPool {
  static #ofThread: BlockPool | null = null;
  /** As `PLACE_KINDS`. */
  readonly #rows: readonly PlaceRow[];
  readonly #length: number;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Made with the first block, and the memory with it. */
  #decoder: BlockDecoder | null = null;
  /** The block that the decoder is in the middle of. */
  #current: PooledBlock | null = null;

  /** @param placesMax blocks of each kind that are kept at most, at least 1 */
  constructor(placesMax: number = Number.POSITIVE_INFINITY) {
    let end = INPUT_LENGTH + DECODER_MARGIN;
    this.#rows = PLACE_KINDS.map(({ length, count }) => {
      const row = new PlaceRow(end, length, Math.min(count, placesMax));
      end = row.end;
      return row;
    });
    this.#length = end;
  }

  /** The pool that all document stores of a thread share, so that their memory is bounded together. */
  static ofThread(): BlockPool {
    BlockPool.#ofThread ??= new BlockPool();
    return BlockPool.#ofThread;
  }

  /** What the offsets of pooled blocks mean. */
  get bytes(): Uint8Array {
    return this.#bytes;
  }

  /**
   * The block, to be filled before it is read, and valid until the next call; null if it is too long
   * to be kept.
   *
   * @throws CorruptionError naming the file; MalformedBytesError
   */
  find(source: BlockSource, block: number): PooledBlock | null {
    const pooled = source.pooled.get(block);
    if (pooled !== undefined) {
      pooled.isUsedAgain = true;
      return pooled;
    }
    if (source.blockLength(block) > INPUT_LENGTH) return null;
    const header = this.#readInput(source, block);
    const row = this.#rows.find(({ length }) => header.rawLength <= length);
    if (row === undefined) return null;
    const place = this.#takePlace(row);
    place.source = source;
    place.block = block;
    place.end = place.start + header.rawLength;
    source.pooled.set(block, place);
    this.#begin(place, header.codec);
    return place;
  }

  /**
   * Decompresses a block that `find` has given, up to `end` at least, an offset in `bytes`.
   *
   * @throws as `find`; the block has left the pool then
   */
  fill(pooled: PooledBlock, end: number): void {
    if (pooled.filledTo >= end) return;
    const { source, block } = pooled;
    if (source === null) throw new TypeError("the block has left the pool");
    try {
      if (this.#current !== pooled) this.#begin(pooled, this.#readInput(source, block).codec);
      if (pooled.filledTo < end) pooled.filledTo = this.#decoder!.decodeTo(Math.min(end, pooled.end));
    } catch (error) {
      this.#vacate(pooled);
      throw error;
    }
  }

  /** Forgets all blocks of a store. */
  release(source: BlockSource): void {
    for (const pooled of [...source.pooled.values()]) this.#vacate(pooled);
  }

  /** Reads a block to the beginning of the memory. */
  #readInput(source: BlockSource, block: number): { readonly codec: number; readonly rawLength: number } {
    if (this.#decoder === null) {
      this.#decoder = createBlockDecoder(this.#length);
      this.#bytes = this.#decoder.bytes;
    }
    this.#current = null;
    source.readBlockInto(block, this.#bytes, 0);
    return blockHeader(new ByteReader(this.#bytes), block, source.blockLength(block));
  }

  /** Makes the block that was read the current one. */
  #begin(pooled: PooledBlock, codec: number): void {
    const sourceEnd = pooled.source!.blockLength(pooled.block);
    if (codec === CODEC_RAW) {
      this.#bytes.copyWithin(pooled.start, BLOCK_HEADER_LENGTH, sourceEnd);
      pooled.filledTo = pooled.end;
      return;
    }
    this.#decoder!.start({
      sourceStart: BLOCK_HEADER_LENGTH,
      sourceEnd,
      targetStart: pooled.start,
      targetEnd: pooled.end,
    });
    pooled.filledTo = pooled.start;
    this.#current = pooled;
  }

  #takePlace(row: PlaceRow): PooledBlock {
    // Ends: the first turn spares each block at most once.
    for (;;) {
      const place = row.next();
      if (place.source === null) return place;
      if (!place.isUsedAgain) {
        this.#vacate(place);
        return place;
      }
      place.isUsedAgain = false;
    }
  }

  #vacate(place: PooledBlock): void {
    place.source?.pooled.delete(place.block);
    place.source = null;
    place.isUsedAgain = false;
    place.texts = null;
    if (this.#current === place) this.#current = null;
  }
}

/** The places of one kind, from `start` to `end` of the memory. */
class PlaceRow {
  readonly length: number;
  readonly end: number;
  readonly #start: number;
  readonly #count: number;
  readonly #places: PooledBlock[] = [];
  #hand = 0;

  constructor(start: number, length: number, count: number) {
    this.length = length;
    this.#start = start;
    this.#count = count;
    this.end = start + count * (length + DECODER_MARGIN);
  }

  /** The places in turn, unused ones first. */
  next(): PooledBlock {
    if (this.#places.length < this.#count) {
      const place = new PooledBlock(this.#start + this.#places.length * (this.length + DECODER_MARGIN));
      this.#places.push(place);
      return place;
    }
    const place = this.#places[this.#hand]!;
    this.#hand = (this.#hand + 1) % this.#count;
    return place;
  }
}
