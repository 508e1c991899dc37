import type { DocId } from "../../schema/document.js";
import type { FieldTerms, PostingCursor } from "../../segment/segment-reader.js";
import { type Bm25Similarity, NODE_SCORE_MAX, SATURATION_LIMIT } from "../similarity/bm25-similarity.js";
import { fuzzyScore } from "../similarity/fuzzy-scoring.js";

/** A word's variants at one distance in one field. */
export interface VariantLevel {
  readonly distance: number;
  readonly terms: FieldTerms;
  readonly ordinals: readonly number[];
  readonly similarity: Bm25Similarity;
  readonly boost: number;
}

/**
 * What single documents score by a word's variants: the nearest that they hold count, as in
 * `FuzzyEvaluator`, to the last bit.
 */
export class VariantScores {
  readonly #levels: readonly (VariantLevel & { readonly cursors: readonly PostingCursor[] })[];
  /** Lists that a document may have to be looked for in. */
  readonly variantCount: number;
  readonly #inverseDocFreq: number;
  readonly #nearestDistance: number;

  /** @param levels by distance ascending, then in the query's order of fields */
  constructor(levels: readonly VariantLevel[], inverseDocFreq: number, nearestDistance: number) {
    this.#levels = levels.map((level) => ({
      ...level,
      cursors: level.ordinals.map((ordinal) => level.terms.postings(ordinal)),
    }));
    this.variantCount = levels.reduce((count, { ordinals }) => count + ordinals.length, 0);
    this.#inverseDocFreq = inverseDocFreq;
    this.#nearestDistance = nearestDistance;
  }

  /** 0 if the document holds no variant. Documents ascend from call to call. */
  scoreOf(docId: DocId): number {
    let termScore = 0;
    let found = -1;
    for (const { distance, cursors, terms, similarity, boost } of this.#levels) {
      if (found >= 0 && distance !== found) break;
      let freq = 0;
      for (const cursor of cursors) freq += freqIn(cursor, docId);
      if (freq === 0) continue;
      found = distance;
      const limit = Math.min(Math.fround(boost * SATURATION_LIMIT), NODE_SCORE_MAX);
      const saturation = similarity.saturation(freq, terms.norms[docId]!);
      termScore = Math.fround(termScore + Math.fround(limit * saturation));
    }
    return found < 0 ? 0 : fuzzyScore(this.#inverseDocFreq, found - this.#nearestDistance, termScore);
  }
}

function freqIn(cursor: PostingCursor, docId: DocId): number {
  if (cursor.block < 0 || cursor.lastDoc(cursor.block) < docId) {
    const block = cursor.seekBlock(docId);
    if (block >= cursor.blockCount) return 0;
    cursor.loadBlock(block);
  }
  const { docs } = cursor;
  let low = 0;
  let high = cursor.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle]! < docId) low = middle + 1;
    else high = middle;
  }
  if (low === cursor.length || docs[low] !== docId) return 0;
  cursor.loadFreqs();
  return cursor.freqs[low]!;
}
