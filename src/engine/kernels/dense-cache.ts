import { growByScratch } from "./image-memory.js";
import type { KernelFunctions } from "./kernel-module.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";

/** Terms in more than this part of the documents are worth bits that the segment doesn't store (it does from 1/16 on) … */
const DENSE_FRACTION = 1 / 64;
/** … if they are asked for again. */
const USES_BEFORE = 1;
const REMEMBERED_TERMS_MAX = 512;
/** Terms with bits at a time: on a million documents 133 KB each. */
const SLOTS_MAX = 64;
const SLOTS_AT_A_TIME = 8;
const GROUP_BYTES = 64;
const BLOCK_SIZE = 128;

interface Slot {
  readonly denseBits: number;
  readonly denseRanks: number;
  key: number;
  lastUse: number;
}

/**
 * Bits and ranks of the documents of terms that are fairly frequent and asked for repeatedly: with them
 * intersections test a bit instead of decoding blocks. Least recently used terms make room.
 */
export class DenseCache {
  readonly #memory: WebAssembly.Memory;
  readonly #functions: KernelFunctions;
  readonly #bitsetBytes: number;
  readonly #docFreqMin: number;
  readonly #slots: Slot[] = [];
  /** By address of a list's first last doc, which no two lists share. */
  readonly #byList: Map<number, Slot> = new Map();
  readonly #uses: Map<number, number> = new Map();
  #tick = 0;

  constructor(
    memory: WebAssembly.Memory,
    functions: KernelFunctions,
    options: { readonly bitsetBytes: number; readonly maxDoc: number },
  ) {
    this.#memory = memory;
    this.#functions = functions;
    this.#bitsetBytes = options.bitsetBytes;
    this.#docFreqMin = Math.max(BLOCK_SIZE, Math.ceil(options.maxDoc * DENSE_FRACTION));
  }

  /** Forgets which slots a search before needs; to be called before each. */
  beginSearch(): void {
    this.#tick++;
  }

  /** Whether a list may have bits here: it is frequent enough and has none in its segment. */
  serves({ denseBits, docFreq }: PostingPlace): boolean {
    return denseBits === 0 && docFreq >= this.#docFreqMin;
  }

  /**
   * The place of a list that is served, with bits if it has any here; those stay valid for the search.
   *
   * @param walker lays a list out for the image and gives its address
   */
  placeOf(image: PostingImage, place: PostingPlace, walker: () => number): PostingPlace {
    const key = image.lastDocs + 4 * place.reference;
    const slot = this.#byList.get(key) ?? this.#make(key, place, walker);
    if (slot === null) return place;
    slot.lastUse = this.#tick;
    return { ...place, denseBits: slot.denseBits, denseRanks: slot.denseRanks };
  }

  #make(key: number, place: PostingPlace, walker: () => number): Slot | null {
    const uses = this.#uses.get(key) ?? 0;
    if (uses < USES_BEFORE) {
      if (this.#uses.size >= REMEMBERED_TERMS_MAX) this.#uses.clear();
      this.#uses.set(key, uses + 1);
      return null;
    }
    const slot = this.#freeSlot();
    if (slot === null) return null;
    this.#uses.delete(key);
    slot.key = key;
    this.#byList.set(key, slot);
    const { denseBits, denseRanks } = slot;
    this.#functions.clearBits(denseBits, this.#bitsetBytes);
    this.#functions.orBlocks(denseBits, place.docFreq, place.reference, walker());
    this.#functions.rankBits(denseBits, denseRanks, this.#bitsetBytes);
    return slot;
  }

  /** The least recently used slot, emptied; null if the search at hand uses all of them. */
  #freeSlot(): Slot | null {
    if (this.#byList.size < this.#slots.length || this.#addSlots()) {
      const free = this.#slots.find((slot) => slot.key < 0);
      if (free !== undefined) return free;
    }
    let oldest = this.#slots[0];
    for (const slot of this.#slots) if (slot.lastUse < oldest!.lastUse) oldest = slot;
    if (oldest === undefined || oldest.lastUse === this.#tick) return null;
    this.#byList.delete(oldest.key);
    return oldest;
  }

  /** False if there are enough, or the memory has no more room. */
  #addSlots(): boolean {
    if (this.#slots.length >= SLOTS_MAX) return false;
    const rankBytes = Math.ceil(this.#bitsetBytes / GROUP_BYTES / 16) * 64;
    const bytes = this.#bitsetBytes + rankBytes;
    let start: number;
    try {
      start = growByScratch(this.#memory, SLOTS_AT_A_TIME * bytes);
    } catch {
      return false;
    }
    for (let i = 0; i < SLOTS_AT_A_TIME; i++) {
      const denseBits = start + i * bytes;
      this.#slots.push({ denseBits, denseRanks: denseBits + this.#bitsetBytes, key: -1, lastUse: 0 });
    }
    return true;
  }
}
