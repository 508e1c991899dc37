import { type Dsl, MATCH_NONE } from "./dsl.js";
import { placedText } from "./encode-document.js";
import { partOf } from "./index-mapping.js";

export interface PhraseTerm {
  readonly term: string;
  readonly position: number;
}

/** Exact phrases that a sloppy one is taken apart into, at most: beyond them the cluster's own slop is used. */
const ARRANGEMENTS_MAX = 200;

/**
 * A phrase, scored boost · 2.2 · tf / (tf + K). A sloppy one is the exact phrases that it allows, the best of which
 * counts, as the cluster would count a displaced occurrence as less than one.
 */
export function phraseQuery(field: string, terms: readonly PhraseTerm[], slop: number, boost: number): Dsl {
  const path = partOf("t", field);
  if (terms.length === 0) return MATCH_NONE;
  if (terms.length === 1) return { term: { [path]: { value: terms[0]!.term, boost } } };
  // The similarity adds up once for each term.
  const each = boost / terms.length;
  const exact = (arranged: readonly PhraseTerm[]): Dsl => ({
    match_phrase: { [path]: { query: textOf(arranged), boost: each } },
  });
  if (slop === 0) return exact(terms);
  const arrangements = arrangementsOf(terms, slop);
  if (arrangements === null) return { match_phrase: { [path]: { query: textOf(terms), slop, boost: each } } };
  return { dis_max: { queries: arrangements.map(exact) } };
}

function textOf(terms: readonly PhraseTerm[]): string {
  const first = Math.min(...terms.map(({ position }) => position));
  const places: (string | undefined)[] = [];
  for (const { term, position } of terms) places[position - first] = term;
  return placedText(places, 0);
}

/**
 * The ways in which a sloppy phrase may lie in a text: each term displaced so that no two displacements differ by more
 * than the slop. Null if they are too many.
 */
function arrangementsOf(
  terms: readonly PhraseTerm[],
  slop: number,
): readonly (readonly PhraseTerm[])[] | null {
  if ((slop + 1) ** (terms.length - 1) * terms.length > 10 * ARRANGEMENTS_MAX) return null;
  const found = new Map<string, readonly PhraseTerm[]>();
  const choose = (displacements: readonly number[]): void => {
    if (displacements.length < terms.length) {
      for (let displacement = 0; displacement <= slop; displacement++)
        choose([...displacements, displacement]);
      return;
    }
    if (Math.min(...displacements) > 0) return;
    const arranged = terms.map(({ term, position }, i) => ({ term, position: position + displacements[i]! }));
    if (new Set(arranged.map(({ position }) => position)).size < terms.length) return;
    found.set(displacements.join(), arranged);
  };
  choose([]);
  return found.size > ARRANGEMENTS_MAX ? null : [...found.values()];
}
