import type { DocId } from "../../schema/document.js";
import type { TextOrder } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import { GrowableU32 } from "../terms/growable-u32.js";
import { ByteStrings } from "./byte-strings.js";
import type { TextSource } from "./stored-texts.js";
import type { TextMember } from "./text-member.js";
import { rankCount } from "./text-order-reader.js";
import { TextPrefixes } from "./text-prefixes.js";

/** Bytes of documents' JSON from which whole values are read at a time, so that memory is bounded. */
const JSON_BYTES_AT_A_TIME = 32 << 20;

/** In place of a text's number: the value is compared whole, but hasn't been read. */
const UNREAD = 0xffff_ffff;

/**
 * One segment's part in merging a text order: a cursor over the ranks that kept documents have. Ranks
 * tell the order inside the segment; to compare with others it must be shown one kept document's JSON
 * per rank (`wants`, `learn`). It keeps the values' first bytes; those that are equal in two segments
 * (`passPrefix`) are read again, whole.
 */
export class TextOrderMergeInput {
  readonly ranks: Uint32Array;
  readonly docMap: Int32Array;
  /** Filled by the merge; 0 for a rank that no kept document has. */
  readonly newRanks: Uint32Array;
  /** The cursor's rank, 0 at the end. */
  rank = 0;
  readonly #source: TextSource;
  readonly #prefixes: TextPrefixes = new TextPrefixes();
  /** By rank: prefix number plus one; the document it was learned from, and the bytes of its JSON. */
  readonly #prefixOfRank: Uint32Array;
  readonly #docOfRank: Uint32Array;
  readonly #jsonBytes: Uint32Array;
  /** By rank: 0 if its prefix is enough, else the whole value's number plus one in `#texts`, or UNREAD. */
  readonly #textOfRank: Uint32Array;
  #texts: ByteStrings = new ByteStrings();

  constructor(order: TextOrder, docMap: Int32Array, source: TextSource) {
    const ranks = rankCount(order.ranks);
    this.ranks = order.ranks;
    this.docMap = docMap;
    this.newRanks = new Uint32Array(ranks + 1);
    this.#source = source;
    this.#prefixOfRank = new Uint32Array(ranks + 1);
    this.#docOfRank = new Uint32Array(ranks + 1);
    this.#jsonBytes = new Uint32Array(ranks + 1);
    this.#textOfRank = new Uint32Array(ranks + 1);
  }

  /** Whether the document's value is still needed. */
  wants(docId: DocId): boolean {
    const rank = this.ranks[docId]!;
    return rank !== 0 && this.docMap[docId]! >= 0 && this.#prefixOfRank[rank] === 0;
  }

  /** For documents that `wants` accepts. */
  learn(docId: DocId, member: TextMember, json: Uint8Array): void {
    const rank = this.ranks[docId]!;
    this.#prefixOfRank[rank] = this.#prefixes.addMember(member, json) + 1;
    this.#docOfRank[rank] = docId;
    this.#jsonBytes[rank] = json.length;
  }

  /** Moves the cursor to the first rank. */
  rewind(): void {
    this.rank = 0;
    this.advance();
  }

  /** Moves the cursor to the next rank that a kept document has. */
  advance(): void {
    const prefixes = this.#prefixOfRank;
    let rank = this.rank + 1;
    while (rank < prefixes.length && prefixes[rank] === 0) rank++;
    this.rank = rank < prefixes.length ? rank : 0;
  }

  /** Moves the cursor past all ranks with its prefix, and notes whether their values are compared whole. */
  passPrefix(isCompared: boolean): void {
    const prefix = this.#prefixIndex;
    do {
      if (isCompared) this.#textOfRank[this.rank] = UNREAD;
      this.advance();
    } while (this.rank > 0 && this.#prefixes.compare(prefix, this.#prefixes, this.#prefixIndex) === 0);
  }

  /** Whether the value at the cursor may go on after its prefix. */
  get isCut(): boolean {
    return this.#prefixes.isCut(this.#prefixIndex);
  }

  /** Whether `readTexts` must be called before the value at the cursor can be compared. */
  get needsText(): boolean {
    return this.#textOfRank[this.rank] === UNREAD;
  }

  /** Reads the whole value at the cursor, and those after it that are compared. */
  *readTexts(): SlicedWork {
    const ranks = new GrowableU32();
    let bytes = 0;
    for (let rank = this.rank; rank < this.#textOfRank.length && bytes < JSON_BYTES_AT_A_TIME; rank++) {
      if (this.#textOfRank[rank] !== UNREAD) continue;
      ranks.push(rank);
      bytes += this.#jsonBytes[rank]!;
    }
    const docs = ranks.toSection().map((rank) => this.#docOfRank[rank]!);
    docs.sort();
    this.#texts = new ByteStrings();
    yield* this.#source.read(docs, this.#texts);
    for (let i = 0; i < docs.length; i++) this.#textOfRank[this.ranks[docs[i]!]!] = i + 1;
  }

  /** Order of the values at two cursors, neither at its end. */
  compare(other: TextOrderMergeInput): number {
    const order = this.comparePrefix(other);
    const text = this.#textOfRank[this.rank]!;
    if (order !== 0 || text === 0) return order;
    return this.#texts.compare(text - 1, other.#texts, other.#textOfRank[other.rank]! - 1);
  }

  /** Order of their prefixes. */
  comparePrefix(other: TextOrderMergeInput): number {
    return this.#prefixes.compare(this.#prefixIndex, other.#prefixes, other.#prefixIndex);
  }

  get #prefixIndex(): number {
    return this.#prefixOfRank[this.rank]! - 1;
  }
}
