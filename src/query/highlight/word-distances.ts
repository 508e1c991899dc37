import { BandedDistance } from "../../analysis/banded-distance.js";

const CODE_POINTS_MAX = 255;
const REMEMBERED_MAX = 20_000;

/** Distances of tokens to one word, remembered, since texts repeat their words. */
export class WordDistances {
  readonly #word: string;
  readonly #maximum: number;
  readonly #distance: BandedDistance;
  readonly #known = new Map<string, number>();

  constructor(word: string, maximum: 0 | 1 | 2) {
    this.#word = word;
    this.#maximum = maximum;
    const pattern = Uint32Array.from(word, (character) => character.codePointAt(0)!);
    this.#distance = new BandedDistance(pattern, maximum, CODE_POINTS_MAX);
  }

  /** Optimal string alignment distance; more than the maximum if it is beyond that. */
  to(token: string): number {
    if (token === this.#word) return 0;
    const beyond = this.#maximum + 1;
    // A code point is one or two UTF-16 units.
    if (this.#maximum === 0 || token.length > 2 * (this.#word.length + this.#maximum)) return beyond;
    let distance = this.#known.get(token);
    if (distance === undefined) {
      distance = this.#measure(token);
      if (this.#known.size >= REMEMBERED_MAX) this.#known.clear();
      this.#known.set(token, distance);
    }
    return distance;
  }

  #measure(token: string): number {
    let depth = 0;
    for (const character of token) {
      if (!this.#distance.push(depth++, character.codePointAt(0)!)) return this.#maximum + 1;
    }
    return this.#distance.distance(depth);
  }
}
