import type { PeerAnswer, PeerQuery } from "./peer-query.js";

/** Relative difference between scores that counts as none: both are sums of 32-bit floats in their own order. */
const SCORE_TOLERANCE = 1e-5;

/**
 * What differs between an engine's answer with the exact count and Tantivy's, null if nothing: the
 * count, the ten scores rank by rank, doc ids where the neighbouring scores differ, numbers of a sorted
 * answer, counts per facet. Matches of prefixes and fuzzy words are compared by their count only, since
 * Tantivy scores them all alike.
 *
 * @param comparesScores whether the engine ranks as Tantivy does
 */
export function disagreement(
  query: PeerQuery,
  mine: PeerAnswer,
  theirs: PeerAnswer,
  comparesScores: boolean,
): string | null {
  if (theirs.count !== undefined && mine.count !== theirs.count)
    return `count ${mine.count} instead of ${theirs.count}`;
  if (query.kind === "sort" && String(mine.numbers) !== String(theirs.numbers)) return "other numbers";
  if (theirs.facets !== undefined && facetList(mine) !== facetList(theirs)) return "other facet counts";
  if (!comparesScores || query.kind === "stored" || query.kind === "fuzzy" || query.kind === "prefix")
    return null;
  for (let rank = 0; rank < Math.max(mine.scores.length, theirs.scores.length); rank++) {
    const [a, b] = [mine.scores[rank], theirs.scores[rank]];
    if (a === undefined || b === undefined || !alike(a, b))
      return `score ${a} instead of ${b} at rank ${rank + 1}`;
    const isTied = [rank - 1, rank + 1].some((other) => alike(theirs.scores[other] ?? Number.NaN, b));
    // The score after the last rank isn't known, so that the last one may be tied.
    if (!isTied && rank < theirs.scores.length - 1 && mine.docs[rank] !== theirs.docs[rank])
      return `document ${mine.docs[rank]} instead of ${theirs.docs[rank]} at rank ${rank + 1}`;
  }
  return null;
}

function alike(a: number, b: number): boolean {
  return Math.abs(a - b) <= SCORE_TOLERANCE * Math.abs(b);
}

function facetList({ facets = [] }: PeerAnswer): string {
  return facets
    .map(([path, count]) => `${path} ${count}`)
    .sort()
    .join("\n");
}
