import { lz4Bound } from "../bytes/lz4.js";
import { BuildingMemory } from "./building-memory.js";

/** Of JSON that is placed at a time. */
const WINDOW_BYTES = 1 << 16;
/** Longer documents are packed one by one: an open block and such a document are compressed as a short block. */
const DOCUMENT_BYTES_MAX = 1 << 15;
const OPEN_BYTES_MAX = 1 << 14;
const RAW_BYTES_MAX = 1 << 16;
/** As many as are placed at a time. */
const DOCUMENTS_MAX = 256;
/** Bytes that kernels may read and overwrite behind what they are given and what they write. */
const MARGIN = 16;

/** Of the kernel's table: as `compressShortLz4` wants it. */
const TABLE_BYTES = 2 << 13;

/** Words of the kernels' `Packing`. */
const NEXT = 0;
const END = 1;
const RAW_LENGTH = 3;
const CLOSING_LENGTH = 4;
const PACKING_BYTES = 28;
/** Of an address and a length. */
const PLACE_BYTES = 8;

let ofThread: DocumentPacker | null = null;

/** The packer that a thread's document stores share. */
export function documentPackerOfThread(): DocumentPacker {
  ofThread ??= new DocumentPacker(BuildingMemory.take(true));
  return ofThread;
}

/**
 * Packs documents without members that are kept apart into blocks: one call for each block in place of several for
 * each document. First `open`, then `place` and `pack` in turns, then `openBlock`; nothing is kept from one `open` to
 * the next.
 */
export class DocumentPacker {
  readonly #memory: BuildingMemory;
  readonly #packing: number;
  readonly #places: number;
  readonly #window: number;
  readonly #raw: number;
  readonly #target: number;
  /** Of the closed block, compressed. */
  #payloadLength = 0;

  constructor(memory: BuildingMemory) {
    const { functions } = memory;
    this.#memory = memory;
    this.#packing = functions.zeros(PACKING_BYTES);
    this.#places = functions.allocate(DOCUMENTS_MAX * PLACE_BYTES);
    this.#window = functions.allocate(WINDOW_BYTES + MARGIN);
    this.#raw = functions.allocate(RAW_BYTES_MAX + MARGIN);
    this.#target = functions.allocate(lz4Bound(RAW_BYTES_MAX) + MARGIN);
    const table = functions.allocate(TABLE_BYTES);
    memory.words.set([0, 0, this.#raw, 0, 0, this.#target, table], this.#packing >>> 2);
  }

  /**
   * Begins with a block that holds these bytes, at most 16 KiB.
   *
   * @param closingLength bytes at which a block is closed, no more either
   */
  open(raw: Uint8Array, closingLength: number): void {
    if (Math.max(raw.length, closingLength) > OPEN_BYTES_MAX)
      throw new RangeError(`an open block is ${OPEN_BYTES_MAX} bytes at most`);
    const { bytes, words } = this.#memory;
    bytes.set(raw, this.#raw);
    words[(this.#packing >>> 2) + RAW_LENGTH] = raw.length;
    words[(this.#packing >>> 2) + CLOSING_LENGTH] = closingLength;
  }

  /**
   * Places documents for `pack`, all that were placed before having been packed. Returns how many there was room for,
   * none if the first is too long.
   *
   * @param json with documents one behind the other, and little between them
   * @param offsets by document: where its JSON starts, something else, and where it ends
   */
  place(json: Uint8Array, offsets: Uint32Array, from: number, to: number): number {
    const { words } = this.#memory;
    const start = offsets[3 * from]!;
    const countMax = Math.min(to - from, DOCUMENTS_MAX);
    let at = this.#places >>> 2;
    let count = 0;
    let placedEnd = start;
    for (; count < countMax; count++) {
      const place = 3 * (from + count);
      const begin = offsets[place]!;
      const end = offsets[place + 2]!;
      if (end - begin > DOCUMENT_BYTES_MAX || end - start > WINDOW_BYTES) break;
      words[at++] = this.#window + begin - start;
      words[at++] = end - begin;
      placedEnd = end;
    }
    this.#memory.bytes.set(json.subarray(start, placedEnd), this.#window);
    const packing = this.#packing >>> 2;
    words[packing + NEXT] = this.#places;
    words[packing + END] = this.#places + count * PLACE_BYTES;
    return count;
  }

  /** Packs documents until a block is closed, or none is left: `isClosed` tells. Returns how many. */
  pack(): number {
    const { functions, words } = this.#memory;
    const packing = this.#packing >>> 2;
    const before = words[packing + NEXT]!;
    this.#payloadLength = functions.packBlock(this.#packing);
    return (words[packing + NEXT]! - before) / PLACE_BYTES;
  }

  /** Whether the last `pack` closed a block, which is to be taken by `endBlock` then. */
  get isClosed(): boolean {
    return this.#payloadLength > 0;
  }

  /** Bytes of the block before compression. */
  get rawLength(): number {
    return this.#memory.words[(this.#packing >>> 2) + RAW_LENGTH]!;
  }

  /** Bytes of the closed block as it takes least, compressed or not. */
  get payloadLength(): number {
    return Math.min(this.#payloadLength, this.rawLength);
  }

  /** Copies the closed block, as it takes least, to `target`, and begins an empty one. */
  endBlock(target: Uint8Array, at: number): void {
    const { rawLength, payloadLength } = this;
    const from = payloadLength < rawLength ? this.#target : this.#raw;
    target.set(this.#memory.bytes.subarray(from, from + payloadLength), at);
    this.#memory.words[(this.#packing >>> 2) + RAW_LENGTH] = 0;
  }

  /** The open block, valid until the next call. */
  openBlock(): Uint8Array {
    return this.#memory.bytes.subarray(this.#raw, this.#raw + this.rawLength);
  }
}
