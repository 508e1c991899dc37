import { BLOCK_SIZE, bitWidth, verticalWordCount } from "../../src/engine/bytes/bit-packing.js";
import { GrowableBytes } from "../../src/engine/bytes/growable-bytes.js";
import { GrowableU32 } from "../../src/engine/bytes/growable-u32.js";
import {
  BOUND_SCALE,
  IMPACT_FREQ_MAX,
  impactNormFactors,
  strongestPosting,
} from "../../src/engine/segment/postings/impacts.js";
import {
  addPostingSections,
  POSITION_GROUP,
  VARINT_BLOCK,
} from "../../src/engine/segment/postings/posting-sections.js";
import type { SectionSink } from "../../src/engine/segment/sections.js";
import { FindlingError } from "../../src/errors/index.js";
import { packVertical, writeBits } from "./bit-writing.js";

/** Bits of a block's positions: their places are u32. */
const POSITION_BITS_MAX = 0xffff_ffff;

/** Packed blocks start here so that aligned words and vectors can view them. */
const BLOCK_ALIGNMENT = 16;

/**
 * Encodes a field's posting lists, one after the other, as FORMAT.md draws them. Per list: `add` for
 * each document in ascending order, then `finish`. At most a block is buffered, whatever the list's
 * length.
 */
export class PostingListWriter {
  /** What the finished list has: its number of documents, where it starts, and where its positions start. */
  docFreq = 0;
  reference = 0;
  positionReference = 0;

  readonly #norms: Uint8Array;
  readonly #widths: Uint8Array;
  readonly #factors: Float64Array;

  readonly #data = new GrowableBytes();
  readonly #positionData = new GrowableBytes();
  readonly #lastDocs = new GrowableU32();
  readonly #dataOffsets = new GrowableU32();
  readonly #positionOffsets = new GrowableU32();
  readonly #positionGroups = new GrowableU32();
  readonly #docBits = new GrowableBytes();
  readonly #freqBits = new GrowableBytes();
  readonly #bounds = new GrowableU32();
  readonly #impacts = new GrowableU32();

  readonly #docs = new Uint32Array(BLOCK_SIZE);
  readonly #freqs = new Uint32Array(BLOCK_SIZE);
  readonly #packing = new Uint32Array(BLOCK_SIZE);
  /** Bits of the block's positions before those of each document. */
  readonly #groupBits = new Uint32Array(BLOCK_SIZE);
  /** Where the positions of the block begun, or the list's, start, and how many bits they have so far. */
  #positionsStart = 0;
  #positionsBits = 0;
  #buffered = 0;
  #listBlocks = 0;
  /** All documents of a list that has blocks. */
  readonly #listDocs = new GrowableU32();
  /** Last document of the list's previous block, -1 before the first. */
  #previousDoc = -1;

  /**
   * @param widths by doc id the bits that its positions take each
   * @param averageLength tokens per document with any; the impacts hold at that length
   */
  constructor(norms: Uint8Array, widths: Uint8Array, averageLength: number) {
    this.#norms = norms;
    this.#widths = widths;
    this.#factors = impactNormFactors(averageLength);
  }

