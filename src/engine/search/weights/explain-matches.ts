import type { DocId } from "../../schema/document.js";
import { type Evaluator, WINDOW_SIZE } from "../evaluators/evaluator.js";
import type { WindowPool } from "../evaluators/window-pool.js";

/**
 * What is to be told of those of the documents that match, with the score that a search gives them.
 *
 * @param evaluator new; null if nothing can match
 * @param docIds ascending, without the deleted
 * @param tell asked in the same order, right after the evaluation of the document's window
 * @returns one for each document; null: it doesn't match
 * @throws FindlingError `search_timeout`
 */
export function eachMatch<T>(
  evaluator: Evaluator | null,
  docIds: Uint32Array,
  pool: WindowPool,
  tell: (score: number, place: number, docId: DocId) => T,
): (T | null)[] {
  const told = new Array<T | null>(docIds.length).fill(null);
  if (evaluator === null) return told;
  const candidates = pool.borrowBits();
  const matches = pool.borrowBits();
  for (let place = 0; place < docIds.length; ) {
    pool.interrupt.check();
    const first = place;
    const windowStart = docIds[first]! - (docIds[first]! % WINDOW_SIZE);
    candidates.fill(0);
    for (; place < docIds.length && docIds[place]! < windowStart + WINDOW_SIZE; place++) {
      const offset = docIds[place]! - windowStart;
      candidates[offset >>> 5]! |= 1 << (offset & 31);
    }
    const scores = pool.borrowScores();
    evaluator.evaluate(windowStart, candidates, matches, scores);
    for (let i = first; i < place; i++) {
      const docId = docIds[i]!;
      const offset = docId - windowStart;
      if (((matches[offset >>> 5]! >>> (offset & 31)) & 1) === 1) told[i] = tell(scores[offset]!, i, docId);
    }
    pool.returnScores(scores);
  }
  pool.returnBits(candidates);
  pool.returnBits(matches);
  return told;
}

/** The scores of those of the documents that match; as `eachMatch`. */
export function scoresOf(
  evaluator: Evaluator | null,
  docIds: Uint32Array,
  pool: WindowPool,
): (number | null)[] {
  return eachMatch(evaluator, docIds, pool, (score) => score);
}
