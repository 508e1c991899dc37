import { fieldNormLength } from "../../bytes/field-norm.js";

/**
 * The constants at which a block's competitive posting is chosen: BM25's usual ones. They decide
 * which posting stands for a block, not how anything scores. With other constants than these the
 * stored impacts would be no bounds, with another average length they need the correction that
 * FORMAT.md states.
 */
const K1 = 1.2;
const B = 0.75;

/** Largest term frequency that an impact holds; it stands for itself and everything above. */
export const IMPACT_FREQ_MAX = 255;

/** Scale of a block's bound: 65535 stands for 1. */
export const BOUND_SCALE = 65_535;

/** What each norm code adds to the term frequency below the fraction line: k1 · (1 − b + b · length / average). */
export function impactNormFactors(averageLength: number): Float64Array {
  const factors = new Float64Array(256);
  for (let code = 0; code < 256; code++) {
    factors[code] = K1 * (1 - B + (averageLength === 0 ? 0 : (B * fieldNormLength(code)) / averageLength));
  }
  return factors;
}

/** Index of the first of `count` postings with the greatest impact freq / (freq + factor of its norm). */
export function strongestPosting(
  docs: Uint32Array,
  freqs: Uint32Array,
  count: number,
  norms: Uint8Array,
  factors: Float64Array,
): number {
  let strongest = 0;
  // Impact rises with freq / factor, which spares the addition.
  let greatest = -1;
  for (let i = 0; i < count; i++) {
    const ratio = freqs[i]! / factors[norms[docs[i]!]!]!;
    if (ratio > greatest) {
      greatest = ratio;
      strongest = i;
    }
  }
  return strongest;
}
