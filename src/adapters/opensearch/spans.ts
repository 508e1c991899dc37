import type { Dsl } from "./dsl.js";

/** Positions within which words are near. */
export const NEAR_DISTANCE = 4;
/** Positions of a field that are looked at. */
const NEAR_POSITIONS = 64;

/** @param path the text in the cluster's documents, as in all of these */
export function anySpan(path: string, terms: readonly string[]): Dsl {
  const clauses = terms.map((term): Dsl => ({ span_term: { [path]: term } }));
  return clauses.length === 1 ? clauses[0]! : { span_or: { clauses } };
}

export function spanNear(clauses: readonly Dsl[], slop: number): Dsl {
  return { span_near: { clauses, slop, in_order: true } };
}

/** The second stands just so many positions behind the first. */
export function apartBy(path: string, first: Dsl, second: Dsl, gap: number): Dsl {
  const between: readonly Dsl[] = gap === 1 ? [] : [{ span_gap: { [path]: gap - 1 } }];
  return spanNear([first, ...between, second], 0);
}

/** Whatever ends among the positions of a field that are looked at. */
export function inFront(match: Dsl): Dsl {
  return { span_first: { match, end: NEAR_POSITIONS } };
}
