import { shareAbove, shareBelow, slopeAbove, slopeBelow } from "./bounds-at-length.js";
import type { DenseCache } from "./dense-cache.js";
import { layFieldBlocks } from "./field-blocks.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { LeastNorms } from "./least-norms.js";
import type { FartherDocs, LengthScale, MarkedDocs, NumberRange, WordList } from "./listed-docs.js";
import { type PositionCache, UNKNOWN_STARTS } from "./position-cache.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import * as MEMBER from "./posting-list-members.js";
import type { ScoredDocs } from "./scored-docs.js";
import { FIELDS_MAX, LIST_BYTES, LISTS_MAX, type ScratchLayout } from "./scratch-layout.js";
import { ShortLists } from "./short-lists.js";

const BLOCK_SIZE = 128;
/** Lists in fewer documents, or in less than this part of them, aren't told apart by their frequencies first. */
const FREQUENT_DOCS_MIN = 512;
const FREQUENT_SHARE = 1 / 32;
/** Stands for 1 in a block's bound. */
const BOUND_SCALE = 65_535;
/** Makes a bound that was rounded to f32 one that holds. */
const ROUNDING_MARGIN = 1 + 1e-6;

/** What a fuzzy word's nearest variants score at least, in units of idf. */
const FUZZY_BASE = 0.1;

/** Kinds of `PostingList.shortness`; short lists have two more (`short-lists.ts`). */
const IN_BLOCKS = 0;
const AS_BITS = 3;
const SCORED = 4;
const AS_NUMBERS = 5;

/** The lists of one search in scratch memory, as `assembly/posting-list.ts` reads them. */
export class ListTable {
  readonly #layout: ScratchLayout;
  readonly #dense: DenseCache;
  readonly #positions: PositionCache;
  readonly #images: PostingImage[] = [];
  readonly #places: PostingPlace[] = [];
  readonly #short: ShortLists;
  readonly #leastNorms: LeastNorms;
  readonly #words: Int32Array;
  readonly #floats: Float32Array;
  readonly #doubles: Float64Array;
  /** The tables whose copies are in scratch memory. */
  readonly #lengthNorms: (Float32Array | null)[] = [];
  #fields = 0;
  readonly #fartherScores: ((docId: number) => number)[] = [];
  #count = 0;
  readonly #docFreqs: number[] = [];
  /** Document frequencies, but for lists that can't lead a conjunction. */
  readonly #leadingCosts: number[] = [];
  readonly #denseBits: number[] = [];
  readonly #groups: number[] = [];

