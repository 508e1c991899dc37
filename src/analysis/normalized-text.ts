import { FOLDED_BEYOND_NFKC, foldCharacters, IS_IGNORABLE } from "./unicode/case-folding.js";
import { isInMarkOrder, withMarksInOrder } from "./unicode/mark-order.js";

/** A text in a normal form with the way back to the text it came from. */
export interface NormalizedText {
  readonly text: string;
  /** Offset in the original of the character that stands at an offset of `text`. */
  readonly starts: readonly number[];
  /** Offset in the original after the character that ends at an offset of `text`. */
  readonly ends: readonly number[];
}

/** What texts are brought into before words are cut out of them. */
export interface NormalForm {
  /** Whether the text is in this form already. Linear in a text without long runs of marks. */
  isNormal(text: string): boolean;
  /** The form of a character with all that joins it. */
  of(cluster: string): string;
  /** Everything below is its own normal form, alone and next to one another. */
  readonly normalBelow: number;
  /** What the form drops, wherever it stands; null: nothing. */
  readonly dropped: RegExp | null;
  /** What may compose with the code point before it without being a mark. */
  readonly mayCompose: RegExp;
}

/** Hangul vowels and finals, a few vowels above the BMP. */
const VOWELS_AND_FINALS = /^[\u1161-\u1175\u11a8-\u11c2\u{10000}-\u{10ffff}]$/u;

/** Besides, those of the compatibility and half width forms, which NFKC makes the same of. */
const VOWELS_AND_FINALS_OF_ALL_FORMS =
  /^[\u1161-\u1175\u11a8-\u11c2\u3133-\u3163\uffa3-\uffdc\u{10000}-\u{10ffff}]$/u;

/** The form of analysis version 1. */
export const COMPOSED_FORM: NormalForm = {
  isNormal: (text) => text.normalize("NFC") === text,
  of: (cluster) => cluster.normalize("NFC"),
  normalBelow: 0x300,
  dropped: null,
  mayCompose: VOWELS_AND_FINALS,
};

/** The form of the analysis versions 2 to 4: NFKC case folding but for small letters, which words are brought into one by one. */
export const FOLDED_FORM: NormalForm = {
  isNormal: (text) => !FOLDED_BEYOND_NFKC.test(text) && text.normalize("NFKC") === text,
  of: foldCharacters,
  normalBelow: 0x80,
  dropped: IS_IGNORABLE,
  mayCompose: VOWELS_AND_FINALS,
};

/** Besides, marks of Thai and Lao in one order, and letters of Hangul one syllable whatever form they have. */
export const ORDERED_FORM: NormalForm = {
  ...FOLDED_FORM,
  isNormal: (text) => FOLDED_FORM.isNormal(text) && isInMarkOrder(text),
  // Canonically equivalent signs, such as the two acute accents, are one sign to the folding.
  of: (cluster) => withMarksInOrder(foldCharacters(cluster.normalize("NFC"))),
  mayCompose: VOWELS_AND_FINALS_OF_ALL_FORMS,
};

const BEYOND_ASCII = /[^\0-\x7f]/;

/**
 * Node normalizes a run of marks in quadratic time (200,000 took 14 s), so longer runs are cut into
 * pieces that are normalized one by one. A token with so many marks, of two bytes and more, is too long
 * to be kept even if its first few compose, so no token shows the seams.
 */
const MARKS_MAX = 136;
const MARKS_OVER_MAX = /\p{M}{137}/u;

/** Marks, and the voicing marks of half width kana, which become marks. */
const MARK = /^[\p{M}\uff9e\uff9f]$/u;

/** Nothing below joins what stands before it. */
const JOINS_FROM = 0x300;

/** Most code units that one character but for its marks is composed of: a Hangul syllable takes three. */
const COMPOSED_LENGTH_MAX = 8;

/**
 * The text in the form, or null if it is in it already, as nearly every text is. Linear in the text.
 */
export function normalizeText(original: string, form: NormalForm): NormalizedText | null {
  if (!BEYOND_ASCII.test(original)) return null;
  if (!MARKS_OVER_MAX.test(original) && form.isNormal(original)) return null;
  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [0];
  for (let start = 0; start < original.length; ) {
    const end = clusterEnd(original, start, form);
    const cluster = original.slice(start, end);
    const part = end - start === 1 && cluster.charCodeAt(0) < form.normalBelow ? cluster : form.of(cluster);
    parts.push(part);
    for (let i = 0; i < part.length; i++) {
      starts.push(start + Math.min(i, end - start - 1));
      ends.push(i === part.length - 1 ? end : start + Math.min(i + 1, end - start));
    }
    start = end;
  }
  return { text: parts.join(""), starts, ends };
}

/** Where the part that normalizes on its own ends: a code point and all that joins it. */
function clusterEnd(text: string, start: number, { dropped, mayCompose }: NormalForm): number {
  let end = start + codePointLength(text, start);
  let kept = text.slice(start, end);
  if (dropped?.test(kept) === true) return end;
  let marks = 0;
  while (end < text.length && text.charCodeAt(end) >= JOINS_FROM) {
    const next = text.slice(end, end + codePointLength(text, end));
    if (dropped?.test(next) !== true) {
      if (MARK.test(next) ? ++marks > MARKS_MAX : !composes(kept, next, mayCompose)) break;
      kept += next;
    }
    end += next.length;
  }
  return end;
}

function composes(before: string, next: string, mayCompose: RegExp): boolean {
  if (before.length > COMPOSED_LENGTH_MAX || !mayCompose.test(next)) return false;
  return (before + next).normalize("NFKC") !== before.normalize("NFKC") + next.normalize("NFKC");
}

function codePointLength(text: string, index: number): number {
  return text.codePointAt(index)! > 0xffff ? 2 : 1;
}
