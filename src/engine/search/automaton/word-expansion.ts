import type { FieldTerms } from "../../segment/segment-reader.js";
import type { WordPattern } from "../query.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import { codePointsOf } from "./code-points.js";
import { areWholeWords, foldedBeginnings, foldedTerms, withFolded } from "./folded-terms.js";
import type { BegunExpansion, TermExpansion } from "./near-terms.js";
import { expandPrefix } from "./prefix-expansion.js";
import { expandTerm } from "./term-expansion.js";

/** The terms of one segment and field that a word of a query stands for. */
export interface WordExpansion {
  /** Ascending. */
  readonly ordinals: Uint32Array;
  /** How near each is (`word-distance.ts`). */
  readonly distances: Uint8Array;
  /** Each variant has 1 if it only begins like the word, 0 if it is the word or one near it; null: none only begins so. */
  readonly areBegun: Uint8Array | null;
}

/**
 * All terms within the word's distance, and those that begin like it if it is still being typed, each at its least
 * distance; where both are the same it counts as the whole word. What differs by folding alone is among them however many
 * letters that changes, if the word may have edits at all. Deleted documents' terms included.
 *
 * @throws FindlingError `search_timeout`
 */
export function expandWord(
  terms: FieldTerms,
  { term, maxDistance, begun }: WordPattern,
  interrupt: SearchInterrupt = NO_INTERRUPT,
): WordExpansion {
  const mayDiffer = maxDistance > 0;
  if (begun === undefined) {
    const whole = expandTerm(terms, term, maxDistance, interrupt);
    if (!mayDiffer) return { ...whole, areBegun: null };
    const { ordinals, distances } = withFolded(whole, foldedTerms(terms, term, interrupt));
    return { ordinals, distances, areBegun: null };
  }
  const beginnings = expandPrefix(terms, begun.prefix, begun.maxDistance, interrupt);
  const { ordinals, distances, areBegun } = beginnings;
  // Whatever is within a distance of the word begins with something that is: with all of itself.
  const isCovered = begun.prefix === term && begun.maxDistance === maxDistance;
  const all =
    isCovered && areBegun !== undefined
      ? { ordinals, distances, areBegun }
      : merged(expandTerm(terms, term, maxDistance, interrupt), beginnings);
  if (!mayDiffer) return withFolded(all, []);
  // Beginnings that are too short for their distance stand for nothing.
  const isLong = codePointsOf(begun.prefix).length > begun.maxDistance;
  const folded = isLong
    ? foldedBeginnings(terms, begun.prefix, begun.maxDistance, interrupt)
    : foldedTerms(terms, term, interrupt);
  return withFolded(all, folded, areWholeWords(terms, folded, term));
}

function merged(whole: TermExpansion, begun: TermExpansion): BegunExpansion {
  const size = whole.ordinals.length + begun.ordinals.length;
  const ordinals = new Uint32Array(size);
  const distances = new Uint8Array(size);
  const areBegun = new Uint8Array(size);
  let count = 0;
  let i = 0;
  let j = 0;
  while (i < whole.ordinals.length || j < begun.ordinals.length) {
    const ofWhole = i < whole.ordinals.length ? whole.ordinals[i]! : Number.POSITIVE_INFINITY;
    const ofBegun = j < begun.ordinals.length ? begun.ordinals[j]! : Number.POSITIVE_INFINITY;
    const ordinal = Math.min(ofWhole, ofBegun);
    const distanceOfWhole = ofWhole === ordinal ? whole.distances[i++]! : Number.POSITIVE_INFINITY;
    const distanceOfBegun = ofBegun === ordinal ? begun.distances[j++]! : Number.POSITIVE_INFINITY;
    ordinals[count] = ordinal;
    distances[count] = Math.min(distanceOfWhole, distanceOfBegun);
    areBegun[count++] = distanceOfBegun < distanceOfWhole ? 1 : 0;
  }
  return {
    ordinals: ordinals.slice(0, count),
    distances: distances.slice(0, count),
    areBegun: areBegun.slice(0, count),
  };
}
