/**
 * What a stem begins with where it stands in an index beside words. No word begins so, nor does any with
 * two slips; it comes before every word, and so stems lie apart from them in a dictionary.
 */
const STEM_MARK = "\u0001\u0001\u0001";

/** Bytes of UTF-8 that terms of stems begin with. */
const STEM_MARK_BYTES = [1, 1, 1];

/** The least term that is no stem, where a range of words begins that has no lower bound. */
export const FIRST_WORD = "\u0002";

/** The term of a stem. */
export function stemTerm(stem: string): string {
  return STEM_MARK + stem;
}

export function isStemTerm(term: string): boolean {
  return term.startsWith(STEM_MARK);
}

/** Whether the bytes of a dictionary from `start` on are a stem's term. */
export function isStemTermAt(bytes: Uint8Array, start: number, end: number): boolean {
  return (
    end - start >= STEM_MARK_BYTES.length && STEM_MARK_BYTES.every((byte, i) => bytes[start + i] === byte)
  );
}

/** A term as it is shown to people: a stem without its mark. */
export function shownTerm(term: string): string {
  return isStemTerm(term) ? term.slice(STEM_MARK.length) : term;
}

/** A text in which terms stand, as it is shown to people. */
export function shownTerms(text: string): string {
  return text.replaceAll(STEMS, (_, stem: string) => `stem '${stem}'`);
}

const STEMS = new RegExp(`${STEM_MARK}([\\p{L}\\p{N}\\p{M}]+)`, "gu");
