import { ownText } from "../../bytes/own-text.js";
import type { PhraseQuery } from "../query.js";
import { type BoundPhrase, isKept } from "./bound-phrase.js";

/** Tokens of all phrases that are remembered, about 400 bytes each; beyond that all are forgotten. */
const TOKENS_MAX = 8000;
/** Phrases with the same first term that are gone through one by one, which takes less than a key of all terms does. */
const LISTED_MAX = 8;

/** Phrases that were asked for. Bounded in size. */
export class KnownPhrases {
  /** By their first term, those that came first. */
  readonly #listed: Map<string, BoundPhrase[]> = new Map();
  /** By `keyOf`, the others. */
  readonly #others: Map<string, BoundPhrase> = new Map();
  #tokenCount = 0;
  #remembered = 0;

  /** Phrases that were ever remembered. */
  get remembered(): number {
    return this.#remembered;
  }

  /** @param query with at least one token */
  find(query: PhraseQuery): BoundPhrase | null {
    const listed = this.#listed.get(query.terms[0]!.term);
    if (listed === undefined) return null;
    for (let i = 0; i < listed.length; i++) if (listed[i]!.isOf(query)) return listed[i]!;
    if (listed.length < LISTED_MAX || !isKept(query)) return null;
    return this.#others.get(keyOf(query)) ?? null;
  }

  /** @param phrase that isn't known; nothing happens if it is too long to be kept */
  add(phrase: BoundPhrase): void {
    const { query } = phrase;
    if (!isKept(query)) return;
    this.#remembered++;
    if (this.#tokenCount + query.terms.length > TOKENS_MAX) {
      this.#listed.clear();
      this.#others.clear();
      this.#tokenCount = 0;
    }
    this.#tokenCount += query.terms.length;
    const { term } = query.terms[0]!;
    const listed = this.#listed.get(term);
    if (listed === undefined) this.#listed.set(term, [phrase]);
    else if (listed.length < LISTED_MAX) listed.push(phrase);
    else this.#others.set(ownText(keyOf(query)), phrase);
  }
}

/** Of no other phrase. */
function keyOf({ field, terms, slop, lastIsPrefix }: PhraseQuery): string {
  let key = `${slop} ${lastIsPrefix} ${field.length} ${field}`;
  for (const { term, position } of terms) key += ` ${position} ${term.length} ${term}`;
  return key;
}
