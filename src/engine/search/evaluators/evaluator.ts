import type { DocId } from "../../schema/document.js";

/** Doc ids that are evaluated together. Windows start at multiples of it. */
export const WINDOW_SIZE = 4096;

/** Words of a window's bitset. */
export const WINDOW_WORDS: number = WINDOW_SIZE / 32;

/** A bitset over one window: bit `offset & 31` of word `offset >>> 5`, offset = doc id minus window start. */
export type WindowBits = Uint32Array;

/** Scores of one window by offset, f32. */
export type WindowScores = Float32Array;

/**
 * Finds and scores the matches of one query node in one segment, a window of doc ids at a time
 * (docs/adr/0002-windowed-evaluation.md). Windows are asked for in strictly ascending order, some are skipped.
 */
export interface Evaluator {
  /** Upper bound on the segment's matches, deleted documents included; the cheaper clause goes first. */
  readonly cost: number;

  /**
   * Lower bound on the first match at or after `docId`; `NO_MORE_DOCS` if there is none. `docId` is
   * past the last window that was evaluated.
   */
  nextMatchBound(docId: DocId): DocId;

  /**
   * Overwrites `matches` with the node's matches among the candidates (null: every document) and, where
   * `scores` is given, adds each match's score (at least 0) to it. Scores of other documents stay as
   * they are. The candidates are another array than `matches` and are not changed.
   */
  evaluate(
    windowStart: DocId,
    candidates: WindowBits | null,
    matches: WindowBits,
    scores: WindowScores | null,
  ): void;
}
