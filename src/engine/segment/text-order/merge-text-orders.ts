import { compareBytes } from "../../schema/compare-bytes.js";
import type { DocId } from "../../schema/document.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { SectionSink } from "../sections.js";
import type { TextOrder } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import { rankCount } from "./text-order-reader.js";
import { TextPrefixes } from "./text-prefixes.js";

/** Ranks given between two pauses; few, since a comparison may read two documents. A power of two. */
const RANKS_PER_STEP = 64;

/**
 * One segment's part in merging a text order. Ranks tell the order inside the segment; to compare
 * with others it must be shown one kept document's value per rank (`wants`, `learn`). It keeps their
 * first bytes only and asks for a whole value again where those are equal in two segments.
 */
export class TextOrderMergeInput {
  readonly ranks: Uint32Array;
  readonly docMap: Int32Array;
  readonly prefixes: TextPrefixes = new TextPrefixes();
  /** Filled by the merge; 0 for a rank that no kept document has. */
  readonly newRanks: Uint32Array;
  /** The cursor's rank, 0 at the end. */
  rank = 0;
  readonly #textOf: (docId: DocId) => string;
  /** By rank: prefix number plus one, and the document it was learned from. */
  readonly #prefixOfRank: Uint32Array;
  readonly #docOfRank: Uint32Array;
  /** Whole value at the cursor, once asked for. */
  #value: Uint8Array | null = null;

  /** @param textOf a document's value once more */
  constructor(order: TextOrder, docMap: Int32Array, textOf: (docId: DocId) => string) {
    const ranks = rankCount(order.ranks);
    this.ranks = order.ranks;
    this.docMap = docMap;
    this.newRanks = new Uint32Array(ranks + 1);
    this.#textOf = textOf;
    this.#prefixOfRank = new Uint32Array(ranks + 1);
    this.#docOfRank = new Uint32Array(ranks + 1);
  }

  /** Whether the document's value is still needed. */
  wants(docId: DocId): boolean {
    const rank = this.ranks[docId]!;
    return rank !== 0 && this.docMap[docId]! >= 0 && this.#prefixOfRank[rank] === 0;
  }

  /** For documents that `wants` accepts. */
  learn(docId: DocId, text: string): void {
    const rank = this.ranks[docId]!;
    this.#prefixOfRank[rank] = this.prefixes.add(text) + 1;
    this.#docOfRank[rank] = docId;
  }

  /** Moves the cursor to the next rank that a kept document has. */
  advance(): void {
    this.#value = null;
    do this.rank++;
    while (this.rank < this.#prefixOfRank.length && this.#prefixOfRank[this.rank] === 0);
    if (this.rank === this.#prefixOfRank.length) this.rank = 0;
  }

  /** Order of the values at two cursors, neither at its end. */
  compare(other: TextOrderMergeInput): number {
    const index = this.#prefixOfRank[this.rank]! - 1;
    const otherIndex = other.#prefixOfRank[other.rank]! - 1;
    const order = this.prefixes.compare(index, other.prefixes, otherIndex);
    if (order !== 0 || !this.prefixes.isCut(index)) return order;
    return compareBytes(this.#wholeValue(), other.#wholeValue());
  }

  #wholeValue(): Uint8Array {
    this.#value ??= textSortBytes(this.#textOf(this.#docOfRank[this.rank]!));
    return this.#value;
  }
}

/** Merges ranks of one field into one section; none if no kept document has a value. */
export function* mergeTextOrders(
  sink: SectionSink,
  prefix: string,
  inputs: readonly TextOrderMergeInput[],
  newMaxDoc: number,
): SlicedWork {
  for (const input of inputs) input.advance();
  let newRank = 0;
  const matching: TextOrderMergeInput[] = [];
  // Each turn gives one new rank to the least value, wherever it occurs; ends when every cursor is at its end.
  for (;;) {
    collectLeast(inputs, matching);
    if (matching.length === 0) break;
    newRank++;
    if ((newRank & (RANKS_PER_STEP - 1)) === 0) yield;
    for (const input of matching) {
      input.newRanks[input.rank] = newRank;
      input.advance();
    }
  }
  if (newRank === 0) return;
  const merged = new Uint32Array(newMaxDoc);
  for (const { ranks, docMap, newRanks } of inputs) {
    for (let docId = 0; docId < ranks.length; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId >= 0) merged[newDocId] = newRanks[ranks[docId]!]!;
    }
    yield;
  }
  sink.add(`${prefix}ranks`, merged);
}

/** Replaces `matching` by the inputs whose cursors stand at the least value; none at the end. */
function collectLeast(inputs: readonly TextOrderMergeInput[], matching: TextOrderMergeInput[]): void {
  matching.length = 0;
  for (let i = 0; i < inputs.length; i++) {
    const input = inputs[i]!;
    if (input.rank === 0) continue;
    const order = matching.length === 0 ? -1 : input.compare(matching[0]!);
    if (order > 0) continue;
    if (order < 0) matching.length = 0;
    matching.push(input);
  }
}
