import { DenseCache } from "./dense-cache.js";
import { growByScratch } from "./image-memory.js";
import { compiledKernels, instantiateKernels, type KernelFunctions } from "./kernel-module.js";
import type { PostingImage, PostingPlace, SegmentImage } from "./posting-image.js";
import {
  BITSETS,
  FIELDS_MAX,
  HITS_MAX,
  LIST_BYTES,
  LISTS_MAX,
  PHRASE_TOKEN_BYTES,
  type ScratchLayout,
  SHORT_METADATA_BYTES,
  scratchLayout,
  UNITED_TERM_BYTES,
  UNITED_TERMS_MAX,
} from "./scratch-layout.js";

const BLOCK_SIZE = 128;
/** Stands for 1 in a block's bound. */
const BOUND_SCALE = 65_535;
/** Makes a bound that was rounded to f32 one that holds. */
const ROUNDING_MARGIN = 1 + 1e-6;

/** What a fuzzy word's nearest variants score at least, in units of idf. */
const FUZZY_BASE = 0.1;

/** Kinds of `PostingList.shortness`. */
const IN_BLOCKS = 0;
const AS_VARINTS = 1;
const IN_BUFFERS = 2;
const AS_BITS = 3;

/** Bitsets that are added at a time, for words' farther variants. */
const MORE_BITSETS = 8;

/** What makes a list one of a typo-tolerant word's. */
export interface WordList {
  /** Number of the word in the search, from 0. */
  readonly word: number;
  /** Number of the field within the word; lists of a field follow one another. */
  readonly field: number;
  /** Above 0. */
  readonly inverseDocFreq: number;
}

export interface ScoredList {
  readonly image: PostingImage;
  readonly place: PostingPlace;
  /** f32 above 0. */
  readonly weight: number;
  /** K by norm code, and the average length that it was made for. */
  readonly lengthNorms: Float32Array;
  readonly averageLength: number;
  /** Lists of a group are summed up before the groups are; groups ascend from 0. */
  readonly group: number;
  /** The list is of one of a word's nearest variants, its weight without idf; null: it is a term's. */
  readonly word: WordList | null;
}

/** Documents of a word's farther variants; they come after the lists of its nearest ones. */
export interface FartherDocs {
  /** Address of their bits. */
  readonly bits: number;
  /** How many there are. */
  readonly docFreq: number;
  /** What they score at most. */
  readonly scoreMax: number;
  /** What one of them scores exactly. */
  readonly scoreOf: (docId: number) => number;
  readonly word: number;
  readonly group: number;
}

/**
 * The kernels over one segment's image, for one thread: `begin`, `add` for each list, `prepare`, then
 * what is asked of them. Nothing is kept from one search to the next but the
 * bits of terms that are asked for repeatedly.
 */
export class SegmentKernels {
  readonly functions: KernelFunctions;
  readonly layout: ScratchLayout;
  /** Scores and doc ids of the hits that a top function has found, best first. */
  readonly hitScores: Float32Array;
  readonly hitDocs: Uint32Array;
  readonly #memory: WebAssembly.Memory;
  readonly #maxDoc: number;
  readonly #words: Int32Array;
  readonly #floats: Float32Array;
  readonly #doubles: Float64Array;
  readonly #bytes: Uint8Array;
  /** The tables whose copies are in scratch memory. */
  readonly #lengthNorms: (Float32Array | null)[] = [];
  #fields = 0;
  readonly #dense: DenseCache;
  readonly #fartherScores: ((docId: number) => number)[] = [];
  readonly #moreBitsets: number[] = [];
  #countAddress = 0;
  #countCapacity = 0;
  #count = 0;
  readonly #docFreqs: number[] = [];
  readonly #denseBits: number[] = [];
  readonly #groups: number[] = [];

