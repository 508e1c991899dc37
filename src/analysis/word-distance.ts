/**
 * How far another word is from one that is looked for, as numbers that ascend: 0 is the word itself, `FOLDED` one that
 * differs by nothing but what folding takes off, and then comes one more for each edit.
 */
export const FOLDED = 1;

/** The distance of another word that is so many edits away, at least one. */
export function distanceOfEdits(edits: number): number {
  return edits + FOLDED;
}

/** The edits of a distance; of what folding takes off there are none. */
export function editsOf(distance: number): number {
  return Math.max(0, distance - FOLDED);
}