  constructor(
    memory: WebAssembly.Memory,
    layout: ScratchLayout,
    dense: DenseCache,
    positions: PositionCache,
    functions: Pick<KernelFunctions, "keepList" | "keepLast">,
  ) {
    const { buffer } = memory;
    this.#short = new ShortLists(memory, layout, functions);
    this.#leastNorms = new LeastNorms(memory);
    this.#layout = layout;
    this.#dense = dense;
    this.#positions = positions;
    this.#words = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#doubles = new Float64Array(buffer);
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

  /** What a document scores by a word's farther variants. */
  fartherScore(word: number, docId: number): number {
    return this.#fartherScores[word]!(docId);
  }

  begin(): void {
    this.#count = 0;
    this.#fields = 0;
    this.#dense.beginSearch();
    this.#short.beginSearch();
  }

  /**
   * Takes one more list; false if there is no room for it. Not by an object, as most searches take little longer
   * than making one.
   *
   * @param weight f32 above 0
   * @param group its lists are summed up before the groups are; groups ascend from 0
   * @param word the list is of one of its nearest variants, and the weight without idf; null: it is a term's
   * @param isAlone whether it will be the only one, which needs no bits
   */
  add(
    image: PostingImage,
    known: PostingPlace,
    weight: number,
    scale: LengthScale,
    group = 0,
    word: WordList | null = null,
    isAlone = false,
  ): boolean {
    if (this.#count === LISTS_MAX) return false;
    const lengthNorms = this.#lengthNormsAt(scale.lengthNorms);
    if (lengthNorms < 0) return false;
    const { averageFieldLength } = scale;
    const index = this.#count++;
    const layout = this.#layout;
    let place = known;
    if (!isAlone && this.#dense.serves(place)) {
      place = this.#dense.placeOf(image, place, () => {
        this.layWalker(image);
        return layout.walker;
      });
    }
    const words = this.#words;
    this.#images[index] = image;
    this.#places[index] = place;
    this.#note(index, group, place.docFreq, place.denseBits);
    const at = (layout.lists + index * LIST_BYTES) >>> 2;
    const block = layout.blocks + index * layout.blockBytes;
    const ratio = image.averageLength / averageFieldLength;
    words[at + MEMBER.DOC_FREQ] = place.docFreq;
    words[at + MEMBER.HAS_EXACT_IMPACTS] = ratio === 1 ? 1 : 0;
    const factor = word === null ? 1 : word.inverseDocFreq;
    const base = word === null ? 0 : word.inverseDocFreq * FUZZY_BASE;
    this.#doubles[(at + MEMBER.IDF) >>> 1] = word === null ? 0 : word.inverseDocFreq;
    words[at + MEMBER.WORD] = word === null ? -1 : word.word;
    words[at + MEMBER.WORD_FIELD] = word === null ? -1 : word.field;
    this.#floats[at + MEMBER.WEIGHT] = weight;
    const slope = factor * weight;
    this.#floats[at + MEMBER.BOUND_UNIT] = (slope * slopeAbove(ratio) * ROUNDING_MARGIN) / BOUND_SCALE;
    this.#floats[at + MEMBER.FLOOR_UNIT] = (slope * slopeBelow(ratio)) / ROUNDING_MARGIN / BOUND_SCALE;
    this.#floats[at + MEMBER.FLOOR_BASE] =
      base / ROUNDING_MARGIN + slope * shareBelow(ratio) * ROUNDING_MARGIN;
    this.#floats[at + MEMBER.BOUND_BASE] = (base + slope * shareAbove(ratio)) * ROUNDING_MARGIN;
    words[at + MEMBER.NORMS] = image.norms;
    words[at + MEMBER.LENGTH_NORMS] = lengthNorms;
    words[at + MEMBER.DENSE_BITS] = place.denseBits;
    words[at + MEMBER.DENSE_RANKS] = place.denseRanks;
    words[at + MEMBER.DOCS] = block;
    words[at + MEMBER.FREQS] = block + layout.blockValueBytes;
    words[at + MEMBER.SCORES] = block + 2 * layout.blockValueBytes;
    words[at + MEMBER.POSITION_WIDTHS] = image.positionWidths;
    words[at + MEMBER.POSITION_DATA] = image.positionData;
    words[at + MEMBER.POSITION_SUMS] = block + 3 * layout.blockValueBytes;
    words[at + MEMBER.LEAST_NORMS] = 0;
    if (place.docFreq >= BLOCK_SIZE) {
      words[at + MEMBER.FIRST_BLOCK] = place.reference;
      words[at + MEMBER.END_BLOCK] = place.reference + Math.ceil(place.docFreq / BLOCK_SIZE);
      layFieldBlocks(words, at, image);
      words[at + MEMBER.BOUNDS] = image.bounds;
      words[at + MEMBER.IMPACTS] = image.impacts;
      words[at + MEMBER.POSITION_OFFSETS] = image.positionOffsets;
      words[at + MEMBER.POSITION_GROUPS] = image.positionGroups;
      words[at + MEMBER.SHORTNESS] = IN_BLOCKS;
      words[at + MEMBER.KEPT_LAST] = 0;
      if ((place.docFreq & (BLOCK_SIZE - 1)) !== 0) {
        this.#short.keepLast(at, image.lastDocs + 4 * place.reference);
      }
    } else {
      this.#short.lay(index, image, place, averageFieldLength);
    }
    return true;
  }

