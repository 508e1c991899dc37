import { fieldNormLength } from "../../bytes/field-norm.js";

const K1 = 1.2;
const B = 0.75;

/**
 * BM25 as Lucene and Tantivy compute it, in f32: idf = ln(1 + (N - n + 0.5) / (n + 0.5)), a term's
 * score = idf · (k1 + 1) · tf / (tf + K), K = k1 · (1 - b + b · length / average length) with the
 * length as its norm byte tells it. Every operation is rounded to f32, so that a vector kernel
 * gives the same bits.
 *
 * Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
 */
export class Bm25Similarity {
  readonly averageFieldLength: number;
  /** K by norm code. */
  readonly lengthNorms: Float32Array;

  /** @param statistics documents with the field, and their tokens together; may be 0 */
  static of(statistics: { readonly docCount: number; readonly tokenCount: number }): Bm25Similarity {
    const average = statistics.docCount === 0 ? 1 : statistics.tokenCount / statistics.docCount;
    let similarity = known.get(average);
    if (similarity === undefined) {
      similarity = new Bm25Similarity(average);
      if (known.size >= KNOWN_MAX) known.clear();
      known.set(average, similarity);
    }
    return similarity;
  }

  private constructor(average: number) {
    this.averageFieldLength = average;
    this.lengthNorms = new Float32Array(256);
    for (let code = 0; code < 256; code++) {
      this.lengthNorms[code] = K1 * (1 - B + (B * fieldNormLength(code)) / average);
    }
  }

  /** Share of the greatest possible weight that a frequency reaches, below 1. */
  saturation(termFreq: number, norm: number): number {
    const freq = Math.fround(termFreq);
    return Math.fround(freq / Math.fround(freq + this.lengthNorms[norm]!));
  }
}

/** Its tables cost more than many a search, and only the average tells them apart. */
const known = new Map<number, Bm25Similarity>();
const KNOWN_MAX = 256;

/** Inverse document frequency, above 0. `docFreq` counts at most as `docCount`. */
export function inverseDocumentFrequency(docFreq: number, docCount: number): number {
  const present = Math.min(docFreq, docCount);
  return Math.log(1 + (docCount - present + 0.5) / (present + 0.5));
}

/**
 * Greatest score of one query node: boosts may be any finite number, and millions of such scores have
 * to add up to less than the greatest f32 (3.4e38).
 */
export const NODE_SCORE_MAX: number = Math.fround(1e30);

/** What a term scores at most: idf times (k1 + 1) times the boost, f32. */
export function termWeight(inverseDocFreq: number, boost: number): number {
  return Math.min(Math.fround(inverseDocFreq * (K1 + 1) * boost), NODE_SCORE_MAX);
}

/**
 * What a word's own score counts beside that of its stem: enough to tell documents apart that are alike else,
 * little enough to leave the order to the stem (docs/adr/0031-stems-beside-words.md).
 */
export const WRITTEN_WEIGHT = 0.1;

/** k1 + 1. */
export const SATURATION_LIMIT: number = K1 + 1;
