import { beginsLike } from "../../analysis/korean-beginnings.js";
import type { FieldTokens } from "./field-tokens.js";
import type { PhraseTarget } from "./highlight-targets.js";
import type { Steps } from "./steps.js";

/**
 * Marks the tokens through which a phrase occurs, by the rule of matching: one position per term, no two
 * the same, whose displacements (position minus place in the phrase) differ by at most the slop. For each
 * place where a match can begin, each term takes the first free position.
 *
 * Time is that of the rarest term's occurrences, times the terms, times the slop.
 *
 * @param marked by token: 1 where it is marked
 */
export function markPhrase(
  tokens: FieldTokens,
  phrase: PhraseTarget,
  marked: Uint8Array<ArrayBuffer>,
  steps: Steps,
): void {
  const places = placesOf(tokens, phrase, steps);
  if (places.some((indices) => indices.length === 0)) return;
  const matching = new PhraseMatching(tokens, places, phrase, steps);
  for (const start of startsOf(tokens, places, phrase, steps)) {
    if (!matching.matchesFrom(start)) continue;
    const { taken } = matching;
    for (let i = 0; i < taken.length; i++) marked[taken[i]!] = 1;
  }
}

/** By term the tokens that it may be, ascending. */
function placesOf(
  tokens: FieldTokens,
  { terms, lastIsPrefix }: PhraseTarget,
  steps: Steps,
): (readonly number[])[] {
  const places: (readonly number[])[] = [];
  for (let i = 0; i < terms.length; i++) {
    steps.take();
    const { term } = terms[i]!;
    const number = tokens.numberOf(term);
    const isPrefix = lastIsPrefix && i === terms.length - 1;
    if (isPrefix) places.push(beginningWith(term, tokens, steps));
    else places.push(number === undefined ? [] : tokens.occurrencesOf(number));
    if (places[i]!.length === 0) break;
  }
  return places;
}

function beginningWith(prefix: string, tokens: FieldTokens, steps: Steps): number[] {
  const { texts, textNumbers } = tokens;
  const isMeant = new Uint8Array(texts.length);
  for (let number = 0; number < texts.length; number++) {
    steps.take();
    if (beginsLike(texts[number]!, prefix)) isMeant[number] = 1;
  }
  const found: number[] = [];
  for (let token = 0; token < textNumbers.length; token++) {
    steps.take();
    if (isMeant[textNumbers[token]!] === 1) found.push(token);
  }
  return found;
}

/** Where a match can begin: no farther before an occurrence of the rarest term than the slop allows. */
function startsOf(
  { positions }: FieldTokens,
  places: readonly (readonly number[])[],
  { terms, slop }: PhraseTarget,
  steps: Steps,
): Set<number> {
  let rarest = 0;
  for (let i = 1; i < places.length; i++) if (places[i]!.length < places[rarest]!.length) rarest = i;
  const starts = new Set<number>();
  for (const token of places[rarest]!) {
    steps.take(slop + 1);
    const start = positions[token]! - terms[rarest]!.position;
    for (let before = 0; before <= slop; before++) starts.add(start - before);
  }
  return starts;
}

class PhraseMatching {
  /** Tokens of the last match, by term. */
  readonly taken: Int32Array;
  readonly #tokens: FieldTokens;
  readonly #places: readonly (readonly number[])[];
  readonly #phrase: PhraseTarget;
  readonly #steps: Steps;
  /** By token: the attempt that took it last. */
  readonly #takenIn: Int32Array;
  #attempt = 0;

  constructor(
    tokens: FieldTokens,
    places: readonly (readonly number[])[],
    phrase: PhraseTarget,
    steps: Steps,
  ) {
    this.taken = new Int32Array(places.length);
    this.#tokens = tokens;
    this.#places = places;
    this.#phrase = phrase;
    this.#steps = steps;
    this.#takenIn = new Int32Array(tokens.count);
  }

  /** Whether the phrase matches so that one of its terms stands exactly where it would without slop. */
  matchesFrom(start: number): boolean {
    const { terms, slop } = this.#phrase;
    const { positions } = this.#tokens;
    const attempt = ++this.#attempt;
    let beginsHere = false;
    for (let i = 0; i < terms.length; i++) {
      const first = start + terms[i]!.position;
      const candidates = this.#places[i]!;
      let place = firstAtOrAfter(candidates, positions, first);
      this.#steps.take();
      while (place < candidates.length && this.#takenIn[candidates[place]!] === attempt) {
        this.#steps.take();
        place++;
      }
      if (place === candidates.length) return false;
      const token = candidates[place]!;
      if (positions[token]! > first + slop) return false;
      if (positions[token] === first) beginsHere = true;
      this.#takenIn[token] = attempt;
      this.taken[i] = token;
    }
    return beginsHere;
  }
}

/** Place of the first token at or after a position; their number if there is none. */
function firstAtOrAfter(tokens: readonly number[], positions: readonly number[], position: number): number {
  let low = 0;
  let high = tokens.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positions[tokens[middle]!]! < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
