import { FoldedLikeness } from "../../../analysis/folded-likeness.js";
import { distanceOfEdits, FOLDED } from "../../../analysis/word-distance.js";
import type { FieldTerms } from "../../segment/segment-reader.js";
import { decodeCodePoints, TERM_CODE_POINTS_MAX } from "./code-points.js";
import type { TermExpansion } from "./near-terms.js";

/** The thread's: a comparison is made in one go. */
const letters = new Uint32Array(TERM_CODE_POINTS_MAX);

/** How near terms are to a word, `FOLDED` told from edits (`word-distance.ts`). */
export interface TermDistances {
  /** Each at its distance. */
  readonly distances: Uint8Array;
  /** Each has 1 if all of it is the word but for what folding takes off. */
  readonly areFolded: Uint8Array;
}

/**
 * The distances of terms that are some edits away from a word, or have a beginning that is.
 *
 * @param word what all of a term is compared with; null: beginnings alone
 * @param prefix what beginnings are compared with; null: whole terms alone
 */
export function wordDistances(
  terms: FieldTerms,
  { ordinals, distances: edits }: TermExpansion,
  word: string | null,
  prefix: string | null,
): TermDistances {
  const distances = new Uint8Array(edits.length);
  const areFolded = new Uint8Array(edits.length);
  const ofWord = word === null ? null : new FoldedLikeness(word);
  const ofPrefix = prefix === null ? null : new FoldedLikeness(prefix);
  const isPlain = isAscii(word ?? "") && isAscii(prefix ?? "");
  for (let i = 0; i < edits.length; i++) {
    if (edits[i] === 0) continue;
    distances[i] = distanceOfEdits(edits[i]!);
    const bytes = terms.termBytes(ordinals[i]!);
    // Folding takes nothing off either.
    if (isPlain && areAscii(bytes)) continue;
    const length = decodeCodePoints(bytes, letters);
    if (ofWord?.isAlike(letters, length) === true) areFolded[i] = 1;
    if (areFolded[i] === 1 || ofPrefix?.begins(letters, length) === true) distances[i] = FOLDED;
  }
  return { distances, areFolded };
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7f) return false;
  return true;
}

function areAscii(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! >= 0x80) return false;
  return true;
}