  /** Takes the documents of a word's farther variants; false if there is no room. */
  addFarther({ bits, docFreq, scoreMax, scoreOf, word, group }: FartherDocs): boolean {
    if (this.#count === LISTS_MAX) return false;
    const at = this.#addBits(docFreq, bits, group);
    this.#floats[at + MEMBER.BOUND_BASE] = scoreMax * ROUNDING_MARGIN;
    this.#words[at + MEMBER.WORD] = word;
    this.#fartherScores[word] = scoreOf;
    return true;
  }

  /** Takes documents that score the same; false if there is no room. */
  addMarks({ bits, docFreq, score, group }: MarkedDocs): boolean {
    if (this.#count === LISTS_MAX) return false;
    const at = this.#addBits(docFreq, bits, group);
    this.#floats[at + MEMBER.BOUND_BASE] = score;
    this.#words[at + MEMBER.WORD] = -1;
    return true;
  }

  /** Takes documents by their numbers for `SegmentKernels.topFew`; false if there is no room. */
  addNumbers({ address, width, first, end, docCount }: NumberRange, score: number, group: number): boolean {
    if (this.#count === LISTS_MAX) return false;
    const at = this.#addBits(docCount, 0, group);
    this.#floats[at + MEMBER.BOUND_BASE] = score;
    this.#words[at + MEMBER.WORD] = -1;
    this.#words[at + MEMBER.SHORTNESS] = AS_NUMBERS;
    this.#words[at + MEMBER.DATA] = address;
    this.#words[at + MEMBER.NUMBER_WIDTH] = width;
    this.#words[at + MEMBER.FIRST_NUMBER] = first;
    this.#words[at + MEMBER.NUMBER_RANGE] = end - first;
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
    words[at + MEMBER.WORD] = -1;
    words[at + MEMBER.WORD_FIELD] = -1;
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
    this.#words[at + MEMBER.WORD_FIELD] = -1;
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

  /**
   * Gives the rarest list, if it is a frequent term's, what is known of its blocks' shortest documents; to be called
   * before documents that all lists hold are ranked without counting them.
   */
  knowLeastNorms(): void {
    const index = this.#words[this.orderByDocFreq() >>> 2]!;
    const docFreq = this.#docFreqs[index]!;
    if (docFreq < FREQUENT_DOCS_MIN) return;
    const at = (this.#layout.lists + index * LIST_BYTES) >>> 2;
    const words = this.#words;
    if (words[at + MEMBER.SHORTNESS] !== IN_BLOCKS || words[at + MEMBER.WORD] !== -1) return;
    const image = this.#images[index]!;
    if (docFreq >= image.maxDoc * FREQUENT_SHARE) words[at + MEMBER.LEAST_NORMS] = this.#leastNorms.of(image);
  }

  /** Gives each list what is known of where its positions begin. To be called once in a phrase's search. */
  knowPositions(): void {
    this.#positions.beginSearch();
    // Of two lists the rarer one is decoded anyway.
    const spared = this.#count === 2 ? (this.#docFreqs[0]! <= this.#docFreqs[1]! ? 0 : 1) : -1;
    for (let index = 0; index < this.#count; index++) {
      const place = this.#places[index]!;
      const isServed = index !== spared && this.#denseBits[index] !== 0 && place.docFreq >= BLOCK_SIZE;
      const known = isServed ? this.#positions.of(this.#images[index]!, place) : UNKNOWN_STARTS;
      const at = (this.#layout.lists + index * LIST_BYTES) >>> 2;
      this.#words[at + MEMBER.KNOWN_BLOCKS] = known.blocks;
      this.#words[at + MEMBER.KNOWN_STARTS] = known.starts;
    }
  }

  /** Points the walker, a list that is none of a search's, at a field. */
  layWalker(image: PostingImage): void {
    const words = this.#words;
    const walker = this.#layout.walker >>> 2;
    layFieldBlocks(words, walker, image);
    words[walker + MEMBER.DOCS] = this.#layout.walkerBlock;
    words[walker + MEMBER.FREQS] = this.#layout.walkerBlock + this.#layout.blockValueBytes;
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
