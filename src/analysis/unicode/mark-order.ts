/**
 * Marks of Thai and Lao that look the same in any order, as Unicode doesn't order them itself: its combining classes are
 * 0 for vowels above a letter. The order is that of most texts: vowels above, tone, nikhahit. The vowel sara am comes
 * apart into nikhahit and sara aa, and a tone behind it belongs before it.
 */
const TONE = "\\u0e48-\\u0e4b\\u0ec8-\\u0ecb";
const ABOVE = "\\u0e31\\u0e34-\\u0e37\\u0e47\\u0eb1\\u0eb4-\\u0eb7\\u0ebb";
const NIKHAHIT = "\\u0e4d\\u0ecd";

const OUT_OF_ORDER = new RegExp(`[${TONE}][${ABOVE}]|[${NIKHAHIT}][${ABOVE}${TONE}]`);
const RUN = new RegExp(`[${TONE}${ABOVE}${NIKHAHIT}]{2,}`, "g");
const SARA_AM_WITH_TONE = new RegExp(`(\\u0e4d\\u0e32|\\u0ecd\\u0eb2)([${TONE}]+)`, "g");
const IS_TONE = new RegExp(`[${TONE}]`);
const IS_ABOVE = new RegExp(`[${ABOVE}]`);

/** Whether all marks of a text in NFKC are in order, but for a tone behind sara am. */
export function isInMarkOrder(text: string): boolean {
  return !OUT_OF_ORDER.test(text);
}

/** A character with its marks, in NFKC, in their order. Ordering twice changes nothing more. */
export function withMarksInOrder(cluster: string): string {
  return cluster
    .replace(SARA_AM_WITH_TONE, "$2$1")
    .replace(RUN, (run) => [...run].sort((a, b) => placeOf(a) - placeOf(b)).join(""));
}

function placeOf(mark: string): number {
  if (IS_ABOVE.test(mark)) return 0;
  return IS_TONE.test(mark) ? 1 : 2;
}
