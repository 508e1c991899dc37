import { ownText } from "../../bytes/own-text.js";
import type { FoundTerm } from "./found-term.js";

/** Powers of two; a slot takes 16 bytes. */
const SLOTS_MIN = 64;
const SLOTS_MAX = 1024;
/** Terms of the field for each slot: what is asked again and again is a small part of them. */
const TERMS_PER_SLOT = 64;

/**
 * What a field's last terms were found to be: one search asks for its terms several times, and others for the same
 * frequent ones. There is one place for each, without any order to keep: a rare word that nobody asks for again took a
 * fifth longer with a cache, which has to grow and to be collected as garbage.
 */
export class RecentTerms {
  readonly #mask: number;
  readonly #terms: (string | null)[];
  readonly #found: (FoundTerm | null)[];

  /** @param termCount of the field */
  constructor(termCount: number) {
    let slots = SLOTS_MIN;
    while (slots < SLOTS_MAX && slots * TERMS_PER_SLOT < termCount) slots *= 2;
    this.#mask = slots - 1;
    this.#terms = new Array(slots).fill(null);
    this.#found = new Array(slots).fill(null);
  }

  /** Null if the field doesn't have it; undefined if it isn't known. */
  get(term: string): FoundTerm | null | undefined {
    const slot = this.#slotOf(term);
    return this.#terms[slot] === term ? this.#found[slot] : undefined;
  }

  set(term: string, found: FoundTerm | null): void {
    const slot = this.#slotOf(term);
    this.#terms[slot] = ownText(term);
    this.#found[slot] = found;
  }

  /** By its length and three of its letters. */
  #slotOf(term: string): number {
    const { length } = term;
    if (length === 0) return 0;
    const middle = term.charCodeAt(length >>> 1);
    return (
      (term.charCodeAt(0) * 7 + term.charCodeAt(length - 1) * 59 + middle * 401 + length * 31) & this.#mask
    );
  }
}
