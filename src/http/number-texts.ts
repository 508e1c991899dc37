/** Places; a power of two. */
const PLACE_BITS = 12;
const PLACES = 2 ** PLACE_BITS;
/** Of a place: the length and 28 bytes, where the longest number takes 25. */
const WORDS = 8;
const TEXT_BYTES = 4 * (WORDS - 1);

/**
 * Numbers as JSON writes them, of which scores come again and again: to find one that was written before takes a
 * fraction of making its text, and of turning that into bytes. Newer ones take the places of older ones.
 */
export class NumberTexts {
  /** As those of `KeptTexts`. */
  readonly words: Uint32Array = new Uint32Array(PLACES * WORDS);
  readonly #numbers: Float64Array = new Float64Array(PLACES).fill(Number.NaN);
  readonly #number: Float64Array = new Float64Array(1);
  readonly #halves: Uint32Array = new Uint32Array(this.#number.buffer);

  /** @returns where its text is, until another is asked for; `null` for what JSON has no number for */
  placeOf(value: number): number {
    this.#number[0] = value;
    const mixed = Math.imul(this.#halves[0]! ^ Math.imul(this.#halves[1]!, 0x9e3779b1), 0x85ebca6b);
    const place = mixed >>> (32 - PLACE_BITS);
    if (this.#numbers[place] !== value) this.#keep(place, value);
    return place * WORDS;
  }

  #keep(place: number, value: number): void {
    const text = JSON.stringify(value);
    if (text.length > TEXT_BYTES) throw new RangeError(`${text} is longer than numbers are`);
    const start = place * WORDS;
    this.words.fill(0, start, start + WORDS);
    this.words[start] = text.length;
    for (let i = 0; i < text.length; i++)
      this.words[start + 1 + (i >>> 2)]! |= text.charCodeAt(i) << (8 * (i & 3));
    this.#numbers[place] = value;
  }
}
