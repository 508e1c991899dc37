import { shareAbove, shareBelow, slopeAbove, slopeBelow } from "./bounds-at-length.js";
import { layFieldBlocks } from "./field-blocks.js";
import type { LengthScale, MarkedDocs } from "./listed-docs.js";
import { onlyFreq } from "./only-freq.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import * as MEMBER from "./posting-list-members.js";
import type { ScoredDocs } from "./scored-docs.js";
import {
  FIELDS_MAX,
  LIST_BYTES,
  LISTS_MAX,
  type ScratchLayout,
  SHORT_METADATA_BYTES,
} from "./scratch-layout.js";

const BLOCK_SIZE = 128;
/** Stands for 1 in a block's bound. */
const BOUND_SCALE = 65_535;
/** Makes a bound that was rounded to f32 one that holds. */
const ROUNDING_MARGIN = 1 + 1e-6;

/** Kinds of `PostingList.shortness`. */
const IN_BLOCKS = 0;
const AS_VARINTS = 1;
const IN_BUFFERS = 2;
const AS_BITS = 3;
const SCORED = 4;

/** The lists of one search in scratch memory, as `assembly/posting-list.ts` reads them. */
export class ListTable {
  readonly #layout: ScratchLayout;
  readonly #words: Int32Array;
  readonly #floats: Float32Array;
  readonly #bytes: Uint8Array;
  /** The tables whose copies are in scratch memory. */
  readonly #lengthNorms: (Float32Array | null)[] = [];
  #fields = 0;
  #count = 0;
  readonly #docFreqs: number[] = [];
  /** Document frequencies, but for lists that can't lead a conjunction. */
  readonly #leadingCosts: number[] = [];
  readonly #denseBits: number[] = [];
  readonly #groups: number[] = [];

  constructor(memory: WebAssembly.Memory, layout: ScratchLayout) {
    const { buffer } = memory;
    this.#layout = layout;
    this.#words = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
  }

  get count(): number {
    return this.#count;
  }

  /** Documents of a list. */
  docFreqOf(index: number): number {
    return this.#docFreqs[index]!;
  }

  /** Address of the bits of a list's documents; 0 if it has none. */
  denseBitsOf(index: number): number {
    return this.#denseBits[index]!;
  }

  /** Whether a list is nothing but documents. */
  isBits(index: number): boolean {
    return this.#leadingCosts[index] === Number.MAX_SAFE_INTEGER;
  }

  groupOf(index: number): number {
    return this.#groups[index]!;
  }

  begin(): void {
    this.#count = 0;
    this.#fields = 0;
  }

