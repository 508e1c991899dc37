import { layFieldBlocks } from "./field-blocks.js";
import { growByScratch } from "./image-memory.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { onlyFreq } from "./only-freq.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import * as MEMBER from "./posting-list-members.js";
import { BLOCK_VALUES, FIELDS_MAX, LIST_BYTES } from "./scratch-layout.js";

const WINDOW_DOCS = 65_536;
/** Bytes of a `Variant` and of a `Level` (`assembly/word.ts`). */
const VARIANT_BYTES = 32;
const LEVEL_BYTES = 16;
/** Four distances and a stem for each field. */
const LEVELS_MAX = 5 * FIELDS_MAX;
const VARIANTS_MIN = 1024;
const NORM_BYTES = 1024;

/** Variants of a word at one distance in one field. */
export interface WordLevel {
  readonly image: PostingImage;
  /** f32 without idf, above 0. */
  readonly weight: number;
  /** K by norm code. */
  readonly lengthNorms: Float32Array;
  /** How rare the word is, above 0. */
  readonly inverseDocFreq: number;
  /** Edits beyond the nearest variants', `STEM_STEPS` or `FOLDED_STEPS` of `fuzzy-scoring.ts`. */
  readonly steps: number;
  readonly places: readonly PostingPlace[];
}

interface Scratch {
  readonly levels: number;
  readonly fields: number;
  readonly lengthNorms: number;
  readonly block: number;
}

/** Levels as the kernels walk them, in scratch memory that is taken when the first word is asked for. */
export class WordTable {
  readonly #memory: WebAssembly.Memory;
  readonly #functions: Pick<KernelFunctions, "attachWord">;
  /** Views of the memory as it was when this table last took some of it. */
  #bytes: Uint8Array = new Uint8Array(0);
  #words: Int32Array = new Int32Array(0);
  #floats: Float32Array = new Float32Array(0);
  #doubles: Float64Array = new Float64Array(0);
  #scratch: Scratch | null = null;
  #variants = 0;
  #variantsMax = 0;

  constructor(memory: WebAssembly.Memory, functions: Pick<KernelFunctions, "attachWord">) {
    this.#memory = memory;
    this.#functions = functions;
  }

  /** Whether there is room for so many. */
  takes(levels: readonly WordLevel[]): boolean {
    return levels.length <= LEVELS_MAX;
  }

  /** Writes levels where the kernels read them. */
  layOut(levels: readonly WordLevel[]): {
    readonly address: number;
    readonly count: number;
    readonly table: number;
    readonly variantCount: number;
  } {
    this.#scratch ??= this.#takeScratch();
    const variantCount = levels.reduce((sum, { places }) => sum + places.length, 0);
    this.#reserve(variantCount);
    let variant = 0;
    levels.forEach((level, index) => {
      const at = (this.#scratch!.levels + index * LEVEL_BYTES) >>> 2;
      this.#words[at] = this.#layField(level, index);
      this.#words[at + 1] = variant;
      for (const place of level.places) this.#layVariant(level.image, place, variant++);
      this.#words[at + 2] = variant;
      this.#words[at + 3] = level.steps;
    });
    return { address: this.#scratch.levels, count: levels.length, table: this.#variants, variantCount };
  }

  /** A list for the walk through a level's variants, without one of its own; returns its address. */
  #layField({ image, weight, lengthNorms, inverseDocFreq }: WordLevel, index: number): number {
    const scratch = this.#scratch!;
    const address = scratch.fields + index * LIST_BYTES;
    const at = address >>> 2;
    const norms = scratch.lengthNorms + index * NORM_BYTES;
    this.#floats.set(lengthNorms, norms >>> 2);
    const words = this.#words;
    words.fill(0, at, at + LIST_BYTES / 4);
    this.#floats[at + MEMBER.WEIGHT] = weight;
    layFieldBlocks(words, at, image);
    words[at + MEMBER.NORMS] = image.norms;
    words[at + MEMBER.LENGTH_NORMS] = norms;
    words[at + MEMBER.DOCS] = scratch.block;
    words[at + MEMBER.FREQS] = scratch.block + BLOCK_VALUES * 4;
    this.#doubles[(at + MEMBER.IDF) >>> 1] = inverseDocFreq;
    return address;
  }

  #layVariant(image: PostingImage, place: PostingPlace, index: number): void {
    const at = (this.#variants + index * VARIANT_BYTES) >>> 2;
    this.#words[at] = place.docFreq;
    this.#words[at + 1] = place.reference;
    const positions = image.positionData + place.positionReference;
    this.#words[at + 2] = place.docFreq === 1 ? onlyFreq(this.#bytes, positions).freq : 0;
  }

  #reserve(variantCount: number): void {
    if (variantCount <= this.#variantsMax) return;
    const variantsMax = Math.max(VARIANTS_MIN, 2 ** Math.ceil(Math.log2(variantCount)));
    this.#variants = this.#take(variantsMax * VARIANT_BYTES);
    // Only once there is room for them.
    this.#variantsMax = variantsMax;
  }

  #take(bytes: number): number {
    const address = growByScratch(this.#memory, bytes);
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    return address;
  }

  #takeScratch(): Scratch {
    const sizes = [
      WINDOW_DOCS * 4,
      WINDOW_DOCS * 4,
      WINDOW_DOCS / 8,
      WINDOW_DOCS / 8,
      WINDOW_DOCS / 8,
      LEVELS_MAX * LEVEL_BYTES,
      LEVELS_MAX * LIST_BYTES,
      LEVELS_MAX * NORM_BYTES,
      2 * BLOCK_VALUES * 4,
    ];
    let at = this.#take(sizes.reduce((sum, bytes) => sum + bytes, 0));
    const [freqs, scores, ofField, ofLevel, found, levels, fields, lengthNorms, block] = sizes.map(
      (bytes) => {
        const address = at;
        at += bytes;
        return address;
      },
    ) as [number, number, number, number, number, number, number, number, number];
    this.#functions.attachWord(freqs, scores, ofField, ofLevel, found);
    return { levels, fields, lengthNorms, block };
  }
}
