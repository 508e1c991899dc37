import { charactersOf, isLetter } from "./word-halves.js";

/** Words of fewer letters are hardly ever three, those of more are taken for one. */
const LETTERS_MIN = 5;
const LETTERS_MAX = 24;
/** Letters of the first and of the last of three; between them one will do (`toys r us`). */
const OUTER_MIN = 2;
/** Letters of an abbreviation; one of fewer has its row among the word's own (`lettersOf`). */
const ABBREVIATED_MIN = 5;
const ABBREVIATED_MAX = 6;

/** Letters for which artists write a sign, which parts a word (`P!nk`, `Ke$ha`), and the least that a word has with one. */
const SIGNED = new Set(["i", "s", "a"]);
const SIGNED_MIN = 4;

/** What a word may be in more than two parts, or in two with a sign between them. */
export interface WordParts {
  readonly terms: readonly string[];
  /** Whether the last one is still being typed. */
  readonly lastIsPrefix: boolean;
}

/**
 * What a word may be in more than two parts: three words, as `toys r us` for `toysrus` and `mother in law` for
 * `motherinlaw`, or the letters of an abbreviation (`s.h.i.e.l.d.`); and in two if a sign stands for a letter between them
 * (`p!nk`). Of letters of scripts with capitals alone.
 *
 * @param word normalized
 * @param isBegun whether it is still being typed, and with it the last part
 * @param mayBe whether a part is worth a look; asked for the outer ones first, and only if these are for the middle
 */
export function wordParts(
  word: string,
  isBegun: boolean,
  mayBe: (part: string, isPrefix: boolean) => boolean,
): WordParts[] {
  const letters = charactersOf(word);
  if (letters === null || letters.length < SIGNED_MIN || letters.length > LETTERS_MAX) return [];
  if (!letters.every(isLetter)) return [];
  const between = (start: number, end?: number): string => letters.slice(start, end).join("");
  const found: WordParts[] = [];
  for (let at = 1; at < letters.length - 1; at++) {
    if (!SIGNED.has(letters[at]!)) continue;
    const terms = [between(0, at), between(at + 1)];
    const lastIsPrefix = isBegun && letters.length - at > OUTER_MIN;
    if (mayBe(terms[1]!, lastIsPrefix) && mayBe(terms[0]!, false)) found.push({ terms, lastIsPrefix });
  }
  if (letters.length < LETTERS_MIN) return found;
  if (letters.length >= ABBREVIATED_MIN && letters.length <= ABBREVIATED_MAX)
    found.push({ terms: letters, lastIsPrefix: false });
  const lasts: { readonly start: number; readonly term: string; readonly lastIsPrefix: boolean }[] = [];
  for (let start = OUTER_MIN + 1; start <= letters.length - OUTER_MIN; start++) {
    const term = between(start);
    if (mayBe(term, isBegun)) lasts.push({ start, term, lastIsPrefix: isBegun });
  }
  if (lasts.length === 0) return found;
  for (let end = OUTER_MIN; end < letters.length - OUTER_MIN; end++) {
    const first = between(0, end);
    if (!mayBe(first, false)) continue;
    for (const { start, term, lastIsPrefix } of lasts) {
      const middle = start > end ? between(end, start) : "";
      if (middle !== "" && mayBe(middle, false)) found.push({ terms: [first, middle, term], lastIsPrefix });
    }
  }
  return found;
}
