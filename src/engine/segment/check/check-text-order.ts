import { GrowableU32 } from "../../bytes/growable-u32.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { DocId } from "../../schema/document.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { TextOrder } from "../segment-reader.js";
import { rankCount } from "../text-order/text-order-reader.js";
import { TextPrefixes } from "./text-prefixes.js";

/**
 * Compares ranks with the values they are of: shown every document's value once, in order, so that
 * documents are read in a row, it asks again only for long values that start alike.
 */
export class TextOrderCheck {
  readonly #ranks: Uint32Array;
  readonly #prefixes: TextPrefixes;
  readonly #isComposed: boolean;
  /** Doc id of each prefix. */
  readonly #docs: GrowableU32 = new GrowableU32();
  #problem: string | null = null;

  /** @param isComposed whether values are ordered in NFC */
  constructor(order: TextOrder, isComposed: boolean) {
    this.#isComposed = isComposed;
    this.#prefixes = new TextPrefixes(isComposed);
    this.#ranks = order.ranks;
  }

  /** @param text null if the document has no value */
  learn(docId: DocId, text: string | null): void {
    const rank = this.#ranks[docId]!;
    if (rank > this.#ranks.length)
      this.#problem ??= `document ${docId} has rank ${rank} of ${this.#ranks.length}`;
    if ((text === null) !== (rank === 0)) {
      this.#problem ??= `document ${docId} has a rank without a value or a value without a rank`;
    }
    if (text === null) return;
    this.#prefixes.add(text);
    this.#docs.push(docId);
  }

  /**
   * What is wrong with the ranks, one sentence, or null.
   *
   * @param textOf a document's value once more
   */
  finish(textOf: (docId: DocId) => string): string | null {
    if (this.#problem !== null) return this.#problem;
    const sorted = this.#sortedByRank();
    let previousRank = 0;
    for (let i = 0; i < sorted.length; i++) {
      const docId = this.#docs.array[sorted[i]!]!;
      const rank = this.#ranks[docId]!;
      if (rank - previousRank > 1) return `no document has rank ${previousRank + 1}`;
      if (i > 0) {
        const order = this.#compare(sorted[i - 1]!, sorted[i]!, textOf);
        if (rank === previousRank && order !== 0)
          return `document ${docId} shares rank ${rank} with another value`;
        if (rank > previousRank && order >= 0) return `rank ${rank} is not greater than the one before`;
      }
      previousRank = rank;
    }
    return null;
  }

  /** Indices of the prefixes by rank, by a counting sort. */
  #sortedByRank(): Uint32Array {
    const count = this.#docs.length;
    const starts = new Uint32Array(rankCount(this.#ranks) + 2);
    for (let i = 0; i < count; i++) starts[this.#ranks[this.#docs.array[i]!]! + 1]!++;
    for (let rank = 1; rank < starts.length; rank++) starts[rank]! += starts[rank - 1]!;
    const sorted = new Uint32Array(count);
    for (let i = 0; i < count; i++) sorted[starts[this.#ranks[this.#docs.array[i]!]!]!++] = i;
    return sorted;
  }

  #compare(a: number, b: number, textOf: (docId: DocId) => string): number {
    const order = this.#prefixes.compare(a, this.#prefixes, b);
    if (order !== 0 || !this.#prefixes.isCut(a)) return order;
    const docs = this.#docs.array;
    const sortBytes = (index: number): Uint8Array => textSortBytes(textOf(docs[index]!), this.#isComposed);
    return compareBytes(sortBytes(a), sortBytes(b));
  }
}
