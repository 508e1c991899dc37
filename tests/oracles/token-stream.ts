/** Entries of the first piece, and of the largest. */
const PIECE_MIN = 256;
const PIECE_MAX = 1 << 15;

/**
 * Unsigned 32-bit numbers appended one after the other and read in order, in pieces that are never
 * copied: what a doubling array leaves unused, and the copy that it makes, would break a memory budget.
 */
export class TokenStream {
  /** Each is full but for the last. */
  readonly pieces: Uint32Array[] = [];
  length = 0;
  #capacity = 0;
  #last: Uint32Array = new Uint32Array(0);
  #lastLength = 0;

  get bytesUsed(): number {
    return 4 * this.#capacity;
  }

  push(value: number): void {
    if (this.#lastLength === this.#last.length) this.#grow();
    this.#last[this.#lastLength++] = value;
    this.length++;
  }

  /** How many entries of a piece are in use. */
  lengthOf(piece: number): number {
    return piece === this.pieces.length - 1 ? this.#lastLength : this.pieces[piece]!.length;
  }

  #grow(): void {
    this.#last = new Uint32Array(Math.min(Math.max(PIECE_MIN, this.#capacity), PIECE_MAX));
    this.#lastLength = 0;
    this.#capacity += this.#last.length;
    this.pieces.push(this.#last);
  }
}
