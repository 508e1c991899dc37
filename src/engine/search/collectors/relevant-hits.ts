import type { DocId } from "../../schema/document.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import type { RankedHits } from "../search-types.js";
import type { HitCollector } from "./hit-collector.js";
import { TopDocuments } from "./top-documents.js";

/** Hits by score descending, then insertion order. */
export class RelevantHits implements HitCollector {
  readonly #top: TopDocuments;
  #segmentIndex = 0;

  constructor(limit: number) {
    this.#top = new TopDocuments(limit);
  }

  startSegment(segmentIndex: number): void {
    this.#segmentIndex = segmentIndex;
  }

  /** See `TopDocuments`. */
  get leastScore(): number {
    return this.#top.leastScore;
  }

  /** Takes the best documents of the segment at hand. */
  add(docIds: Uint32Array, scores: Float32Array, count: number): void {
    this.#top.add(this.#segmentIndex, docIds, scores, count);
  }

  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void {
    if (scores !== null) this.#top.collect(this.#segmentIndex, windowStart, matches, scores);
  }

  ranked(): RankedHits {
    return this.#top.ranked();
  }
}
