/** UTF-16 units of the longest term that the room is for, and the bytes that one takes at most. */
const LENGTH_MAX = 255;
const BYTES_PER_UNIT = 3;

const encoder = new TextEncoder();

/**
 * Makes the bytes of terms, in room of its own: Node's encoder takes most of a microsecond for a new array each time,
 * as long as looking the term up.
 */
export class TermBytes {
  readonly #room: Uint8Array = new Uint8Array(LENGTH_MAX * BYTES_PER_UNIT);
  /** By length, as a view takes longer to make than most terms to encode. */
  readonly #views: (Uint8Array | undefined)[] = [];

  /** A term's UTF-8; valid until the next one is asked for. */
  of(term: string): Uint8Array {
    const { length } = term;
    if (length > LENGTH_MAX) return encoder.encode(term);
    for (let i = 0; i < length; i++) {
      const unit = term.charCodeAt(i);
      if (unit >= 0x80) return this.#first(encoder.encodeInto(term, this.#room).written);
      this.#room[i] = unit;
    }
    return this.#first(length);
  }

  #first(count: number): Uint8Array {
    return (this.#views[count] ??= this.#room.subarray(0, count));
  }
}
