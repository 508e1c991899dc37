import { bitsetWords, emptyBitset, nextSetBit, popcount } from "../../bytes/bitset.js";
import type { DocId } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { collectorInto } from "./collect-docs.js";
import { evaluateWindows, type WindowedSegment } from "./evaluate-windows.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits } from "./evaluator.js";
import type { HeldRoom } from "./held-room.js";
import { copyWindow, lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** Bits and ranks take a word each for so many documents. */
const WORD_BITS = 32;
const BYTES_PER_WORD = 8;

const NONE: Uint32Array = new Uint32Array(0);

/**
 * What another evaluator matches among the live documents, known for a stretch of windows beforehand: for the rest of
 * the segment where there is room for it, else for as many windows as there is, one at least.
 */
export class CandidateStretch implements Evaluator {
  readonly cost: number;
  readonly #evaluator: Evaluator;
  readonly #segment: WindowedSegment;
  readonly #pool: WindowPool;
  readonly #room: HeldRoom;
  /** The first document, a multiple of a window's size. */
  #from: DocId = 0;
  /** The document behind the last one. */
  #end: DocId = 0;
  #bits: DocBits = NONE;
  /** Candidates of the stretch before each word of the bitset. */
  #ranks: Uint32Array = NONE;
  #heldBytes = 0;

  constructor(evaluator: Evaluator, segment: WindowedSegment, pool: WindowPool) {
    this.cost = evaluator.cost;
    this.#evaluator = evaluator;
    this.#segment = segment;
    this.#pool = pool;
    this.#room = pool.room;
  }

  /** How many the stretch has; 0 before the first. */
  get count(): number {
    return this.#ranks.length === 0 ? 0 : this.#ranks[this.#bits.length]!;
  }

  /** The document behind the stretch's last one. */
  get end(): DocId {
    return this.#end;
  }

  nextMatchBound(docId: DocId): DocId {
    if (docId >= this.#end) return this.#evaluator.nextMatchBound(docId);
    const next = this.nextCandidate(docId);
    return next >= 0 ? next : this.#evaluator.nextMatchBound(this.#end);
  }

  evaluate(windowStart: DocId, candidates: WindowBits | null, matches: WindowBits): void {
    if (windowStart >= this.#end) this.#begin(windowStart);
    copyWindow(this.#bits, windowStart - this.#from, candidates, matches);
  }

  /** Whether a document is a candidate; it is in the stretch or before it. */
  has(docId: DocId): boolean {
    const bit = docId - this.#from;
    return bit >= 0 && ((this.#bits[bit >>> 5]! >>> (bit & 31)) & 1) === 1;
  }

  /** The first candidate of the stretch at or after a document in it; -1 if there is none. */
  nextCandidate(docId: DocId): DocId {
    const bit = nextSetBit(this.#bits, docId - this.#from);
    return bit < 0 ? -1 : this.#from + bit;
  }

  /** Candidates of the stretch before a document in it. */
  rankOf(docId: DocId): number {
    const bit = docId - this.#from;
    return this.#ranks[bit >>> 5]! + popcount(this.#bits[bit >>> 5]! & ((1 << (bit & 31)) - 1));
  }

  /** The candidate with a rank; the stretch's end behind the last one. */
  docAt(rank: number): DocId {
    if (rank >= this.count) return this.#end;
    const ranks = this.#ranks;
    let low = 0;
    let high = this.#bits.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (ranks[middle]! <= rank) low = middle;
      else high = middle;
    }
    let rest = this.#bits[low]!;
    for (let before = rank - ranks[low]!; before > 0; before--) rest &= rest - 1;
    return this.#from + (low << 5) + lowestBit(rest);
  }

  /** Gives back what is only held for windows to come, if there are none or there is no room for it. */
  endWindow(windowStart: DocId): void {
    if (this.#heldBytes > 0 && windowStart + WINDOW_SIZE < this.#segment.maxDoc) return;
    if (windowStart + WINDOW_SIZE < this.#end) return;
    this.release();
  }

  /** To be called when no candidates are asked for any more: there are none from then on in the stretch. */
  release(): void {
    this.#room.giveBack(this.#heldBytes);
    this.#heldBytes = 0;
    this.#bits = NONE;
    this.#ranks = NONE;
  }

  #begin(windowStart: DocId): void {
    this.#room.giveBack(this.#heldBytes);
    const rest = this.#segment.maxDoc - windowStart;
    const docsMax = Math.floor(this.#room.share / BYTES_PER_WORD) * WORD_BITS;
    const windows = Math.max(1, Math.floor(docsMax / WINDOW_SIZE));
    const size = Math.min(rest, windows * WINDOW_SIZE);
    this.#heldBytes = size <= docsMax ? bitsetWords(size) * BYTES_PER_WORD : 0;
    this.#room.take(this.#heldBytes);
    const bits = emptyBitset(size);
    evaluateWindows(
      this.#evaluator,
      this.#segment,
      this.#pool,
      false,
      collectorInto(bits, windowStart),
      windowStart,
      windowStart + size,
    );
    const ranks = new Uint32Array(bits.length + 1);
    for (let word = 0; word < bits.length; word++) ranks[word + 1] = ranks[word]! + popcount(bits[word]!);
    this.#from = windowStart;
    this.#end = windowStart + size;
    this.#bits = bits;
    this.#ranks = ranks;
  }
}
