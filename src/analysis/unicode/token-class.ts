/**
 * What a code point is to the tokenizer. Code points of no class separate tokens.
 *
 * Classes from `EAST_ASIAN` up are scripts written without spaces: their runs are cut into bigrams.
 * Han and kana are one class, because Japanese words mix them and a search for a part of such a word
 * has to meet the same bigrams.
 */
export const TOKEN_CLASS = {
  SEPARATOR: 0,
  /** ASCII digits and lower-case letters: tokens of these alone are ready as they stand. */
  ASCII_PLAIN: 1,
  ASCII_UPPER: 2,
  /** Every other letter, mark or number that forms words. */
  WORD: 3,
  /** Marks of no script of their own: part of whatever they follow. */
  EXTEND: 4,
  EAST_ASIAN: 5,
  THAI: 6,
  LAO: 7,
  KHMER: 8,
  MYANMAR: 9,
  /** Pictures, of which each is a word. */
  PICTURE: 10,
} as const;

export type TokenClass = (typeof TOKEN_CLASS)[keyof typeof TOKEN_CLASS];
