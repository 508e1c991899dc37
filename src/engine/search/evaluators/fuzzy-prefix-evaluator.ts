import { nextSetBit } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { DocBits, FieldTerms } from "../../segment/segment-reader.js";
import type { TermExpansion } from "../automaton/term-expansion.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import { copyWindow, lowestBit } from "./window-bits.js";

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
 * posting lists side by side. Takes a byte a document, and two more for each field.
 */
export class FuzzyPrefixEvaluator implements Evaluator {
  readonly cost: number;
  readonly #fields: readonly FuzzyPrefixField[];
  readonly #docs: DocBits;
  /** By document: distance of its nearest term. */
  readonly #distances: Uint8Array;
  /** By field and document: occurrences of terms at that distance. */
  readonly #freqs: readonly Uint16Array[];
  readonly #interrupt: SearchInterrupt;

  /** @throws FindlingError `search_timeout` */
  constructor(
    fields: readonly FuzzyPrefixField[],
    maxDistance: number,
    maxDoc: number,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ) {
    this.#fields = fields;
    this.#interrupt = interrupt;
    this.#docs = new Uint32Array((maxDoc + 31) >>> 5);
    this.#distances = new Uint8Array(maxDoc).fill(NO_DISTANCE);
    this.#freqs = fields.map(() => new Uint16Array(maxDoc));
    let count = 0;
    for (let distance = 0; distance <= maxDistance; distance++) {
      fields.forEach((field, i) => {
        count += this.#addTerms(field, distance, this.#freqs[i]!);
      });
    }
    this.cost = count;
  }

  nextMatchBound(docId: DocId): DocId {
    const next = nextSetBit(this.#docs, docId);
    return next < 0 ? NO_MORE_DOCS : next;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    copyWindow(this.#docs, windowStart, candidates, matches);
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
    return this.#distances[docId]!;
  }

  #scoreOf(docId: DocId): number {
    let sum = 0;
    for (let i = 0; i < this.#fields.length; i++) {
      const freq = this.#freqs[i]![docId]!;
      if (freq === 0) continue;
      const { boost, lengthNorms, terms } = this.#fields[i]!;
      sum += boost * (freq / (freq + lengthNorms[terms.norms[docId]!]!));
    }
    return Math.fround(sum * 0.5 ** this.#distances[docId]!);
  }

  /** Returns how many documents are new. */
  #addTerms({ terms, expansion }: FuzzyPrefixField, distance: number, freqs: Uint16Array): number {
    const docs = this.#docs;
    const distances = this.#distances;
    let count = 0;
    for (let i = 0; i < expansion.ordinals.length; i++) {
      if ((i & (TERMS_PER_CHECK - 1)) === 0) this.#interrupt.check();
      if (expansion.distances[i] !== distance) continue;
      const cursor = terms.postings(expansion.ordinals[i]!);
      for (let block = 0; block < cursor.blockCount; block++) {
        cursor.loadBlock(block);
        cursor.loadFreqs();
        for (let at = 0; at < cursor.length; at++) {
          const docId = cursor.docs[at]!;
          if (distances[docId]! < distance) continue;
          if (distances[docId] === NO_DISTANCE) {
            distances[docId] = distance;
            docs[docId >>> 5]! |= 1 << (docId & 31);
            count++;
          }
          freqs[docId] = Math.min(FREQ_MAX, freqs[docId]! + cursor.freqs[at]!);
        }
      }
    }
    return count;
  }
}