  /**
   * Takes one more list; false if there is no room for it. Not by an object, as most searches take little longer
   * than making one.
   *
   * @param weight f32 above 0
   * @param group its lists are summed up before the groups are; groups ascend from 0
   */
  add(
    image: PostingImage,
    place: PostingPlace,
    weight: number,
    { lengthNorms, averageFieldLength }: LengthScale,
    group: number,
  ): boolean {
    if (this.#count === LISTS_MAX) return false;
    const norms = this.#lengthNormsAt(lengthNorms);
    if (norms < 0) return false;
    const index = this.#count++;
    const layout = this.#layout;
    const words = this.#words;
    this.#note(index, group, place.docFreq, place.denseBits);
    const at = (layout.lists + index * LIST_BYTES) >>> 2;
    const block = layout.blocks + index * layout.blockBytes;
    words[at + MEMBER.DOC_FREQ] = place.docFreq;
    this.#floats[at + MEMBER.WEIGHT] = weight;
    words[at + MEMBER.NORMS] = image.norms;
    words[at + MEMBER.LENGTH_NORMS] = norms;
    words[at + MEMBER.DENSE_BITS] = place.denseBits;
    words[at + MEMBER.DENSE_RANKS] = place.denseRanks;
    words[at + MEMBER.DOCS] = block;
    words[at + MEMBER.FREQS] = block + layout.blockValueBytes;
    words[at + MEMBER.SCORES] = block + 2 * layout.blockValueBytes;
    words[at + MEMBER.POSITION_WIDTHS] = image.positionWidths;
    words[at + MEMBER.POSITION_DATA] = image.positionData;
    words[at + MEMBER.POSITION_SUMS] = block + 3 * layout.blockValueBytes;
    if (place.docFreq < BLOCK_SIZE) {
      this.#layShort(index, image, place);
      return true;
    }
    const ratio = image.averageLength / averageFieldLength;
    words[at + MEMBER.HAS_EXACT_IMPACTS] = ratio === 1 ? 1 : 0;
    this.#floats[at + MEMBER.BOUND_UNIT] = (weight * slopeAbove(ratio) * ROUNDING_MARGIN) / BOUND_SCALE;
    this.#floats[at + MEMBER.FLOOR_UNIT] = (weight * slopeBelow(ratio)) / ROUNDING_MARGIN / BOUND_SCALE;
    this.#floats[at + MEMBER.FLOOR_BASE] = weight * shareBelow(ratio) * ROUNDING_MARGIN;
    this.#floats[at + MEMBER.BOUND_BASE] = weight * shareAbove(ratio) * ROUNDING_MARGIN;
    words[at + MEMBER.FIRST_BLOCK] = place.reference;
    words[at + MEMBER.END_BLOCK] = place.reference + Math.ceil(place.docFreq / BLOCK_SIZE);
    layFieldBlocks(words, at, image);
    words[at + MEMBER.BOUNDS] = image.bounds;
    words[at + MEMBER.IMPACTS] = image.impacts;
    words[at + MEMBER.POSITION_OFFSETS] = image.positionOffsets;
    words[at + MEMBER.POSITION_GROUPS] = image.positionGroups;
    words[at + MEMBER.SHORTNESS] = IN_BLOCKS;
    return true;
  }

  /**
   * Lays out the rest of a list of fewer than 128 documents: there is no block metadata in the image, so one block's
   * is written here.
   */
  #layShort(index: number, image: PostingImage, place: PostingPlace): void {
    const words = this.#words;
    const layout = this.#layout;
    const at = (layout.lists + index * LIST_BYTES) >>> 2;
    const metadata = layout.shortMetadata + index * SHORT_METADATA_BYTES;
    words[at + MEMBER.FIRST_BLOCK] = 0;
    words[at + MEMBER.END_BLOCK] = 1;
    words[at + MEMBER.HAS_EXACT_IMPACTS] = 0;
    this.#floats[at + MEMBER.FLOOR_UNIT] = 0;
    this.#floats[at + MEMBER.FLOOR_BASE] = 0;
    words[at + MEMBER.LAST_DOCS] = metadata;
    words[at + MEMBER.DATA_OFFSETS] = metadata + 4;
    words[at + MEMBER.DOC_BITS] = metadata + 8;
    words[at + MEMBER.FREQ_BITS] = metadata + 12;
    words[at + MEMBER.BOUNDS] = metadata + 16;
    words[at + MEMBER.IMPACTS] = metadata + 32;
    words[at + MEMBER.DATA] = image.data + place.reference;
    words[at + MEMBER.SHORTNESS] = AS_VARINTS;
    // A block as varints, should anyone ask for it again.
    this.#bytes[metadata + 8] = 255;
    this.#bytes[metadata + 12] = 255;
    words[(metadata + 4) >>> 2] = 0;
    let positions = place.positionReference;
    if (place.docFreq === 1) {
      const { freq, next } = onlyFreq(this.#bytes, image.positionData + positions);
      positions = next - image.positionData;
      const block = layout.blocks + index * layout.blockBytes;
      words[at + MEMBER.SHORTNESS] = IN_BUFFERS;
      words[block >>> 2] = place.reference;
      words[(block + layout.blockValueBytes) >>> 2] = freq;
    }
    words[at + MEMBER.POSITION_OFFSETS] = metadata + 48;
    words[at + MEMBER.POSITION_GROUPS] = 0;
    words[(metadata + 48) >>> 2] = positions;
  }

  /** Takes documents that score the same; false if there is no room. */
  addMarks({ bits, docFreq, score, group }: MarkedDocs): boolean {
    if (this.#count === LISTS_MAX) return false;
    const at = this.#addBits(docFreq, bits, group);
    this.#floats[at + MEMBER.BOUND_BASE] = score;
    return true;
  }

  /** Takes documents whose scores are known; false if there is no room. */
  addScored(list: ScoredDocs, group: number): boolean {
    if (this.#count === LISTS_MAX) return false;
    const index = this.#count++;
    const { docs, scores, count, lastDocs, bounds, scoreMax } = list;
    this.#note(index, group, count, 0);
    const words = this.#words;
    const at = (this.#layout.lists + index * LIST_BYTES) >>> 2;
    words.fill(0, at, at + LIST_BYTES / 4);
    words[at + MEMBER.DOC_FREQ] = count;
    words[at + MEMBER.END_BLOCK] = Math.ceil(count / BLOCK_SIZE);
    this.#floats[at + MEMBER.WEIGHT] = 1;
    this.#floats[at + MEMBER.BOUND_UNIT] = (scoreMax * ROUNDING_MARGIN) / BOUND_SCALE;
    this.#floats[at + MEMBER.FLOOR_UNIT] = scoreMax / ROUNDING_MARGIN / BOUND_SCALE;
    words[at + MEMBER.LAST_DOCS] = lastDocs;
    words[at + MEMBER.BOUNDS] = bounds;
    words[at + MEMBER.DATA] = docs;
    words[at + MEMBER.SHORTNESS] = SCORED;
    words[at + MEMBER.ALL_SCORES] = scores;
    return true;
  }

  #addBits(docFreq: number, bits: number, group: number): number {
    const index = this.#count++;
    const at = (this.#layout.lists + index * LIST_BYTES) >>> 2;
    this.#note(index, group, docFreq, bits);
    this.#words.fill(0, at, at + LIST_BYTES / 4);
    this.#leadingCosts[index] = Number.MAX_SAFE_INTEGER;
    this.#words[at + MEMBER.DOC_FREQ] = docFreq;
    this.#words[at + MEMBER.DENSE_BITS] = bits;
    this.#words[at + MEMBER.SHORTNESS] = AS_BITS;
    return at;
  }

  /** Writes the lists' order, those of fewest documents first and mere bits last, where the kernels read it. */
  orderByDocFreq(): number {
    const docFreqs = this.#leadingCosts;
    const start = this.#layout.order >>> 2;
    for (let place = 0; place < this.#count; place++) {
      let hole = place;
      for (; hole > 0 && docFreqs[this.#words[start + hole - 1]!]! > docFreqs[place]!; hole--) {
        this.#words[start + hole] = this.#words[start + hole - 1]!;
      }
      this.#words[start + hole] = place;
    }
    return this.#layout.order;
  }

  /** Points the walker, a list that is none of a search's, at a field. */
  layWalker(image: PostingImage): void {
    const words = this.#words;
    const walker = this.#layout.walker >>> 2;
    layFieldBlocks(words, walker, image);
    words[walker + MEMBER.DOCS] = this.#layout.walkerBlock;
    words[walker + MEMBER.FREQS] = this.#layout.walkerBlock + this.#layout.blockValueBytes;
    words[walker + MEMBER.POSITION_SUMS] = this.#layout.walkerBlock + 3 * this.#layout.blockValueBytes;
    words[walker + MEMBER.POSITION_OFFSETS] = image.positionOffsets;
    words[walker + MEMBER.POSITION_WIDTHS] = image.positionWidths;
    words[walker + MEMBER.POSITION_DATA] = image.positionData;
  }

  #note(index: number, group: number, docFreq: number, denseBits: number): void {
    this.#words[(this.#layout.groups >>> 2) + index] = group;
    this.#groups[index] = group;
    this.#docFreqs[index] = docFreq;
    this.#leadingCosts[index] = docFreq;
    this.#denseBits[index] = denseBits;
  }

  /** Address of a table's copy; -1 if there is no room. */
  #lengthNormsAt(table: Float32Array): number {
    for (let field = 0; field < this.#fields; field++) {
      if (this.#lengthNorms[field] === table) return this.#layout.lengthNorms + field * 1024;
    }
    if (this.#fields === FIELDS_MAX) return -1;
    const field = this.#fields++;
    const address = this.#layout.lengthNorms + field * 1024;
    if (this.#lengthNorms[field] !== table) {
      this.#floats.set(table, address >>> 2);
      this.#lengthNorms[field] = table;
    }
    return address;
  }
}
