/** A text in NFC with the way back to the text it came from. */
export interface NormalizedText {
  readonly text: string;
  /** Offset in the original of the character that stands at an offset of `text`. */
  readonly starts: readonly number[];
  /** Offset in the original after the character that ends at an offset of `text`. */
  readonly ends: readonly number[];
}

/** Everything below is its own normal form, alone and next to one another. */
const NORMAL_BELOW = 0x300;
const MAY_BE_UNNORMALIZED = /[\u0300-\uffff]/;

/**
 * Node normalizes a run of marks in quadratic time (200,000 took 14 s), so longer runs are cut into
 * pieces that are normalized one by one. A token with so many marks, of two bytes and more, is too long
 * to be kept even if its first few compose, so no token shows the seams.
 */
const MARKS_MAX = 136;
const MARKS_OVER_MAX = /\p{M}{137}/u;

const MARK = /^\p{M}$/u;

/** Most code units that one character but for its marks is composed of: a Hangul syllable takes three. */
const COMPOSED_LENGTH_MAX = 8;

/** What may compose with the code point before it without being a mark: Hangul vowels and finals, a few vowels above the BMP. */
const MAY_COMPOSE = /^[\u1161-\u1175\u11a8-\u11c2\u{10000}-\u{10ffff}]$/u;

/**
 * The text in NFC, or null if it is in NFC already, as nearly every text is. Linear in the text.
 */
export function normalizeText(original: string): NormalizedText | null {
  if (!MAY_BE_UNNORMALIZED.test(original)) return null;
  if (!MARKS_OVER_MAX.test(original) && original.normalize("NFC") === original) return null;

  const parts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [0];
  for (let start = 0; start < original.length; ) {
    const end = clusterEnd(original, start);
    const cluster = original.slice(start, end);
    const part =
      end - start === 1 && cluster.charCodeAt(0) < NORMAL_BELOW ? cluster : cluster.normalize("NFC");
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
function clusterEnd(text: string, start: number): number {
  let end = start + codePointLength(text, start);
  let marks = 0;
  while (end < text.length && text.charCodeAt(end) >= NORMAL_BELOW) {
    const next = text.slice(end, end + codePointLength(text, end));
    if (MARK.test(next) ? ++marks > MARKS_MAX : !composes(text.slice(start, end), next)) break;
    end += next.length;
  }
  return end;
}

function composes(before: string, next: string): boolean {
  if (before.length > COMPOSED_LENGTH_MAX || !MAY_COMPOSE.test(next)) return false;
  return (before + next).normalize("NFC") !== before.normalize("NFC") + next.normalize("NFC");
}

function codePointLength(text: string, index: number): number {
  return text.codePointAt(index)! > 0xffff ? 2 : 1;
}
