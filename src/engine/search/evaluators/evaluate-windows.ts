import type { DocBits } from "../../segment/segment-reader.js";
import { type Evaluator, WINDOW_SIZE, type WindowBits, type WindowScores } from "./evaluator.js";
import { copyWindow, isEmpty } from "./window-bits.js";
import type { WindowPool } from "./window-pool.js";

export interface WindowedSegment {
  readonly maxDoc: number;
  readonly liveDocs: DocBits | null;
}

/** Takes the matches of one window. */
export interface WindowCollector {
  /** `scores` is null if the search doesn't want any. The arrays are valid during the call only. */
  collect(windowStart: number, matches: WindowBits, scores: WindowScores | null): void;
}

/**
 * Runs an evaluator over one segment's live documents and hands each window with matches to the collector.
 *
 * @param from the first document, a multiple of a window's size
 * @param end the document behind the last one, as well, or the segment's end
 * @throws FindlingError `search_timeout` if the pool's interrupt ends the search
 */
export function evaluateWindows(
  evaluator: Evaluator,
  segment: WindowedSegment,
  pool: WindowPool,
  withScores: boolean,
  collector: WindowCollector,
  from = 0,
  end: number = segment.maxDoc,
): void {
  const matches = pool.borrowBits();
  const live = segment.liveDocs === null ? null : pool.borrowBits();
  for (let windowStart = from; windowStart < end; windowStart += WINDOW_SIZE) {
    const bound = evaluator.nextMatchBound(windowStart);
    if (bound >= end) break;
    pool.interrupt.check();
    windowStart = bound - (bound % WINDOW_SIZE);
    if (live !== null) copyWindow(segment.liveDocs!, windowStart, null, live);
    const scores = withScores ? pool.borrowScores() : null;
    evaluator.evaluate(windowStart, live, matches, scores);
    if (!isEmpty(matches)) collector.collect(windowStart, matches, scores);
    if (scores !== null) pool.returnScores(scores);
  }
  if (live !== null) pool.returnBits(live);
  pool.returnBits(matches);
}
