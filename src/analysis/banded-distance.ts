/**
 * Optimal string alignment distance of a pattern to a text that is given one code point at a time,
 * for patterns of any length: the dynamic programme's rows, of which only the diagonal band that can
 * stay within the maximum is kept. Rows can be rewritten from any depth on, so that a trie is walked
 * with one row per depth.
 *
 * Ukkonen, "Algorithms for Approximate String Matching", 1985; transposition as in Damerau 1964,
 * restricted to neighbours that are not edited again.
 */
export class BandedDistance {
  readonly #pattern: Uint32Array;
  readonly #maximum: number;
  readonly #width: number;
  /** The pattern's last code point stands for all up to this one. */
  readonly #lastMeant: number;
  /** Row t holds the costs of pattern prefixes of t - maximum to t + maximum code points. */
  readonly #rows: Uint8Array;
  readonly #text: Uint32Array;

  /**
   * @param textLengthMax most code points that a text can have
   * @param lastMeant the pattern's last code point stands for those up to this one; itself unless given
   */
  constructor(pattern: Uint32Array, maximum: number, textLengthMax: number, lastMeant: number = 0) {
    this.#pattern = pattern;
    this.#maximum = maximum;
    this.#lastMeant = lastMeant;
    this.#width = 2 * maximum + 1;
    this.#rows = new Uint8Array((textLengthMax + 1) * this.#width);
    this.#text = new Uint32Array(textLengthMax);
    for (let cell = 0; cell < this.#width; cell++) {
      const prefix = cell - maximum;
      this.#rows[cell] = prefix < 0 ? maximum + 1 : prefix;
    }
  }

  /**
   * Sets the text's code point at `depth`; those before it have been set. False if no continuation
   * can be within the maximum any more.
   */
  push(depth: number, codePoint: number): boolean {
    const pattern = this.#pattern;
    const rows = this.#rows;
    const text = this.#text;
    const width = this.#width;
    const above = depth * width;
    const row = above + width;
    const limit = this.#maximum + 1;
    text[depth] = codePoint;
    let least = limit;
    for (let cell = 0; cell < width; cell++) {
      const prefix = depth + 1 + cell - this.#maximum;
      let cost = limit;
      if (prefix === 0) {
        cost = depth + 1;
      } else if (prefix > 0 && prefix <= pattern.length) {
        const last = pattern[prefix - 1];
        const isSame =
          last === codePoint ||
          (codePoint <= this.#lastMeant && codePoint > last! && prefix === pattern.length);
        cost = rows[above + cell]! + (isSame ? 0 : 1);
        if (cell + 1 < width) cost = Math.min(cost, rows[above + cell + 1]! + 1);
        if (cell > 0) cost = Math.min(cost, rows[row + cell - 1]! + 1);
        if (depth > 0 && prefix > 1 && last === text[depth - 1] && pattern[prefix - 2] === codePoint) {
          cost = Math.min(cost, rows[above - width + cell]! + 1);
        }
      }
      if (cost > limit) cost = limit;
      rows[row + cell] = cost;
      if (cost < least) least = cost;
    }
    return least < limit;
  }

  /** Distance of the pattern to the first `length` code points set; the maximum + 1 if it is beyond. */
  distance(length: number): number {
    const cell = this.#pattern.length - length + this.#maximum;
    return cell < 0 || cell >= this.#width ? this.#maximum + 1 : this.#rows[length * this.#width + cell]!;
  }
}
