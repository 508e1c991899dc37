import { CorruptionError } from "../../../errors/index.js";
import { bitsetWords } from "../../bytes/bitset.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";
import { SECTION_ENCODINGS, type SectionSink, type SectionSource } from "../sections.js";
import type { DocBits } from "../segment-reader.js";

/** A term is dense, and has its documents stored as bits too, if it is in more than this part of them … */
const DENSE_FRACTION: number = 1 / 16;
/** … and in at least this many. */
const DENSE_DOC_FREQ_MIN = 128;

/** A rank, the number of 1 bits before it, is stored for every group of so many words: 512 bits. */
export const RANK_WORDS = 16;

export function isDense(docFreq: number, maxDoc: number): boolean {
  return docFreq > sparseDocFreqMax(maxDoc);
}

/** Documents that a term may be in without being dense. */
export function sparseDocFreqMax(maxDoc: number): number {
  return Math.max(DENSE_DOC_FREQ_MIN - 1, Math.floor(maxDoc * DENSE_FRACTION));
}

/** Words of one term's bits: whole rank groups, so that every term starts at a multiple of 64 bytes. */
function strideOf(maxDoc: number): number {
  return Math.ceil(bitsetWords(maxDoc) / RANK_WORDS) * RANK_WORDS;
}

/** Collects dense terms in ascending order of ordinal. */
export class DenseDocumentsWriter {
  readonly #stride: number;
  readonly #ordinals = new GrowableU32();
  readonly #bits = new GrowableU32();

  constructor(maxDoc: number) {
    this.#stride = strideOf(maxDoc);
  }

  /** Words of a term's bits. */
  get stride(): number {
    return this.#stride;
  }

  /** @param bits the documents, `stride` words */
  add(ordinal: number, bits: Uint32Array): void {
    this.#ordinals.push(ordinal);
    this.#bits.reserve(this.#stride);
    this.#bits.array.set(bits, this.#bits.length);
    this.#bits.length += this.#stride;
  }

  write(sink: SectionSink, prefix: string): void {
    const bits = this.#bits.toSection();
    const nothing = new Uint8Array(0);
    const rankBytes = (4 * bits.length) / RANK_WORDS;
    sink.add(`${prefix}dense.ordinals`, this.#ordinals.toSection());
    sink.add(`${prefix}dense.bits`, bits);
    sink.addFolded(`${prefix}dense.ranks`, SECTION_ENCODINGS.denseRanks, nothing, rankBytes);
  }
}

/** The documents of dense terms as bits, with a rank per 512 of them. */
export class DenseDocuments {
  readonly ordinals: Uint32Array;
  readonly #bits: Uint32Array;
  readonly #ranks: Uint32Array;
  readonly #words: number;
  readonly #stride: number;

  /** @throws CorruptionError naming `fileName` if the sections don't fit together */
  constructor(source: SectionSource, prefix: string, maxDoc: number, fileName: string) {
    this.ordinals = source.u32(`${prefix}dense.ordinals`);
    this.#bits = source.u32(`${prefix}dense.bits`);
    this.#ranks = source.u32(`${prefix}dense.ranks`);
    this.#words = bitsetWords(maxDoc);
    this.#stride = strideOf(maxDoc);
    const words = this.ordinals.length * this.#stride;
    if (this.#bits.length !== words || this.#ranks.length !== words / RANK_WORDS) {
      throw new CorruptionError(
        fileName,
        `sections '${prefix}dense' don't fit ${this.ordinals.length} dense terms`,
      );
    }
  }

  /** A term's documents as bits, or null if it isn't dense. O(log dense terms). */
  bits(ordinal: number): DocBits | null {
    const index = this.#indexOf(ordinal);
    return index < 0 ? null : this.#bits.subarray(index * this.#stride, index * this.#stride + this.#words);
  }

  /** Entry i is the number of the term's documents before doc id 512·i; null if the term isn't dense. */
  ranks(ordinal: number): Uint32Array | null {
    const index = this.#indexOf(ordinal);
    const groups = this.#stride / RANK_WORDS;
    return index < 0 ? null : this.#ranks.subarray(index * groups, (index + 1) * groups);
  }

  #indexOf(ordinal: number): number {
    const ordinals = this.ordinals;
    let low = 0;
    let high = ordinals.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ordinals[middle]! < ordinal) low = middle + 1;
      else high = middle;
    }
    return ordinals[low] === ordinal ? low : -1;
  }
}
