import { andNotInto, orInto } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import { NODE_SCORE_MAX, SATURATION_LIMIT } from "../similarity/bm25-similarity.js";
import { fuzzyScore } from "../similarity/fuzzy-scoring.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import type { PostingWindow } from "./posting-window.js";
import { isEmpty, lowestBit } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** The variants of a word at one distance in one field. */
export interface FuzzyVariants {
  readonly distance: number;
  /** See `fuzzyScore`. */
  readonly steps: number;
  readonly postings: readonly PostingWindow[];
  readonly norms: Uint8Array;
  /** K by norm code. */
  readonly lengthNorms: Float32Array;
  readonly boost: number;
}

/** Documents that hold a variant of a word, scored by the nearest variants that they hold. */
export class FuzzyEvaluator implements Evaluator {
  readonly cost: number;
  readonly #variants: readonly FuzzyVariants[];
  readonly #inverseDocFreq: number;
  readonly #pool: WindowPool;
  /** Summed frequencies in the field at hand by offset; 0 between fields. */
  readonly #freqs: Uint32Array = new Uint32Array(WINDOW_SIZE);
  /** By offset: edits to the nearest variant of each match of the last window; of others it says nothing. */
  readonly #distances: Uint8Array = new Uint8Array(WINDOW_SIZE);

  constructor(options: {
    /** The nearest first, those of equal steps one after the other, in the query's order of fields. */
    readonly variants: readonly FuzzyVariants[];
    readonly inverseDocFreq: number;
    readonly pool: WindowPool;
  }) {
    let cost = 0;
    for (const { postings } of options.variants) {
      for (const posting of postings) cost += posting.docFreq;
    }
    this.cost = cost;
    this.#variants = options.variants;
    this.#inverseDocFreq = options.inverseDocFreq;
    this.#pool = options.pool;
  }

  /** Distance of the nearest variant of a document that matches in the last window that was evaluated. */
  distanceOf(docId: DocId): number {
    return this.#distances[docId % WINDOW_SIZE]!;
  }

  nextMatchBound(docId: DocId): DocId {
    let bound = NO_MORE_DOCS;
    for (let i = 0; i < this.#variants.length; i++) {
      const { postings } = this.#variants[i]!;
      for (let j = 0; j < postings.length && bound > docId; j++) {
        bound = Math.min(bound, postings[j]!.nextDocBound(docId));
      }
    }
    return bound;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    const pool = this.#pool;
    const nearer = pool.borrowBits();
    const level = pool.borrowBits();
    const fieldMatches = pool.borrowBits();
    const termScores = pool.borrowScores();
    nearer.fill(0);
    for (let i = 0; i < this.#variants.length; ) {
      const { distance, steps } = this.#variants[i]!;
      level.fill(0);
      for (; i < this.#variants.length && this.#variants[i]!.steps === steps; i++) {
        this.#evaluateField(this.#variants[i]!, windowStart, candidates, fieldMatches, scores !== null);
        andNotInto(fieldMatches, nearer);
        if (scores !== null) this.#addTermScores(this.#variants[i]!, windowStart, fieldMatches, termScores);
        orInto(level, fieldMatches);
      }
      if (scores !== null) this.#addScores(steps, level, termScores, scores);
      if (scores !== null) this.#keepDistance(distance, level);
      orInto(nearer, level);
    }
    matches.set(nearer);
    pool.returnBits(nearer);
    pool.returnBits(level);
    pool.returnBits(fieldMatches);
    pool.returnScores(termScores);
  }

  /** Sums the frequencies of one field's variants. */
  #evaluateField(
    variants: FuzzyVariants,
    windowStart: DocId,
    candidates: WindowBits | null,
    fieldMatches: WindowBits,
    withFreqs: boolean,
  ): void {
    const { gatheredOffsets, gatheredFreqs } = this.#pool;
    const freqs = this.#freqs;
    fieldMatches.fill(0);
    for (let i = 0; i < variants.postings.length; i++) {
      const count = variants.postings[i]!.gather(windowStart, candidates, withFreqs);
      for (let j = 0; j < count; j++) {
        const offset = gatheredOffsets[j]!;
        fieldMatches[offset >>> 5]! |= 1 << (offset & 31);
        if (withFreqs) freqs[offset]! += gatheredFreqs[j]!;
      }
    }
  }

  /** Turns summed frequencies into scores without idf for the documents of this level. */
  #addTermScores(
    variants: FuzzyVariants,
    windowStart: DocId,
    fieldMatches: WindowBits,
    termScores: WindowScores,
  ): void {
    const { norms, lengthNorms, boost } = variants;
    const freqs = this.#freqs;
    if (!isEmpty(fieldMatches)) {
      const limit = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      for (let word = 0; word < fieldMatches.length; word++) {
        let rest = fieldMatches[word]!;
        while (rest !== 0) {
          const offset = (word << 5) + lowestBit(rest);
          const freq = Math.fround(freqs[offset]!);
          const saturation = Math.fround(
            freq / Math.fround(freq + lengthNorms[norms[windowStart + offset]!]!),
          );
          termScores[offset] = termScores[offset]! + Math.fround(limit * saturation);
          rest &= rest - 1;
        }
      }
    }
    freqs.fill(0);
  }

  #addScores(steps: number, level: WindowBits, termScores: WindowScores, scores: WindowScores): void {
    for (let word = 0; word < level.length; word++) {
      let rest = level[word]!;
      while (rest !== 0) {
        const offset = (word << 5) + lowestBit(rest);
        scores[offset] = scores[offset]! + fuzzyScore(this.#inverseDocFreq, steps, termScores[offset]!);
        rest &= rest - 1;
      }
    }
  }

  #keepDistance(distance: number, level: WindowBits): void {
    const distances = this.#distances;
    for (let word = 0; word < level.length; word++) {
      for (let rest = level[word]!; rest !== 0; rest &= rest - 1) {
        distances[(word << 5) + lowestBit(rest)] = distance;
      }
    }
  }
}
