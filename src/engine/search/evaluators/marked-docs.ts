import { emptyBitset } from "../../bytes/bitset.js";
import { type DocId, NO_MORE_DOCS } from "../../schema/document.js";
import type { DocBits } from "../../segment/segment-reader.js";
import { docsEvaluator } from "./document-evaluators.js";
import type { WindowedSegment } from "./evaluate-windows.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { copyWindow } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";
import { addConstant } from "./window-scores.js";

/** Sets the bit `docId - from` of each document from the first to before the end; the bits are 0 before. */
export type MarkRange = (docs: DocBits, from: DocId, end: DocId) => void;

/**
 * Documents that lists are walked for: all of the segment's at once where there is room to keep them, else in each
 * window anew, which takes longer. Each scores 1.
 *
 * @param cost upper bound on their number
 */
export function markedDocsEvaluator(
  segment: WindowedSegment,
  pool: WindowPool,
  cost: number,
  mark: MarkRange,
): Evaluator {
  const { maxDoc } = segment;
  const { room } = pool;
  room.startSegment(segment);
  if (maxDoc / 8 > room.share) return new WindowMarksEvaluator(maxDoc, cost, mark);
  const docs = emptyBitset(maxDoc);
  mark(docs, 0, maxDoc);
  const evaluator = docsEvaluator(docs);
  // As a list where that is smaller.
  room.take(Math.min(docs.byteLength, evaluator.cost * Uint32Array.BYTES_PER_ELEMENT));
  return evaluator;
}

/** Keeps nothing from window to window. */
class WindowMarksEvaluator implements Evaluator {
  readonly cost: number;
  readonly #maxDoc: number;
  readonly #mark: MarkRange;

  constructor(maxDoc: number, cost: number, mark: MarkRange) {
    this.cost = cost;
    this.#maxDoc = maxDoc;
    this.#mark = mark;
  }

  nextMatchBound(docId: DocId): DocId {
    return docId < this.#maxDoc ? docId : NO_MORE_DOCS;
  }

  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void {
    matches.fill(0);
    this.#mark(matches, windowStart, Math.min(windowStart + WINDOW_SIZE, this.#maxDoc));
    if (candidates !== null) copyWindow(matches, 0, candidates, matches);
    if (scores !== null) addConstant(matches, 1, scores);
  }
}