  /** Adds a document of the current list; its positions are `positions[from]` to `positions[from + freq - 1]`, ascending. */
  add(docId: number, freq: number, positions: Uint32Array, from: number): void {
    const index = this.#buffered;
    if (index === 0 && this.#listBlocks === 0) this.#listDocs.length = 0;
    this.#docs[index] = docId;
    this.#freqs[index] = freq;
    const width = this.#widths[docId]!;
    const data = this.#reservePositions(freq * width);
    writeBits(positions, from, freq, width, data.bytes, this.#positionsStart, this.#positionsBits);
    this.#endPosting(freq * width);
  }

  #reservePositions(bits: number): GrowableBytes {
    if (this.#positionsBits + bits > POSITION_BITS_MAX) {
      throw new FindlingError("internal", "128 documents have a term more than 2^26 times; split them");
    }
    const data = this.#positionData;
    data.reserve((bits >>> 3) + 1);
    return data;
  }

  #endPosting(bits: number): void {
    this.#groupBits[this.#buffered] = this.#positionsBits;
    this.#positionsBits += bits;
    this.#positionData.length = this.#positionsStart + Math.ceil(this.#positionsBits / 8);
    if (++this.#buffered === BLOCK_SIZE) this.#writeFullBlock();
  }

  /** The finished list's documents if they are at least 128; valid until the next list starts. */
  documents(): Uint32Array {
    return this.#listDocs.toSection();
  }

  /** Ends the current list; `docFreq` 0 means that nothing was added and nothing written. */
  finish(): void {
    const rest = this.#buffered;
    this.docFreq = this.#listBlocks * BLOCK_SIZE + rest;
    if (this.#listBlocks > 0) {
      if (rest > 0) this.#writeLastBlock();
      const firstBlock = this.#lastDocs.length - this.#listBlocks;
      this.reference = firstBlock;
      this.positionReference = this.#positionOffsets.array[firstBlock]!;
    } else {
      this.positionReference = this.#positionsStart;
      if (rest === 1) {
        this.reference = this.#docs[0]!;
        this.#insertFreq(this.#freqs[0]!);
      } else if (rest > 1) {
        this.reference = this.#data.length;
        this.#writeVarints();
      }
      if (rest > 0) this.#endPositions();
    }
    this.#buffered = 0;
    this.#listBlocks = 0;
    this.#previousDoc = -1;
  }

  write(sink: SectionSink, prefix: string): void {
    addPostingSections(sink, prefix, {
      data: this.#data.toPaddedSection(),
      positionData: this.#positionData.toPaddedSection(),
      lastDocs: this.#lastDocs.toSection(),
      dataOffsets: this.#dataOffsets.toSection(),
      positionOffsets: this.#positionOffsets.toSection(),
      positionGroups: this.#positionGroups.toSection(),
      docBits: this.#docBits.toSection(),
      freqBits: this.#freqBits.toSection(),
      positionWidths: this.#widths,
      bounds: Uint16Array.from(this.#bounds.toSection()),
      impacts: Uint16Array.from(this.#impacts.toSection()),
    });
  }

  #writeFullBlock(): void {
    const docs = this.#docs;
    const freqs = this.#freqs;
    const packing = this.#packing;
    if (this.#listBlocks === 0) align(this.#data, BLOCK_ALIGNMENT);
    this.#startBlock();

    let previous = this.#previousDoc;
    let union = 0;
    for (let i = 0; i < BLOCK_SIZE; i++) {
      const gap = docs[i]! - previous - 1;
      packing[i] = gap;
      union |= gap;
      previous = docs[i]!;
    }
    const docBits = bitWidth(union);
    this.#pack(docBits);

    union = 0;
    for (let i = 0; i < BLOCK_SIZE; i++) {
      const freq = freqs[i]! - 1;
      packing[i] = freq;
      union |= freq;
    }
    const freqBits = bitWidth(union);
    this.#pack(freqBits);
    this.#endBlock(docBits, freqBits);
  }

  /** The block of a list's last documents, fewer than 128. */
  #writeLastBlock(): void {
    this.#startBlock();
    this.#writeVarints();
    this.#endBlock(VARINT_BLOCK, VARINT_BLOCK);
  }

  #startBlock(): void {
    this.#dataOffsets.push(this.#data.length);
    this.#positionOffsets.push(this.#positionsStart);
    this.#listBlocks++;
  }

  #endBlock(docBits: number, freqBits: number): void {
    const docs = this.#docs;
    const count = this.#buffered;
    pushByte(this.#docBits, docBits);
    pushByte(this.#freqBits, freqBits);
    this.#lastDocs.push(docs[count - 1]!);

    const strongest = strongestPosting(docs, this.#freqs, count, this.#norms, this.#factors);
    const freq = this.#freqs[strongest]!;
    const norm = this.#norms[docs[strongest]!]!;
    this.#bounds.push(Math.ceil((BOUND_SCALE * freq) / (freq + this.#factors[norm]!)));
    this.#impacts.push(Math.min(freq, IMPACT_FREQ_MAX) | (norm << 8));

    this.#previousDoc = docs[count - 1]!;
    const listDocs = this.#listDocs;
    listDocs.reserve(count);
    listDocs.array.set(count === BLOCK_SIZE ? docs : docs.subarray(0, count), listDocs.length);
    listDocs.length += count;
    this.#endPositions();
    if (count === BLOCK_SIZE) this.#buffered = 0;
  }

  #pack(bits: number): void {
    const data = this.#data;
    const wordCount = verticalWordCount(bits);
    data.reserve(4 * wordCount);
    packVertical(this.#packing, bits, data.words, data.length / 4);
    data.length += 4 * wordCount;
  }

  #writeVarints(): void {
    const data = this.#data;
    let previous = this.#previousDoc;
    for (let i = 0; i < this.#buffered; i++) {
      const docId = this.#docs[i]!;
      const freq = this.#freqs[i]!;
      pushVarint(data, ((docId - previous) << 1) | (freq === 1 ? 1 : 0));
      if (freq !== 1) pushVarint(data, freq);
      previous = docId;
    }
  }

  /** Ends the positions of a block or short list; the next begin at a whole byte. */
  #endPositions(): void {
    if (this.#listBlocks > 0) {
      for (let entry = POSITION_GROUP; entry < BLOCK_SIZE; entry += POSITION_GROUP) {
        this.#positionGroups.push(entry < this.#buffered ? this.#groupBits[entry]! : this.#positionsBits);
      }
    }
    this.#positionsStart = this.#positionData.length;
    this.#positionsBits = 0;
  }

  /** Puts a single document's frequency before its positions. */
  #insertFreq(freq: number): void {
    const data = this.#positionData;
    const positions = data.bytes.slice(this.#positionsStart, data.length);
    data.bytes.fill(0, this.#positionsStart, data.length);
    data.length = this.#positionsStart;
    pushVarint(data, freq);
    data.reserve(positions.length);
    data.bytes.set(positions, data.length);
    data.length += positions.length;
  }
}

/** Appends an unsigned 32-bit integer, seven bits a byte, least significant first; 1 to 5 bytes. */
function pushVarint(target: GrowableBytes, value: number): void {
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) pushByte(target, (rest & 0x7f) | 0x80);
  pushByte(target, rest);
}

function pushByte(target: GrowableBytes, byte: number): void {
  target.append(Uint8Array.of(byte));
}

/** Appends zeros up to a multiple of `alignment`. */
function align(target: GrowableBytes, alignment: number): void {
  while (target.length % alignment !== 0) pushByte(target, 0);
}
