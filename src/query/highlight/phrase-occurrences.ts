import type { Token } from "../../analysis/analyzer.js";
import type { PhraseTarget } from "./highlight-targets.js";

/**
 * Indices of the tokens through which a phrase occurs, by the rule of matching: one position per term,
 * no two the same, whose displacements (position minus place in the phrase) differ by at most the slop.
 * For each place where a match can begin, each term takes the first free position.
 *
 * @param tokens by ascending position
 */
export function phraseOccurrences(tokens: readonly Token[], phrase: PhraseTarget): Set<number> {
  const found = new Set<number>();
  const places = phrase.terms.map(({ term }, i) => {
    const isPrefix = phrase.lastIsPrefix && i === phrase.terms.length - 1;
    return tokens.flatMap((token, index) =>
      (isPrefix ? token.text.startsWith(term) : token.text === term) ? [index] : [],
    );
  });
  if (places.some((indices) => indices.length === 0)) return found;
  const starts = new Set<number>();
  places.forEach((indices, i) => {
    for (const index of indices) starts.add(tokens[index]!.position - phrase.terms[i]!.position);
  });
  for (const start of starts) {
    const match = matchFrom(start, tokens, places, phrase);
    if (match !== null) for (const index of match) found.add(index);
  }
  return found;
}

function matchFrom(
  start: number,
  tokens: readonly Token[],
  places: readonly (readonly number[])[],
  { terms, slop }: PhraseTarget,
): number[] | null {
  const taken: number[] = [];
  let beginsHere = false;
  for (let i = 0; i < terms.length; i++) {
    const first = start + terms[i]!.position;
    const index = places[i]!.find((candidate) => {
      const { position } = tokens[candidate]!;
      return position >= first && position <= first + slop && !taken.includes(candidate);
    });
    if (index === undefined) return null;
    if (tokens[index]!.position === first) beginsHere = true;
    taken.push(index);
  }
  return beginsHere ? taken : null;
}
