import { BandedDistance } from "../../analysis/banded-distance.js";
import { FoldedLikeness } from "../../analysis/folded-likeness.js";
import { beginsLike, meantBy } from "../../analysis/korean-beginnings.js";
import { distanceOfEdits, FOLDED } from "../../analysis/word-distance.js";
import type { FuzzyTarget } from "./highlight-targets.js";

const CODE_POINTS_MAX = 255;
const REMEMBERED_MAX = 20_000;

/** Distances (`word-distance.ts`) of tokens to one word or its stem, remembered, since texts repeat their words. */
export class WordDistances {
  readonly #word: string;
  readonly #stem: string | null;
  readonly #maximum: number;
  readonly #isPrefix: boolean;
  readonly #mayFold: boolean;
  readonly #distance: BandedDistance;
  readonly #likeness: FoldedLikeness;
  readonly #known = new Map<string, number>();

  constructor({ word, maxDistance, isPrefix, mayFold, stem }: Omit<FuzzyTarget, "fields">) {
    this.#word = word;
    this.#stem = stem;
    this.#maximum = maxDistance;
    this.#isPrefix = isPrefix;
    this.#mayFold = mayFold;
    const pattern = Uint32Array.from(word, (character) => character.codePointAt(0)!);
    let lastMeant = 0;
    if (isPrefix && pattern.length > 0) {
      const { first, last } = meantBy(pattern[pattern.length - 1]!);
      pattern[pattern.length - 1] = first;
      lastMeant = last;
    }
    this.#likeness = new FoldedLikeness(word);
    this.#distance = new BandedDistance(pattern, maxDistance, CODE_POINTS_MAX, lastMeant);
  }

  /** The greatest distance of a token that the word may stand for. */
  get farthest(): number {
    return this.#maximum === 0 && !this.#mayFold ? 0 : distanceOfEdits(this.#maximum);
  }

  /** The distance of the nearest beginning where the word is a prefix; more than `farthest` if it is beyond the maximum. */
  to(token: string): number {
    if (token === this.#stem) return 0;
    if (this.#isPrefix ? beginsLike(token, this.#word) : token === this.#word) return 0;
    const beyond = distanceOfEdits(this.#maximum + 1);
    if (this.#maximum === 0 && !this.#mayFold) return beyond;
    // A code point is one or two UTF-16 units.
    if (!this.#isPrefix && token.length > 2 * (this.#word.length + this.#maximum)) return beyond;
    let distance = this.#known.get(token);
    if (distance === undefined) {
      distance = this.#mayFold && this.#isFolded(token) ? FOLDED : distanceOfEdits(this.#measure(token));
      if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
      this.#known.set(token, distance);
    }
    return distance;
  }

  #isFolded(token: string): boolean {
    const letters = Array.from(token, (character) => character.codePointAt(0)!);
    return this.#isPrefix
      ? this.#likeness.begins(letters, letters.length)
      : this.#likeness.isAlike(letters, letters.length);
  }

  /** Optimal string alignment distance. */
  #measure(token: string): number {
    let depth = 0;
    let nearest = this.#maximum + 1;
    for (const character of token) {
      if (!this.#distance.push(depth++, character.codePointAt(0)!)) return nearest;
      if (this.#isPrefix) nearest = Math.min(nearest, this.#distance.distance(depth));
    }
    return this.#isPrefix ? nearest : this.#distance.distance(depth);
  }
}
