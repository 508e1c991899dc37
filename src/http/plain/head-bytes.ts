import { BODY_LENGTH_MAX } from "./plain-head.js";

const ZERO = 0x30;

/** A head as bytes, to know another one by that says the same but for the body's length. */
export class HeadBytes {
  readonly #before: Uint8Array;
  readonly #behind: Uint8Array;

  /**
   * @param before all up to the body's length
   * @param behind all that follows it, the empty line included
   */
  constructor(before: string, behind: string) {
    this.#before = Buffer.from(before, "latin1");
    this.#behind = Buffer.from(behind, "latin1");
  }

  /**
   * Where the body begins in a request of one piece that has this head, with the body's own length; -1 in others.
   *
   * @param end of the piece among the bytes
   */
  bodyStartIn(bytes: Uint8Array, end: number): number {
    const before = this.#before;
    const behind = this.#behind;
    const length = bodyLengthOf(end - before.length - behind.length);
    if (length < 0) return -1;
    const start = end - length;
    const lengthEnd = start - behind.length;
    let rest = length;
    for (let at = lengthEnd - 1; at >= before.length; at--) {
      const tens = (rest / 10) | 0;
      if (bytes[at] !== ZERO + rest - 10 * tens) return -1;
      rest = tens;
    }
    for (let i = 0; i < behind.length; i++) if (bytes[lengthEnd + i] !== behind[i]) return -1;
    for (let i = 0; i < before.length; i++) if (bytes[i] !== before[i]) return -1;
    return start;
  }
}

/** @param together the body's length and its digits; -1 unless there is a body that may be so long */
function bodyLengthOf(together: number): number {
  for (let digits = 1, power = 10; digits <= 4; digits++, power *= 10) {
    const length = together - digits;
    if (length < power) return length >= power / 10 && length <= BODY_LENGTH_MAX ? length : -1;
  }
  return -1;
}
