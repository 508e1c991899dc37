import { nextSetBit } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { PostingCursor } from "../../segment/segment-reader.js";
import { WINDOW_SIZE, type WindowBits } from "./evaluator.js";
import type { WindowPool } from "./window-pool.js";

/** Cuts a term's postings into windows, skipping blocks without candidates. */
export class PostingWindow {
  readonly docFreq: number;
  readonly #cursor: PostingCursor;
  readonly #offsets: Uint16Array;
  readonly #freqs: Uint32Array;
  /** First entry of the loaded block that has not been gathered. */
  #index = 0;
  #freqsLoaded = false;

  constructor(cursor: PostingCursor, pool: WindowPool) {
    this.docFreq = cursor.docFreq;
    this.#cursor = cursor;
    this.#offsets = pool.gatheredOffsets;
    this.#freqs = pool.gatheredFreqs;
  }

  nextDocBound(docId: DocId): DocId {
    const cursor = this.#cursor;
    const loaded = cursor.block;
    if (loaded >= 0 && cursor.lastDoc(loaded) >= docId) {
      if (this.#index >= cursor.length) return docId;
      return Math.max(docId, cursor.docs[this.#index]!);
    }
    const block = cursor.seekBlock(docId);
    if (block >= cursor.blockCount) return NO_MORE_DOCS;
    return block === 0 ? docId : Math.max(docId, cursor.lastDoc(block - 1) + 1);
  }

  /**
   * Writes the offsets of the term's documents among the candidates in the window, ascending, and
   * their frequencies if wanted, into the pool's gathering arrays; returns how many.
   */
  gather(windowStart: DocId, candidates: WindowBits | null, withFreqs: boolean): number {
    const cursor = this.#cursor;
    const windowEnd = windowStart + WINDOW_SIZE;
    let count = 0;
    let block = cursor.block;
    let from = windowStart;
    for (;;) {
      if (candidates !== null) {
        const next = nextSetBit(candidates, from - windowStart);
        if (next < 0) break;
        from = windowStart + next;
      }
      if (block < 0 || cursor.lastDoc(block) < from) block = cursor.seekBlock(from);
      if (block >= cursor.blockCount) break;
      if (cursor.block !== block) {
        cursor.loadBlock(block);
        this.#index = 0;
        this.#freqsLoaded = false;
      }
      if (this.#index < cursor.length && cursor.docs[this.#index]! >= windowEnd) break;
      if (withFreqs && !this.#freqsLoaded) {
        cursor.loadFreqs();
        this.#freqsLoaded = true;
      }
      count = this.#gatherBlock(windowStart, from, windowEnd, candidates, withFreqs, count);
      if (this.#index < cursor.length) break;
      from = cursor.lastDoc(block) + 1;
      if (from >= windowEnd) break;
    }
    return count;
  }

  /** Gathers from the loaded block until its end or the window's; returns the new count. */
  #gatherBlock(
    windowStart: DocId,
    from: DocId,
    windowEnd: DocId,
    candidates: WindowBits | null,
    withFreqs: boolean,
    alreadyGathered: number,
  ): number {
    const { docs, freqs, length } = this.#cursor;
    const offsets = this.#offsets;
    const gatheredFreqs = this.#freqs;
    let count = alreadyGathered;
    let index = this.#index;
    while (index < length && docs[index]! < from) index++;
    let end = length;
    while (end > index && docs[end - 1]! >= windowEnd) end--;
    this.#index = end;
    if (candidates === null) {
      for (let i = index, at = count; i < end; i++, at++) offsets[at] = docs[i]! - windowStart;
      if (withFreqs) for (let i = index, at = count; i < end; i++, at++) gatheredFreqs[at] = freqs[i]!;
      return count + end - index;
    }
    for (; index < end; index++) {
      const offset = docs[index]! - windowStart;
      if (((candidates[offset >>> 5]! >>> (offset & 31)) & 1) === 0) continue;
      offsets[count] = offset;
      if (withFreqs) gatheredFreqs[count] = freqs[index]!;
      count++;
    }
    return count;
  }
}