  /** For `SegmentKernels.over`. */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory, maxDoc: number) {
    const { bytes } = scratchLayout(0, maxDoc);
    this.layout = scratchLayout(growByScratch(memory, bytes), maxDoc);
    this.functions = instantiateKernels(module, memory, (word, docId) => this.#fartherScores[word]!(docId));
    this.#doubles = new Float64Array(memory.buffer);
    this.#memory = memory;
    this.#maxDoc = maxDoc;
    const { bitsetBytes } = this.layout;
    this.#dense = new DenseCache(memory, this.functions, { bitsetBytes, maxDoc });
    const { buffer } = memory;
    this.#words = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#bytes = new Uint8Array(buffer);
    const { layout } = this;
    this.hitScores = new Float32Array(buffer, layout.hitScores, HITS_MAX);
    this.hitDocs = new Uint32Array(buffer, layout.hitDocs, HITS_MAX);
    this.functions.attach(
      layout.entries,
      layout.narrowed,
      layout.marks,
      layout.maxOrder,
      layout.windowOrder,
      layout.sums,
      layout.touched,
      layout.greatestBounds,
    );
  }

  /** This thread's kernels over a memory; null where there are none. */
  static over({ memory, maxDoc }: SegmentImage): SegmentKernels | null {
    let kernels = byMemory.get(memory);
    if (kernels === undefined) {
      kernels = open(memory, maxDoc);
      byMemory.set(memory, kernels);
    }
    return kernels;
  }

  get listCount(): number {
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

  groupOf(index: number): number {
    return this.#groups[index]!;
  }

  begin(): void {
    this.#count = 0;
    this.#fields = 0;
    this.#fartherScores.length = 0;
    this.#dense.beginSearch();
  }

  /** Takes one more list; false if there is no room for it. */
  add(list: ScoredList): boolean {
    if (this.#count === LISTS_MAX) return false;
    const lengthNorms = this.#lengthNormsAt(list.lengthNorms);
    if (lengthNorms < 0) return false;
    const index = this.#count++;
    const { image, weight } = list;
    const { layout } = this;
    const place = this.#dense.placeOf(image, list.place, () => {
      this.#layWalker(image);
      return layout.walker;
    });
    const words = this.#words;
    this.#note(index, list.group, place.docFreq, place.denseBits);
    const at = (layout.lists + index * LIST_BYTES) >>> 2;
    const block = layout.blocks + index * layout.blockBytes;
    const scale = Math.max(1, list.averageLength / image.averageLength) * ROUNDING_MARGIN;
    words[at] = place.docFreq;
    words[at + 3] = list.averageLength === image.averageLength ? 1 : 0;
    const { word } = list;
    const factor = word === null ? 1 : word.inverseDocFreq;
    const base = word === null ? 0 : word.inverseDocFreq * FUZZY_BASE;
    this.#doubles[(at + 28) >>> 1] = word === null ? 0 : word.inverseDocFreq;
    words[at + 30] = word === null ? -1 : word.word;
    words[at + 31] = word === null ? -1 : word.field;
    this.#floats[at + 4] = weight;
    this.#floats[at + 5] = (factor * weight * scale) / BOUND_SCALE;
    const floorScale = Math.min(1, list.averageLength / image.averageLength) / ROUNDING_MARGIN;
    this.#floats[at + 25] = (factor * weight * floorScale) / BOUND_SCALE;
    this.#floats[at + 26] = base / ROUNDING_MARGIN;
    this.#floats[at + 27] = base * ROUNDING_MARGIN;
    words[at + 13] = image.norms;
    words[at + 14] = lengthNorms;
    words[at + 15] = place.denseBits;
    words[at + 16] = place.denseRanks;
    words[at + 17] = block;
    words[at + 18] = block + layout.blockValueBytes;
    words[at + 19] = block + 2 * layout.blockValueBytes;
    words[at + 22] = image.positionData;
    words[at + 23] = block + 3 * layout.blockValueBytes;
    if (place.docFreq >= BLOCK_SIZE) {
      words[at + 1] = place.reference;
      words[at + 2] = place.reference + Math.ceil(place.docFreq / BLOCK_SIZE);
      words[at + 6] = image.lastDocs;
      words[at + 7] = image.dataOffsets;
      words[at + 8] = image.docBits;
      words[at + 9] = image.freqBits;
      words[at + 10] = image.bounds;
      words[at + 11] = image.impacts;
      words[at + 12] = image.data;
      words[at + 20] = image.positionOffsets;
      words[at + 21] = image.positionBits;
      words[at + 24] = IN_BLOCKS;
    } else {
      this.#addShort(index, at, block, list);
    }
    return true;
  }

  /** Takes the documents of a word's farther variants; false if there is no room. */
  addFarther({ bits, docFreq, scoreMax, scoreOf, word, group }: FartherDocs): boolean {
    if (this.#count === LISTS_MAX) return false;
    const index = this.#count++;
    const words = this.#words;
    const at = (this.layout.lists + index * LIST_BYTES) >>> 2;
    this.#note(index, group, docFreq, bits);
    words.fill(0, at, at + LIST_BYTES / 4);
    words[at] = docFreq;
    words[at + 15] = bits;
    words[at + 24] = AS_BITS;
    this.#floats[at + 27] = scoreMax * ROUNDING_MARGIN;
    words[at + 30] = word;
    words[at + 31] = -1;
    this.#fartherScores[word] = scoreOf;
    return true;
  }

  /** To be called once all lists are there; all documents count until `functions.accept` says otherwise. */
  prepare(): void {
    const { layout } = this;
    this.functions.prepare(layout.lists, this.#count, layout.groups, this.#maxDoc);
  }

  /** Address of a bitset besides those that every search uses, numbered from 0; its content is undefined. */
  moreBitset(index: number): number {
    while (this.#moreBitsets.length <= index) {
      const { bitsetBytes } = this.layout;
      const start = growByScratch(this.#memory, MORE_BITSETS * bitsetBytes);
      for (let i = 0; i < MORE_BITSETS; i++) this.#moreBitsets.push(start + i * bitsetBytes);
    }
    return this.#moreBitsets[index]!;
  }

  /** `size` integers that are 0, valid until they are next asked for. */
  counts(size: number): { readonly address: number; readonly values: Int32Array } {
    if (this.#countCapacity < size) {
      this.#countCapacity = Math.max(16_384, 2 * size);
      this.#countAddress = growByScratch(this.#memory, this.#countCapacity * 4);
    }
    const values = new Int32Array(this.#memory.buffer, this.#countAddress, size).fill(0);
    return { address: this.#countAddress, values };
  }

  /** Adds the documents of all terms of a field from ordinal `first` up to, not including, `end` to bits. */
  orTermRange(target: number, image: PostingImage, first: number, end: number): void {
    this.#layWalker(image);
    const { walker } = this.layout;
    this.functions.orTermRange(target, image.docFreqs, image.references, first, end, image.data, walker);
  }

  /** Adds the documents of terms of one field to bits. */
  orTerms(target: number, image: PostingImage, places: readonly PostingPlace[]): void {
    const { layout } = this;
    const words = this.#words;
    this.#layWalker(image);
    for (let from = 0; from < places.length; from += UNITED_TERMS_MAX) {
      const count = Math.min(UNITED_TERMS_MAX, places.length - from);
      for (let i = 0; i < count; i++) {
        const place = places[from + i]!;
        const at = (layout.unitedTerms + i * UNITED_TERM_BYTES) >>> 2;
        words[at] = place.docFreq;
        words[at + 1] = place.reference;
        words[at + 2] = place.denseBits;
      }
      this.functions.orTerms(
        target,
        layout.bitsetBytes,
        layout.unitedTerms,
        count,
        image.data,
        layout.walker,
      );
    }
  }

  /** Writes the lists' order, those of fewest documents first, where the kernels read it. */
  orderByDocFreq(): number {
    const docFreqs = this.#docFreqs;
    const start = this.layout.order >>> 2;
    for (let place = 0; place < this.#count; place++) {
      let hole = place;
      for (; hole > 0 && docFreqs[this.#words[start + hole - 1]!]! > docFreqs[place]!; hole--) {
        this.#words[start + hole] = this.#words[start + hole - 1]!;
      }
      this.#words[start + hole] = place;
    }
    return this.layout.order;
  }

  /**
   * The best documents in which tokens stand at given distances, one list for each different term.
   *
   * @param tokens by ascending offset, at most `PHRASE_TOKENS_MAX`
   * @param limit hits wanted, 0: none; only scores above `leastScore` count
   * @param isCounting whether the number of matches must be right
   * @param target address of cleared bits that take the matches; 0: not wanted
   */
  topPhrase(
    tokens: readonly { readonly list: number; readonly offset: number }[],
    limit: number,
    leastScore: number,
    isCounting: boolean,
    target: number,
  ): { readonly count: number; readonly hitCount: number } {
    const { layout, functions } = this;
    tokens.forEach(({ list, offset }, i) => {
      const at = (layout.phraseTokens + i * PHRASE_TOKEN_BYTES) >>> 2;
      this.#words[at] = list;
      this.#words[at + 1] = offset;
    });
    const count = functions.topPhrase(
      layout.hitScores,
      layout.hitDocs,
      limit,
      leastScore,
      this.orderByDocFreq(),
      layout.phraseTokens,
      tokens.length,
      layout.phrasePlaces,
      isCounting ? 1 : 0,
      target,
    );
    return { count, hitCount: functions.endPhrase() };
  }

  /** Address of one of the bitsets. */
  bitsetAddress(index: number): number {
    if (index >= BITSETS) throw new RangeError(`there are ${BITSETS} bitsets, asked for ${index}`);
    return this.layout.bitsets + index * this.layout.bitsetBytes;
  }

  /** One of the bitsets, as words of maxDoc bits and up to 511 more that are 0. */
  bitset(index: number): Uint32Array {
    return new Uint32Array(this.#memory.buffer, this.bitsetAddress(index), this.layout.bitsetBytes / 4);
  }

  #note(index: number, group: number, docFreq: number, denseBits: number): void {
    this.#words[(this.layout.groups >>> 2) + index] = group;
    this.#groups[index] = group;
    this.#docFreqs[index] = docFreq;
    this.#denseBits[index] = denseBits;
  }

  #layWalker(image: PostingImage): void {
    const words = this.#words;
    const walker = this.layout.walker >>> 2;
    words[walker + 6] = image.lastDocs;
    words[walker + 7] = image.dataOffsets;
    words[walker + 8] = image.docBits;
    words[walker + 9] = image.freqBits;
    words[walker + 12] = image.data;
    words[walker + 17] = this.layout.walkerBlock;
    words[walker + 18] = this.layout.walkerBlock + this.layout.blockValueBytes;
  }

  /** Fewer than 128 documents: no block metadata in the image, so there is one block's here. */
  #addShort(index: number, at: number, block: number, { image, place }: ScoredList): void {
    const words = this.#words;
    const metadata = this.layout.shortMetadata + index * SHORT_METADATA_BYTES;
    words[at + 1] = 0;
    words[at + 2] = 1;
    words[at + 3] = 0;
    this.#floats[at + 25] = 0;
    this.#floats[at + 26] = 0;
    words[at + 6] = metadata;
    words[at + 7] = metadata + 4;
    words[at + 8] = metadata + 8;
    words[at + 9] = metadata + 12;
    words[at + 10] = metadata + 16;
    words[at + 11] = metadata + 32;
    words[at + 12] = image.data + place.reference;
    words[at + 24] = AS_VARINTS;
    // A block as varints, should anyone ask for it again.
    this.#bytes[metadata + 8] = 255;
    this.#bytes[metadata + 12] = 255;
    words[(metadata + 4) >>> 2] = 0;
    let positions = place.positionReference;
    if (place.docFreq === 1) {
      // The only document's frequency is written as a varint before its positions.
      let byte = this.#bytes[image.positionData + positions++]!;
      let freq = byte & 0x7f;
      for (let shift = 7; byte > 0x7f; shift += 7) {
        byte = this.#bytes[image.positionData + positions++]!;
        freq |= (byte & 0x7f) << shift;
      }
      words[at + 24] = IN_BUFFERS;
      words[block >>> 2] = place.reference;
      words[(block + this.layout.blockValueBytes) >>> 2] = freq;
    }
    words[at + 20] = metadata + 48;
    words[at + 21] = metadata + 52;
    words[(metadata + 48) >>> 2] = positions + 1;
    this.#bytes[metadata + 52] = this.#bytes[image.positionData + positions]!;
  }

  /** Address of a table's copy; -1 if there is no room. */
  #lengthNormsAt(table: Float32Array): number {
    for (let field = 0; field < this.#fields; field++) {
      if (this.#lengthNorms[field] === table) return this.layout.lengthNorms + field * 1024;
    }
    if (this.#fields === FIELDS_MAX) return -1;
    const field = this.#fields++;
    const address = this.layout.lengthNorms + field * 1024;
    if (this.#lengthNorms[field] !== table) {
      this.#floats.set(table, address >>> 2);
      this.#lengthNorms[field] = table;
    }
    return address;
  }
}

const byMemory = new WeakMap<WebAssembly.Memory, SegmentKernels | null>();

function open(memory: WebAssembly.Memory, maxDoc: number): SegmentKernels | null {
  const module = compiledKernels();
  if (module === null) return null;
  try {
    return new SegmentKernels(module, memory, maxDoc);
  } catch {
    // No room for scratch space, as 16 threads have theirs: this one evaluates without kernels.
    return null;
  }
}
