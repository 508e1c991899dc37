import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { Bm25Similarity } from "../similarity/bm25-similarity.js";
import type { Evaluator, WindowBits, WindowScores } from "./evaluator.js";
import type { PhraseFrequency, PhraseToken } from "./phrase-frequency.js";
import type { PositionSource } from "./position-sources.js";
import { lowestBit } from "./window-bits.js";

/** Documents in which a phrase occurs, scored by BM25 with the phrase's frequency. */
export class PhraseEvaluator implements Evaluator {
  readonly cost: number;
  readonly #approximation: Evaluator;
  /** The one that may not be in a document comes first. */
  readonly #sources: readonly PositionSource[];
  readonly #frequency: PhraseFrequency;
  readonly #norms: Uint8Array;
  readonly #similarity: Bm25Similarity;
  readonly #weight: number;

  constructor(options: {
    /** Documents that hold every token, but perhaps the last one. */
    readonly approximation: Evaluator;
    readonly tokens: readonly PhraseToken[];
    /** Counts over the same tokens. */
    readonly frequency: PhraseFrequency;
    readonly norms: Uint8Array;
    readonly similarity: Bm25Similarity;
    /** f32, at least 0 */
    readonly weight: number;
  }) {
    this.cost = options.approximation.cost;
    this.#approximation = options.approximation;
    this.#sources = [...new Set(options.tokens.map((token) => token.source))].reverse();
    this.#frequency = options.frequency;
    this.#norms = options.norms;
    this.#similarity = options.similarity;
    this.#weight = options.weight;
  }

  nextMatchBound(docId: DocId): DocId {
    const bound = this.#approximation.nextMatchBound(docId);
    if (bound === NO_MORE_DOCS) for (let i = 0; i < this.#sources.length; i++) this.#sources[i]!.release?.();
    return bound;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    this.#approximation.evaluate(windowStart, candidates, matches, null);
    const sources = this.#sources;
    for (let word = 0; word < matches.length; word++) {
      for (let rest = matches[word]!; rest !== 0; rest &= rest - 1) {
        const offset = (word << 5) + lowestBit(rest);
        const docId = windowStart + offset;
        const freq = this.#frequencyIn(docId);
        if (freq === 0) {
          matches[word]! &= ~(rest & -rest);
        } else if (scores !== null) {
          const saturation = this.#similarity.saturation(freq, this.#norms[docId]!);
          scores[offset] = scores[offset]! + Math.fround(this.#weight * saturation);
        }
      }
    }
    for (let i = 0; i < sources.length; i++) sources[i]!.endWindow?.(windowStart);
  }

  #frequencyIn(docId: DocId): number {
    const sources = this.#sources;
    for (let i = 0; i < sources.length; i++) {
      sources[i]!.moveTo(docId);
      if (sources[i]!.length === 0) return 0;
    }
    return this.#frequency.count();
  }
}
