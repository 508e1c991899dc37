/**
 * Korean is typed letter by letter, and what is typed are syllables all the same: on the way to `스마트` stand `스마` and
 * `스맡`, whose last consonant goes over to the next syllable with the vowel after it, or `스마ㅌ` where it can't be a
 * final one. So the last syllable of a beginning stands for more than for itself.
 */

const FIRST_SYLLABLE = 0xac00;
const LAST_SYLLABLE = 0xd7a3;
/** Syllables with the same initial and vowel: one without a final consonant, then those with each. */
const FINALS = 28;
const VOWELS = 21;
const FIRST_INITIAL = 0x1100;
const LAST_INITIAL = 0x1112;

/** By vowel that others begin with: how many do, which are those behind it (ㅗ: ㅘ, ㅙ, ㅚ). */
const VOWELS_BEGUN: ReadonlyMap<number, number> = new Map([
  [8, 3],
  [13, 3],
  [18, 1],
]);

/** By final consonant that others begin with: how many do (ㄱ: ㄲ, ㄳ). */
const FINALS_BEGUN: ReadonlyMap<number, number> = new Map([
  [1, 2],
  [4, 2],
  [8, 7],
  [17, 1],
]);

/** By final consonant: the one that stays when a vowel follows (0: none), and the initial that it becomes. */
const MOVED_FINALS: readonly (readonly [number, number])[] = [
  [0, 0],
  [0, 0],
  [0, 1],
  [1, 9],
  [0, 2],
  [4, 12],
  [4, 18],
  [0, 3],
  [0, 5],
  [8, 0],
  [8, 6],
  [8, 7],
  [8, 9],
  [8, 16],
  [8, 17],
  [8, 18],
  [0, 6],
  [0, 7],
  [17, 9],
  [0, 9],
  [0, 10],
  [0, 11],
  [0, 12],
  [0, 14],
  [0, 15],
  [0, 16],
  [0, 17],
  [0, 18],
];

/** Code points that one at the end of a beginning stands for, from the first to the last. */
export interface MeantCodePoints {
  readonly first: number;
  readonly last: number;
}

/**
 * What a code point at the end of a beginning stands for: a syllable for those that begin like it, an initial consonant
 * for all syllables with it, anything else for itself.
 */
export function meantBy(codePoint: number): MeantCodePoints {
  if (codePoint >= FIRST_INITIAL && codePoint <= LAST_INITIAL) {
    const first = FIRST_SYLLABLE + (codePoint - FIRST_INITIAL) * VOWELS * FINALS;
    return { first, last: first + VOWELS * FINALS - 1 };
  }
  if (!isSyllable(codePoint)) return { first: codePoint, last: codePoint };
  const { vowel, final } = partsOf(codePoint);
  const others =
    final === 0 ? ((VOWELS_BEGUN.get(vowel) ?? 0) + 1) * FINALS - 1 : (FINALS_BEGUN.get(final) ?? 0);
  return { first: codePoint, last: codePoint + others };
}

/**
 * What a beginning may be as well whose last syllable ends in a consonant: that consonant begins the next syllable, and
 * stands there as an initial (`스맡` is `스마` and ㅌ). Null: nothing.
 */
export function withMovedFinal(beginning: string): string | null {
  const last = beginning.charCodeAt(beginning.length - 1);
  if (!isSyllable(last)) return null;
  const { final } = partsOf(last);
  if (final === 0) return null;
  const [stays, initial] = MOVED_FINALS[final]!;
  return beginning.slice(0, -1) + String.fromCharCode(last - final + stays, FIRST_INITIAL + initial);
}

/** The beginnings, as long as a text, that stand for it: itself, and what its last syllable was before it was whole. */
export function typedOnTheWayTo(text: string): readonly string[] {
  const last = text.charCodeAt(text.length - 1);
  if (!isSyllable(last)) return [text];
  const before = text.slice(0, -1);
  const { initial, vowel, final } = partsOf(last);
  const units = new Set([last, FIRST_INITIAL + initial]);
  const syllable = (ownVowel: number, ownFinal: number): number =>
    FIRST_SYLLABLE + (initial * VOWELS + ownVowel) * FINALS + ownFinal;
  units.add(syllable(vowel, 0));
  units.add(syllable(begunBy(vowel, VOWELS_BEGUN), 0));
  if (final !== 0) units.add(syllable(vowel, begunBy(final, FINALS_BEGUN)));
  return Array.from(units, (unit) => before + String.fromCharCode(unit));
}

/** Whether a word begins like that, its last syllable being complete or not. */
export function beginsLike(word: string, beginning: string): boolean {
  if (word.startsWith(beginning)) return true;
  const at = beginning.length - 1;
  const { first, last } = meantBy(beginning.charCodeAt(at));
  if (first === last || word.length <= at || !word.startsWith(beginning.slice(0, at))) return false;
  const own = word.charCodeAt(at);
  return own >= first && own <= last;
}

/** The letter that one is begun with, or itself. */
function begunBy(letter: number, begun: ReadonlyMap<number, number>): number {
  for (const [first, others] of begun) if (letter > first && letter <= first + others) return first;
  return letter;
}

function partsOf(syllable: number): {
  readonly initial: number;
  readonly vowel: number;
  readonly final: number;
} {
  const number = syllable - FIRST_SYLLABLE;
  return {
    initial: Math.floor(number / (VOWELS * FINALS)),
    vowel: Math.floor(number / FINALS) % VOWELS,
    final: number % FINALS,
  };
}

function isSyllable(codePoint: number): boolean {
  return codePoint >= FIRST_SYLLABLE && codePoint <= LAST_SYLLABLE;
}
