import { fieldNormLength } from "../../bytes/field-norm.js";
import { firstAtOrAfter } from "../../bytes/first-at-or-after.js";
import type { FieldTerms, PostingCursor } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { NEAR_POSITIONS, pairCloseness, WHOLE_FIELD } from "../similarity/nearness-scoring.js";

/** Documents whose positions are held at a time. */
export const CHUNK_DOCS = 8192;
/** Terms whose postings are looked at between two looks at the clock. */
const TERMS_PER_CHECK = 16;
const NO_BITS: Uint32Array = new Uint32Array(0);

/** Two neighbouring words of a query. */
export interface WordPair {
  /** Numbers of the words. */
  readonly first: number;
  readonly second: number;
  /** Positions from the first to the second in the query, 1 to 31. */
  readonly gap: number;
  /** What it counts at most. */
  readonly weight: number;
}

/** A word that counts wherever it stands. */
export interface HeldWord {
  /** Its number. */
  readonly word: number;
  /** What it counts, times the greatest weight of a field that holds it. */
  readonly weight: number;
}

/** One field of a segment and the terms that stand for the words in it. */
export interface NearField {
  readonly terms: FieldTerms;
  readonly boost: number;
  /** By word: ordinals. */
  readonly words: readonly (readonly number[])[];
}

/** Finds where words stand in documents, in the place of cursors. */
export interface PositionMarks {
  /** Documents from now on, ascending, `CHUNK_DOCS` at most. */
  begin(docs: Uint32Array): void;
  /**
   * The bits of any of the terms by document, two for each: positions below 32, and below 64. They last until the same
   * word is asked for again.
   */
  of(word: number, terms: FieldTerms, ordinals: readonly number[]): Uint32Array;
}

/**
 * How near and in which order the words of a query stand in the documents of a segment that hold all of them: the field
 * counts in which they stand best.
 */
export class Nearness {
  readonly wordCount: number;
  readonly #fields: readonly NearField[];
  readonly #pairs: readonly WordPair[];
  readonly #heldWords: readonly HeldWord[];
  readonly #length: number;
  readonly #whole: number;
  readonly #interrupt: SearchInterrupt;
  /** By word, two for each document of a chunk: its positions, the lower 32 and the higher. */
  readonly #bits: Uint32Array[];
  #positions: Uint32Array = new Uint32Array(16);

  /** @param length of the query in positions */
  constructor(
    fields: readonly NearField[],
    pairs: readonly WordPair[],
    heldWords: readonly HeldWord[],
    length: number,
    interrupt: SearchInterrupt,
  ) {
    this.#fields = fields;
    this.#pairs = pairs;
    this.#heldWords = heldWords;
    this.#length = length;
    this.#whole = WHOLE_FIELD * pairs.reduce((sum, { weight }) => sum + weight, 0);
    this.#interrupt = interrupt;
    this.wordCount =
      1 + Math.max(0, ...pairs.map(({ second }) => second), ...heldWords.map(({ word }) => word));
    this.#bits = Array.from({ length: this.wordCount }, () => NO_BITS);
  }

  /**
   * Adds to each document's score how near the words stand, f32.
   *
   * @param docs ascending
   * @param scores by document
   * @param marks null: cursors go through the lists
   * @throws FindlingError `search_timeout`
   */
  addTo(docs: Uint32Array, scores: Float32Array, marks: PositionMarks | null = null): void {
    for (let from = 0; from < docs.length; from += CHUNK_DOCS) {
      const end = Math.min(from + CHUNK_DOCS, docs.length);
      const best = this.#best(docs.subarray(from, end), marks);
      for (let i = from; i < end; i++) scores[i] = Math.fround(scores[i]! + best[i - from]!);
    }
  }

