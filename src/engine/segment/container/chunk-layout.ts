/** A chunk that isn't longer is copied into one with those beside it: a segment of few documents has hundreds of them. */
const SHORT_CHUNK = 4096;

/** A part of a file: chunks by their place in it, and zeros between them. Long ones aren't copied. */
export class ChunkLayout {
  readonly #chunks: Uint8Array[] = [];
  /** Short ones behind the last of those, which begin at `#start` or later. */
  #short: { readonly chunk: Uint8Array; readonly offset: number }[] = [];
  #start: number;

  /** @param start of the part in the file */
  constructor(start: number) {
    this.#start = start;
  }

  /** `offset` is that in the file, at or behind the end of the chunk before. */
  place(chunk: Uint8Array, offset: number): void {
    if (chunk.length <= SHORT_CHUNK) {
      this.#short.push({ chunk, offset });
      return;
    }
    this.#joinUpTo(offset);
    this.#chunks.push(chunk);
    this.#start = offset + chunk.length;
  }

  /** The part up to `end`, in order; of no use afterwards. */
  chunksUpTo(end: number): Uint8Array[] {
    this.#joinUpTo(end);
    return this.#chunks;
  }

  #joinUpTo(end: number): void {
    const start = this.#start;
    if (end === start) return;
    const joined = new Uint8Array(end - start);
    for (const { chunk, offset } of this.#short) joined.set(chunk, offset - start);
    this.#chunks.push(joined);
    this.#short = [];
  }
}
