/** The blocks used last, least recently used first: a `Map` keeps its keys in insertion order. */
export class BlockCache {
  readonly #countMax: number;
  readonly #bytesMax: number;
  readonly #blocks = new Map<number, Uint8Array>();
  #bytes = 0;

  /** Keeps at most `countMax` blocks and `bytesMax` bytes; a block larger than that isn't kept at all. */
  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get(block: number): Uint8Array | undefined {
    const bytes = this.#blocks.get(block);
    if (bytes === undefined) return undefined;
    this.#blocks.delete(block);
    this.#blocks.set(block, bytes);
    return bytes;
  }

  /** Adds a block that `get` didn't find. */
  set(block: number, bytes: Uint8Array): void {
    if (bytes.length > this.#bytesMax) return;
    this.#blocks.set(block, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, oldestBytes] of this.#blocks) {
      if (this.#blocks.size <= this.#countMax && this.#bytes <= this.#bytesMax) break;
      this.#blocks.delete(oldest);
      this.#bytes -= oldestBytes.length;
    }
  }

  clear(): void {
    this.#blocks.clear();
    this.#bytes = 0;
  }
}
