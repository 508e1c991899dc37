import { KeptLists } from "./kept-lists.js";
import type { KernelFunctions } from "./kernel-functions.js";
import { onlyFreq } from "./only-freq.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";
import * as MEMBER from "./posting-list-members.js";
import { LIST_BYTES, type ScratchLayout, SHORT_METADATA_BYTES } from "./scratch-layout.js";

/** Kinds of `PostingList.shortness`. */
const AS_VARINTS = 1;
const IN_BUFFERS = 2;

/**
 * What is written as varints: lists of fewer than 128 documents, and longer ones' last blocks. Those that are asked
 * for repeatedly stay decoded (`kept-lists.ts`).
 */
export class ShortLists {
  readonly #layout: ScratchLayout;
  readonly #functions: Pick<KernelFunctions, "keepList" | "keepLast">;
  readonly #kept: KeptLists;
  readonly #words: Int32Array;
  readonly #floats: Float32Array;
  readonly #doubles: Float64Array;
  readonly #bytes: Uint8Array;

  constructor(
    memory: WebAssembly.Memory,
    layout: ScratchLayout,
    functions: Pick<KernelFunctions, "keepList" | "keepLast">,
  ) {
    const { buffer } = memory;
    this.#layout = layout;
    this.#functions = functions;
    this.#kept = new KeptLists(memory);
    this.#words = new Int32Array(buffer);
    this.#floats = new Float32Array(buffer);
    this.#doubles = new Float64Array(buffer);
    this.#bytes = new Uint8Array(buffer);
  }

  /** To be called before each search. */
  beginSearch(): void {
    this.#kept.beginSearch();
  }

  /**
   * Lays out the rest of a list of fewer than 128 documents: there is no block metadata in the image, so one block's
   * is written here.
   *
   * @param index of the list in its table
   * @param averageLength in tokens, that this search scores with
   */
  lay(index: number, image: PostingImage, place: PostingPlace, averageLength: number): void {
    const words = this.#words;
    const at = (this.#layout.lists + index * LIST_BYTES) >>> 2;
    const block = this.#layout.blocks + index * this.#layout.blockBytes;
    const metadata = this.#layout.shortMetadata + index * SHORT_METADATA_BYTES;
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
    words[at + MEMBER.KEPT] = 0;
    words[at + MEMBER.KEPT_LAST] = 0;
    // A block as varints, should anyone ask for it again.
    this.#bytes[metadata + 8] = 255;
    this.#bytes[metadata + 12] = 255;
    words[(metadata + 4) >>> 2] = 0;
    let positions = place.positionReference;
    if (place.docFreq === 1) {
      const { freq, next } = onlyFreq(this.#bytes, image, place);
      positions = next;
      words[at + MEMBER.SHORTNESS] = IN_BUFFERS;
      words[block >>> 2] = place.reference;
      words[(block + this.#layout.blockValueBytes) >>> 2] = freq;
    }
    words[at + MEMBER.POSITION_OFFSETS] = metadata + 48;
    words[at + MEMBER.POSITION_GROUPS] = 0;
    words[(metadata + 48) >>> 2] = positions;
    if (place.docFreq > 1) this.#keep(at, averageLength);
  }

  /**
   * Gives a longer list, of which all else is laid out, its last block decoded, if it is asked for again.
   *
   * @param at the list's first word
   * @param address of the last document of its first block
   */
  keepLast(at: number, address: number): void {
    const slot = this.#kept.slotOf(address);
    if (slot === null) return;
    const words = this.#words;
    words[at + MEMBER.KEPT_LAST] = slot.docs;
    if (!slot.isEmpty) return;
    const docs = words[at + MEMBER.DOCS]!;
    const freqs = words[at + MEMBER.FREQS]!;
    words[at + MEMBER.DOCS] = slot.docs;
    words[at + MEMBER.FREQS] = slot.freqs;
    this.#functions.keepLast(at << 2);
    words[at + MEMBER.DOCS] = docs;
    words[at + MEMBER.FREQS] = freqs;
    slot.isEmpty = false;
  }

  /** Gives a short list that is laid out the buffers that it is kept in, if it is asked for again. */
  #keep(at: number, averageLength: number): void {
    const words = this.#words;
    const slot = this.#kept.slotOf(words[at + MEMBER.DATA]! >>> 0);
    if (slot === null) return;
    words[at + MEMBER.DOCS] = slot.docs;
    words[at + MEMBER.FREQS] = slot.freqs;
    words[at + MEMBER.SCORES] = slot.scores;
    words[at + MEMBER.KEPT] = slot.header;
    this.#doubles[(at + MEMBER.AVERAGE_LENGTH) >>> 1] = averageLength;
    if (!slot.isEmpty) return;
    this.#functions.keepList(at << 2);
    slot.isEmpty = false;
  }
}
