/** Words at first. */
const LENGTH_LEAST = 256;

/**
 * Short texts that are written often, as UTF-8 in words: one behind the other, since as objects of their own each
 * of them lay somewhere else in memory, which takes longer to fetch than the text to copy.
 */
export class KeptTexts {
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
 * Copies a text to where there is room for three bytes more than it has.
 *
 * @returns where it ends
 */
export function copyWords(target: DataView, start: number, words: Uint32Array, place: number): number {
  const length = words[place]!;
  for (let i = 0; i < length; i += 4) target.setUint32(start + i, words[++place]!, true);
  return start + length;
}
