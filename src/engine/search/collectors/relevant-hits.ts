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

  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void {
    if (scores !== null) this.#top.collect(this.#segmentIndex, windowStart, matches, scores);
  }

  ranked(): RankedHits {
    this.#top.sort();
    return this.#top;
  }
}
