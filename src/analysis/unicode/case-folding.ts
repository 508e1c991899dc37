/**
 * Unicode's NFKC case folding (UAX 44, `NFKC_Casefold`) but for what lower-casing a word does by itself,
 * and but for iota below, which stays a mark of its letter; with what people who search expect besides:
 * all apostrophes are one sign; the letter İ is i; signs that Unicode takes apart into letters though
 * nobody reads them so (™, ℠) and accents that stand alone separate words.
 */
export function foldCharacters(text: string): string {
  const kept = text.replace(IGNORABLE, "").replace(APOSTROPHES, "'").replace(LONE_SIGNS, " ");
  const composed = kept.normalize("NFKC");
  const folded = composed.replace(SPECIAL, foldSpecial);
  return folded === composed ? folded : folded.normalize("NFKC");
}

/** Soft hyphens, joiners, marks of direction, variation selectors and the like. */
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu;

/** Those that Unicode holds to be letters, or takes apart. */
const APOSTROPHES = /[\u00b4\u02bb\u02bc]/g;

/** Modifiers whose compatible form begins with a space, with what stands on them, and marks of trade. */
const LONE_SIGNS =
  /[\u00a8\u00af\u00b8\u02d8-\u02dd\u037a\u0384\u0385\u1fbd\u1fbf-\u1fc1\u1fcd-\u1fcf\u1fdd-\u1fdf\u1fed-\u1fef\u1ffd\u1ffe\u2017\u203e\u2120\u2122\u309b\u309c\ufe49-\ufe4c\uffe3]\p{M}*/gu;

/** What full case folding changes beyond small letters. */
const SPECIAL = /[ßẞİ\u02bc\u1c80-\u1c88]/g;

const ROUNDED_CYRILLIC = "вдосттъѣꙋ";

function foldSpecial(character: string): string {
  if (character === "İ") return "i";
  // The n after an apostrophe, ŉ, comes apart into the two.
  if (character === "\u02bc") return "'";
  if (character >= "\u1c80" && character <= "\u1c88")
    return ROUNDED_CYRILLIC.charAt(character.charCodeAt(0) - 0x1c80);
  return "ss";
}

/** Any text passes that holds something which `foldCharacters` changes and NFKC doesn't. */
export const FOLDED_BEYOND_NFKC: RegExp = /[\p{Default_Ignorable_Code_Point}\u02bb\u02bcßẞİ\u1c80-\u1c88]/u;

/** What stands between a letter and its marks without parting them. */
export const IS_IGNORABLE: RegExp = /^\p{Default_Ignorable_Code_Point}$/u;