  #best(docs: Uint32Array, marks: PositionMarks | null): Float64Array {
    const best = new Float64Array(docs.length);
    /** By held word: the greatest boost of a field that holds it, by document. */
    const held = this.#heldWords.map(() => new Float64Array(docs.length));
    marks?.begin(docs);
    for (const field of this.#fields) {
      if (
        !this.#pairs.some(({ first, second }) => holds(field, first) && holds(field, second)) &&
        !this.#heldWords.some(({ word }) => holds(field, word))
      )
        continue;
      for (let word = 0; word < this.wordCount; word++) {
        const ordinals = field.words[word] ?? [];
        this.#bits[word] =
          marks?.of(word, field.terms, ordinals) ?? this.#marked(word, field.terms, ordinals, docs);
      }
      for (let i = 0; i < docs.length; i++) {
        const own = field.boost * this.#closeness(i, field.terms.norms[docs[i]!]!);
        if (own > best[i]!) best[i] = own;
      }
      this.#heldWords.forEach(({ word }, at) => {
        if (holds(field, word)) markHeld(this.#bits[word]!, field.boost, held[at]!);
      });
    }
    this.#heldWords.forEach(({ weight }, at) => {
      for (let i = 0; i < docs.length; i++) best[i] = best[i]! + weight * held[at]![i]!;
    });
    return best;
  }

  /** @param i number of the document in the chunk */
  #closeness(i: number, norm: number): number {
    const at = 2 * i;
    let sum = 0;
    let isWhole = true;
    for (const { first, second, gap, weight } of this.#pairs) {
      const a = this.#bits[first]!;
      const b = this.#bits[second]!;
      const closeness = pairCloseness(a[at]!, a[at + 1]!, b[at]!, b[at + 1]!, gap);
      if (closeness < 1) isWhole = false;
      sum += weight * closeness;
    }
    return isWhole && fieldNormLength(norm) === this.#length ? sum + this.#whole : sum;
  }

  /** Where a word stands in those of the documents that hold it. */
  #marked(word: number, terms: FieldTerms, ordinals: readonly number[], docs: Uint32Array): Uint32Array {
    let bits = this.#bits[word]!;
    // Few documents hold all words of most queries.
    if (bits.length < 2 * docs.length) bits = new Uint32Array(2 * docs.length);
    else bits.fill(0, 0, 2 * docs.length);
    for (let i = 0; i < ordinals.length; i++) {
      if ((i & (TERMS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      this.#markTerm(terms.postings(ordinals[i]!), docs, bits);
    }
    return bits;
  }

  #markTerm(cursor: PostingCursor, docs: Uint32Array, bits: Uint32Array): void {
    let at = 0;
    while (at < docs.length) {
      const block = cursor.seekBlock(docs[at]!);
      if (block >= cursor.blockCount) return;
      cursor.loadBlock(block);
      let hasFreqs = false;
      const { docs: blockDocs, length } = cursor;
      for (let index = 0; index < length && at < docs.length; index++) {
        const docId = blockDocs[index]!;
        at = firstAtOrAfter(docs, at, docId);
        if (at === docs.length || docs[at] !== docId) continue;
        if (!hasFreqs) cursor.loadFreqs();
        hasFreqs = true;
        this.#markDocument(cursor, index, bits, 2 * at);
      }
      const last = cursor.lastDoc(block);
      at = firstAtOrAfter(docs, at, last + 1);
    }
  }

  #markDocument(cursor: PostingCursor, index: number, bits: Uint32Array, at: number): void {
    const freq = cursor.freqs[index]!;
    if (freq > this.#positions.length) this.#positions = new Uint32Array(2 * freq);
    const count = cursor.positions(index, this.#positions);
    for (let i = 0; i < count; i++) {
      const position = this.#positions[i]!;
      if (position >= NEAR_POSITIONS) return;
      bits[at + (position >>> 5)]! |= 1 << (position & 31);
    }
  }
}

function markHeld(bits: Uint32Array, boost: number, held: Float64Array): void {
  for (let i = 0; i < held.length; i++)
    if ((bits[2 * i]! | bits[2 * i + 1]!) !== 0 && held[i]! < boost) held[i] = boost;
}

function holds({ words }: NearField, word: number): boolean {
  return (words[word]?.length ?? 0) > 0;
}
