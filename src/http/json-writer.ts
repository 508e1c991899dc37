/** Bytes at first, and what is kept from one use to the next. */
const LENGTH_LEAST = 64 * 1024;
const LENGTH_KEPT = 1024 * 1024;
/** UTF-8 of one UTF-16 unit, at most. */
const BYTES_PER_UNIT = 3;

/**
 * Puts JSON in UTF-8 together from text and from bytes that are UTF-8 already. A string of so many pieces
 * would be joined, measured and encoded by the socket, each of which takes longer than this.
 */
export class JsonWriter {
  #buffer: Buffer = Buffer.allocUnsafeSlow(LENGTH_LEAST);
  #length = 0;

  /** Forgets what has been written since the last `take`: what failed half-way is nobody's. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  text(text: string): this {
    this.#reserve(text.length * BYTES_PER_UNIT);
    this.#length += this.#buffer.write(text, this.#length, "utf8");
    return this;
  }

  /** The same for text of ASCII alone. */
  ascii(text: string): this {
    this.#reserve(text.length);
    this.#length += this.#buffer.write(text, this.#length, "latin1");
    return this;
  }

  bytes(bytes: Uint8Array): this {
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, this.#length);
    this.#length += bytes.length;
    return this;
  }

  /** What has been written, in memory of its own; the writer is empty afterwards. */
  take(): Buffer {
    const taken = Buffer.allocUnsafeSlow(this.#length);
    taken.set(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    if (this.#buffer.length > LENGTH_KEPT) this.#buffer = Buffer.allocUnsafeSlow(LENGTH_LEAST);
    return taken;
  }

  #reserve(length: number): void {
    const needed = this.#length + length;
    if (needed <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
