import { emptyBitset, nextSetBit } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { DocBits, FieldTerms } from "../../segment/segment-reader.js";
import type { TermExpansion } from "../automaton/term-expansion.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import { NODE_SCORE_MAX } from "../similarity/bm25-similarity.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { copyWindow, lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

const FREQ_MAX = 0xffff;
const NO_DISTANCE = 0xff;
/** Terms whose postings are added up between two looks at the clock. */
const TERMS_PER_CHECK = 16;

/** One field's terms that begin nearly like the prefix. */
export interface FuzzyPrefixField {
  readonly terms: FieldTerms;
  readonly expansion: TermExpansion;
  /** K by norm code. */
  readonly lengthNorms: Float32Array;
  readonly boost: number;
}

/**
 * Documents with a term that begins within some edits of a prefix. A prefix can stand for most of the
 * dictionary, so the terms' frequencies are added up once by document, instead of walking thousands of
 * posting lists side by side. Takes a byte a document, and two more for each field; where there is no
 * room for that, it is done for a stretch of documents at a time.
 */
export class FuzzyPrefixEvaluator implements Evaluator {
  readonly cost: number;
  readonly #fields: readonly FuzzyPrefixField[];
  readonly #maxDistance: number;
  readonly #maxDoc: number;
  readonly #interrupt: SearchInterrupt;
  /** Documents that have been gone through last, from the first to before the end. */
  #from: DocId = 0;
  #end: DocId = 0;
  /** Those of them that match; the first one's bit is the first, as in what follows. */
  readonly #docs: DocBits;
  /** By document: distance of its nearest term. */
  readonly #distances: Uint8Array;
  /** By field and document: occurrences of terms at that distance. */
  readonly #freqs: readonly Uint16Array[];

  /** @throws FindlingError `search_timeout` */
  constructor(
    fields: readonly FuzzyPrefixField[],
    maxDistance: number,
    segment: { readonly maxDoc: number },
    { interrupt, room }: WindowPool,
  ) {
    const { maxDoc } = segment;
    room.startSegment(segment);
    const docBytes = 2 + 2 * fields.length;
    const windows = Math.max(1, Math.floor(room.share / docBytes / WINDOW_SIZE));
    const size = Math.min(maxDoc, windows * WINDOW_SIZE);
    room.take(size * docBytes);
    this.#fields = fields;
    this.#maxDistance = maxDistance;
    this.#maxDoc = maxDoc;
    this.#interrupt = interrupt;
    this.#docs = emptyBitset(size);
    this.#distances = new Uint8Array(size);
    this.#freqs = fields.map(() => new Uint16Array(size));
    const count = this.#begin(0);
    this.cost = size === maxDoc ? count : maxDoc;
  }

  nextMatchBound(docId: DocId): DocId {
    if (docId >= this.#maxDoc) return NO_MORE_DOCS;
    if (docId < this.#from || docId >= this.#end) return docId;
    const next = nextSetBit(this.#docs, docId - this.#from);
    if (next >= 0) return this.#from + next;
    return this.#end < this.#maxDoc ? this.#end : NO_MORE_DOCS;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    this.#reach(windowStart);
    copyWindow(this.#docs, windowStart - this.#from, candidates, matches);
    if (scores === null) return;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        scores[offset] = scores[offset]! + this.#scoreOf(windowStart + offset);
      }
    }
  }

  /** Distance of a matching document's nearest term. */
  distanceOf(docId: DocId): number {
    this.#reach(docId - (docId % WINDOW_SIZE));
    return this.#distances[docId - this.#from]!;
  }

  #reach(windowStart: DocId): void {
    if (windowStart < this.#from || windowStart >= this.#end) this.#begin(windowStart);
  }

  /** Goes through the documents from a window on; returns how many match. */
  #begin(windowStart: DocId): number {
    this.#from = windowStart;
    this.#end = Math.min(windowStart + this.#distances.length, this.#maxDoc);
    this.#docs.fill(0);
    this.#distances.fill(NO_DISTANCE);
    for (const freqs of this.#freqs) freqs.fill(0);
    let count = 0;
    for (let distance = 0; distance <= this.#maxDistance; distance++) {
      this.#fields.forEach((field, i) => {
        count += this.#addTerms(field, distance, this.#freqs[i]!);
      });
    }
    return count;
  }

  #scoreOf(docId: DocId): number {
    let sum = 0;
    for (let i = 0; i < this.#fields.length; i++) {
      const freq = this.#freqs[i]![docId - this.#from]!;
      if (freq === 0) continue;
      const { boost, lengthNorms, terms } = this.#fields[i]!;
      sum += boost * (freq / (freq + lengthNorms[terms.norms[docId]!]!));
    }
    return Math.fround(Math.min(sum, NODE_SCORE_MAX) * 0.5 ** this.#distances[docId - this.#from]!);
  }

  /** Returns how many documents are new. */
  #addTerms({ terms, expansion }: FuzzyPrefixField, distance: number, freqs: Uint16Array): number {
    const docs = this.#docs;
    const distances = this.#distances;
    const from = this.#from;
    const size = this.#end - from;
    let count = 0;
    for (let i = 0; i < expansion.ordinals.length; i++) {
      if ((i & (TERMS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      if (expansion.distances[i] !== distance) continue;
      const cursor = terms.postings(expansion.ordinals[i]!);
      for (let block = cursor.seekBlock(from); block < cursor.blockCount; block++) {
        cursor.loadBlock(block);
        cursor.loadFreqs();
        for (let at = 0; at < cursor.length; at++) {
          const place = cursor.docs[at]! - from;
          if (place < 0 || place >= size || distances[place]! < distance) continue;
          if (distances[place] === NO_DISTANCE) {
            distances[place] = distance;
            docs[place >>> 5]! |= 1 << (place & 31);
            count++;
          }
          freqs[place] = Math.min(FREQ_MAX, freqs[place]! + cursor.freqs[at]!);
        }
        if (cursor.lastDoc(block) >= this.#end) break;
      }
    }
    return count;
  }
}
