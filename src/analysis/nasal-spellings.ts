/**
 * Scripts of India write a nasal before a consonant in two ways, and writers choose: by the consonant of the same row
 * without its vowel (`हिन्दी`, `সম্বন্ধ`), or by the sign anusvara, whose sound the consonant behind it tells (`हिंदी`).
 */

/** Blocks of 128 code points that are laid out alike: Devanagari, Bengali, Gujarati, Oriya, Telugu, Kannada, Malayalam. */
const BLOCKS = [0x0900, 0x0980, 0x0a80, 0x0b00, 0x0c00, 0x0c80, 0x0d00];

/** Places in a block: the sign of a nasal, that of a missing vowel, each row's first consonant and its nasal, the last. */
const ANUSVARA = 0x02;
const VIRAMA = 0x4d;
const ROWS = [
  [0x15, 0x19],
  [0x1a, 0x1e],
  [0x1f, 0x23],
  [0x24, 0x28],
  [0x2a, 0x2e],
] as const;

const SPELLINGS = BLOCKS.flatMap((block) =>
  ROWS.map(([first, nasal]) => {
    const sign = String.fromCharCode(block + ANUSVARA);
    const letter = String.fromCharCode(block + nasal);
    const half = letter + String.fromCharCode(block + VIRAMA);
    const row = `(?=[${String.fromCharCode(block + first)}-${String.fromCharCode(block + nasal - 1)}])`;
    return {
      sign,
      half,
      halves: new RegExp(`${half}${row}`, "g"),
      signs: new RegExp(`${sign}${row}`, "g"),
      end: new RegExp(`${letter}${half.slice(1)}?$`),
    };
  }),
);

/** Whether there may be anything to do: most words are not of these scripts. */
const IS_INDIAN = /[\u0901-\u0d4d]/;
const HAS_NASAL = /[\u0902\u094d\u0982\u09cd\u0a82\u0acd\u0b02\u0b4d\u0c02\u0c4d\u0c82\u0ccd\u0d02\u0d4d]/;

/**
 * A word with all its nasals before consonants of their rows written by signs, and with all written by consonants, as far
 * as these are other words; nothing for most.
 *
 * @param word normalized
 */
export function otherNasals(word: string): string[] {
  if (!HAS_NASAL.test(word)) return [];
  let signed = word;
  let spelt = word;
  for (const { sign, half, halves, signs } of SPELLINGS) {
    signed = signed.replace(halves, sign);
    spelt = spelt.replace(signs, half);
  }
  return [signed, spelt].filter((other) => other !== word);
}

/**
 * What a beginning may be as well that ends in a nasal, of which the consonant behind it is to come: one with the sign
 * for one with a nasal consonant (`हिन्` and `हिन`: `हिं`), five for one with the sign.
 */
export function begunNasals(beginning: string): string[] {
  if (!IS_INDIAN.test(beginning)) return [];
  return SPELLINGS.flatMap(({ sign, half, end }) => {
    if (beginning.endsWith(sign)) return [beginning.slice(0, -1) + half];
    return end.test(beginning) ? [beginning.replace(end, sign)] : [];
  });
}
