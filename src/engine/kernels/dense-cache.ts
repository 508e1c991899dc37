import { growByScratch } from "./image-memory.js";
import type { KernelFunctions } from "./kernel-functions.js";
import type { PostingImage, PostingPlace } from "./posting-image.js";

/** Terms in more than this part of the documents are worth bits that the segment doesn't store (it does from 1/16 on) … */
const DENSE_FRACTION = 1 / 512;
/** … if they are asked for again, those in fewer than so many more than once. */
const FREQUENT_FRACTION = 1 / 64;
const USES_BEFORE = 1;
const USES_BEFORE_RARER = 2;
const REMEMBERED_TERMS_MAX = 1024;
/** Terms with bits at a time: on a million documents 133 KB each, fewer documents have more. */
const SLOTS_MIN = 64;
const SLOTS_MAX = 512;
const SLOT_BYTES_MAX = 4 * 1024 * 1024;
/** Memory for slots is taken in so many pieces at most, and in whole pages: a ledger notes each (`scratch-ledger.ts`). */
const PIECES_MAX = 8;
const PAGE_BYTES = 65_536;
/**
 * Times that lists are laid out, by a search once or more, for which a term keeps its bits: making them costs as
 * much as some searches.
 */
const SEARCHES_KEPT = 256;
const GROUP_BYTES = 64;
const BLOCK_SIZE = 128;

type BitsetFunctions = Pick<KernelFunctions, "clearBits" | "orBlocks" | "rankBits">;

interface Slot {
  readonly denseBits: number;
  readonly denseRanks: number;
  key: number;
  /** The list with these bits; null while the slot is free. */
  place: PostingPlace | null;
  lastUse: number;
}

/**
 * Bits and ranks of the documents of terms that are fairly frequent and asked for repeatedly: with them
 * intersections test a bit instead of decoding blocks. Least recently used terms make room.
 */
export class DenseCache {
  readonly #memory: WebAssembly.Memory;
  readonly #functions: BitsetFunctions;
  readonly #bitsetBytes: number;
  readonly #slotBytes: number;
  readonly #slotsMax: number;
  readonly #pieceBytes: number;
  readonly #docFreqMin: number;
  readonly #frequentMin: number;
  readonly #slots: Slot[] = [];
  /** By address of a list's first last doc, which no two lists share. */
  readonly #byList: Map<number, Slot> = new Map();
  readonly #uses: Map<number, number> = new Map();
  #tick = 0;

  constructor(
    memory: WebAssembly.Memory,
    functions: BitsetFunctions,
    options: { readonly bitsetBytes: number; readonly maxDoc: number },
  ) {
    this.#memory = memory;
    this.#functions = functions;
    this.#bitsetBytes = options.bitsetBytes;
    const rankBytes = Math.ceil(options.bitsetBytes / GROUP_BYTES / 16) * 64;
    this.#slotBytes = options.bitsetBytes + rankBytes;
    const slots = Math.floor(SLOT_BYTES_MAX / this.#slotBytes);
    this.#slotsMax = Math.min(SLOTS_MAX, Math.max(SLOTS_MIN, slots));
    const pieceBytes = Math.ceil(this.#slotsMax / PIECES_MAX) * this.#slotBytes;
    this.#pieceBytes = Math.ceil(pieceBytes / PAGE_BYTES) * PAGE_BYTES;
    this.#docFreqMin = Math.max(BLOCK_SIZE, Math.ceil(options.maxDoc * DENSE_FRACTION));
    this.#frequentMin = options.maxDoc * FREQUENT_FRACTION;
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
   * The place of a list that is served, with its bits, if there are some here; those stay valid for the search.
   *
   * @param walker lays a list out for the image and gives its address
   */
  placeOf(image: Pick<PostingImage, "lastDocs">, place: PostingPlace, walker: () => number): PostingPlace {
    const key = image.lastDocs + 4 * place.reference;
    const slot = this.#byList.get(key) ?? this.#make(key, place, walker);
    if (slot === null) return place;
    slot.lastUse = this.#tick;
    return slot.place!;
  }

  #make(key: number, place: PostingPlace, walker: () => number): Slot | null {
    const uses = this.#uses.get(key) ?? 0;
    const usesBefore = place.docFreq < this.#frequentMin ? USES_BEFORE_RARER : USES_BEFORE;
    if (uses < usesBefore) {
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
    slot.place = { ...place, denseBits, denseRanks };
    this.#functions.clearBits(denseBits, this.#bitsetBytes);
    this.#functions.orBlocks(denseBits, place.docFreq, place.reference, walker());
    this.#functions.rankBits(denseBits, denseRanks, this.#bitsetBytes);
    return slot;
  }

  /** The least recently used slot, emptied; null if all have been used lately. */
  #freeSlot(): Slot | null {
    if (this.#byList.size < this.#slots.length || this.#addSlots()) {
      const free = this.#slots.find((slot) => slot.place === null);
      if (free !== undefined) return free;
    }
    let oldest = this.#slots[0];
    for (const slot of this.#slots) if (slot.lastUse < oldest!.lastUse) oldest = slot;
    if (oldest === undefined || this.#tick - oldest.lastUse < SEARCHES_KEPT) return null;
    this.#byList.delete(oldest.key);
    return oldest;
  }

  /** False if there are enough, or the memory has no more room. */
  #addSlots(): boolean {
    if (this.#slots.length >= this.#slotsMax) return false;
    const bytes = this.#slotBytes;
    let start: number;
    try {
      start = growByScratch(this.#memory, this.#pieceBytes);
    } catch {
      return false;
    }
    for (let denseBits = start; denseBits + bytes <= start + this.#pieceBytes; denseBits += bytes) {
      this.#slots.push({
        denseBits,
        denseRanks: denseBits + this.#bitsetBytes,
        key: -1,
        place: null,
        lastUse: 0,
      });
    }
    return true;
  }
}
