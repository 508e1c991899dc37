import type { DocId } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import type { PostingWindow } from "./posting-window.js";
import { copyWindow } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

/** Documents that hold a term, scored by BM25. */
export class TermEvaluator implements Evaluator {
  readonly cost: number;
  readonly #postings: PostingWindow;
  readonly #denseDocs: DocBits | null;
  readonly #offsets: Uint16Array;
  readonly #freqs: Uint32Array;
  readonly #norms: Uint8Array;
  readonly #lengthNorms: Float32Array;
  readonly #weight: number;

  /** @param weight f32, at least 0 */
  constructor(options: {
    readonly postings: PostingWindow;
    readonly denseDocs: DocBits | null;
    readonly norms: Uint8Array;
    readonly similarity: Bm25Similarity;
    readonly weight: number;
    readonly pool: WindowPool;
  }) {
    this.cost = options.postings.docFreq;
    this.#postings = options.postings;
    this.#denseDocs = options.denseDocs;
    this.#offsets = options.pool.gatheredOffsets;
    this.#freqs = options.pool.gatheredFreqs;
    this.#norms = options.norms;
    this.#lengthNorms = options.similarity.lengthNorms;
    this.#weight = options.weight;
  }

  nextMatchBound(docId: DocId): DocId {
    return this.#postings.nextDocBound(docId);
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    if (scores === null && this.#denseDocs !== null) {
      copyWindow(this.#denseDocs, windowStart, candidates, matches);
      return;
    }
    matches.fill(0);
    const offsets = this.#offsets;
    const count = this.#postings.gather(windowStart, candidates, scores !== null);
    for (let i = 0; i < count; i++) {
      const offset = offsets[i]!;
      matches[offset >>> 5]! |= 1 << (offset & 31);
    }
    if (scores !== null) this.#addScores(windowStart, count, scores);
  }

  #addScores(windowStart: DocId, count: number, scores: WindowScores): void {
    const offsets = this.#offsets;
    const freqs = this.#freqs;
    const norms = this.#norms;
    const lengthNorms = this.#lengthNorms;
    const weight = this.#weight;
    for (let i = 0; i < count; i++) {
      const offset = offsets[i]!;
      const freq = Math.fround(freqs[i]!);
      const saturation = Math.fround(freq / Math.fround(freq + lengthNorms[norms[windowStart + offset]!]!));
      scores[offset] = scores[offset]! + Math.fround(weight * saturation);
    }
  }
}
