/** Terms from one fence to the next: their bytes take two cache lines or three, their offsets one. */
const STEP = 16;
/** Bytes that a fence has of its term: as many as a whole number of 53 bits holds. */
const FENCE_BYTES = 6;
const FOUR_BYTES = 2 ** 32;

/** Places in a field's terms, between which a term has to be. */
export interface TermRange {
  /** All terms before it are less. */
  low: number;
  /** The term there is no less; or the number of terms. */
  high: number;
}

/**
 * How every sixteenth of a field's terms begins, as numbers: half a byte for each term. A search among these, which
 * lie side by side, leaves a few terms to be compared, where one among all fetches two lines of memory a step.
 */
export class TermFences {
  readonly #fences: Float64Array;
  readonly #termCount: number;

  /** Takes time for each sixteenth term. @param offsets where each term begins in `bytes`, and where the last one ends */
  constructor(bytes: Uint8Array, offsets: Uint32Array) {
    this.#termCount = offsets.length - 1;
    const fences = new Float64Array(Math.ceil(this.#termCount / STEP));
    for (let i = 0; i < fences.length; i++) {
      const ordinal = i * STEP;
      fences[i] = beginning(bytes, offsets[ordinal]!, offsets[ordinal + 1]!);
    }
    this.#fences = fences;
  }

  /** Narrows a term's lower bound to a range, which it writes: O(log terms). */
  narrow(term: Uint8Array, range: TermRange): void {
    const fences = this.#fences;
    const wanted = beginning(term, 0, term.length);
    const first = firstFrom(fences, wanted, 0);
    // Terms that begin alike may be less or greater.
    const end =
      first < fences.length && fences[first] === wanted ? firstFrom(fences, wanted + 1, first) : first;
    range.low = first === 0 ? 0 : (first - 1) * STEP + 1;
    range.high = end === fences.length ? this.#termCount : end * STEP;
  }
}

/** The first fence from `low` on that is no less; their number if there is none. */
function firstFrom(fences: Float64Array, wanted: number, low: number): number {
  let high = fences.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fences[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first bytes as one number, as if zeros followed a shorter term: ascends, or stays, as terms ascend. */
function beginning(bytes: Uint8Array, start: number, end: number): number {
  const length = end - start;
  if (length >= FENCE_BYTES) {
    const low =
      ((bytes[start + 2]! << 24) |
        (bytes[start + 3]! << 16) |
        (bytes[start + 4]! << 8) |
        bytes[start + 5]!) >>>
      0;
    return ((bytes[start]! << 8) | bytes[start + 1]!) * FOUR_BYTES + low;
  }
  let value = 0;
  for (let i = 0; i < FENCE_BYTES; i++) value = value * 256 + (i < length ? bytes[start + i]! : 0);
  return value;
}
