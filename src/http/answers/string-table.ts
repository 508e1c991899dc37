/** Words at first. */
const LENGTH_LEAST = 256;

/**
 * Short texts that are written often, as UTF-8 in words: one behind the other, since as objects of their own each
 * of them lay somewhere else in memory, which takes longer to fetch than the text to copy.
 */
export class StringTable {
  /** At a text's place its length in bytes; its words follow, little endian, the last one filled up. */
  words: Uint32Array = new Uint32Array(LENGTH_LEAST);
  #length = 0;

  /** Bytes that they take. */
  get byteLength(): number {
    return 4 * this.#length;
  }

  /** @returns its place, until all are forgotten */
  add(text: string): number {
    const bytes = Buffer.from(text);
    const place = this.#length;
    const end = place + 1 + ((bytes.length + 3) >>> 2);
    if (end > this.words.length) {
      const words = new Uint32Array(Math.max(end, 2 * this.words.length));
      words.set(this.words);
      this.words = words;
    }
    this.words.fill(0, place, end);
    this.words[place] = bytes.length;
    for (let i = 0; i < bytes.length; i++) this.words[place + 1 + (i >>> 2)]! |= bytes[i]! << (8 * (i & 3));
    this.#length = end;
    return place;
  }

  clear(): void {
    this.words = new Uint32Array(LENGTH_LEAST);
    this.#length = 0;
  }
}

/**
 * Copies a text to where three bytes more than it has are free.
 *
 * @returns where it ends
 */
export function copyWords(target: DataView, start: number, words: Uint32Array, place: number): number {
  const length = words[place]!;
  for (let i = 0; i < length; i += 4) target.setUint32(start + i, words[++place]!, true);
  return start + length;
}

/** Places; a power of two. */
const PLACE_BITS = 12;
const PLACES = 2 ** PLACE_BITS;
/** The bytes of a place: the length and 28 bytes, where the longest number takes 25. */
const WORDS = 8;
const TEXT_BYTES = 4 * (WORDS - 1);

/**
 * Numbers as JSON writes them, of which scores come again and again: to find one that was written before takes a
 * fraction of making its text, and of turning that into bytes. Newer ones take the places of older ones.
 */
export class NumberTable {
  /** As those of `StringTable`. */
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
