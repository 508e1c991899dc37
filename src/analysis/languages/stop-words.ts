import { ENGLISH_STOP_WORDS } from "./english-stop-words.js";
import { FUNCTION_WORDS } from "./function-words.js";
import { SNOWBALL_STOP_WORDS } from "./snowball-stop-words.js";
import { withCedillas } from "./stemmers.js";

/** The word lists of all languages but English, words between white space, by two-letter code. */
const LISTS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(SNOWBALL_STOP_WORDS),
  ...Object.entries(FUNCTION_WORDS),
  ["no", SNOWBALL_STOP_WORDS["nb"]!],
]);

const ENGLISH: ReadonlySet<string> = new Set(ENGLISH_STOP_WORDS);
const NO_WORDS: ReadonlySet<string> = new Set();

/** Languages with a stopword dictionary, sorted. */
export const STOP_WORD_LANGUAGES: readonly string[] = ["en", ...LISTS.keys()].sort();

/**
 * The stopword dictionary of a two-letter language code: function words only, lower case, NFC; empty
 * for a language without one.
 */
export function stopWords(language: string): ReadonlySet<string> {
  if (language === "en") return ENGLISH;
  const list = LISTS.get(language);
  if (list === undefined) return NO_WORDS;
  const words = list.trim().normalize("NFC").split(/\s+/);
  return new Set([...words, ...otherSpellings(language, words)]);
}

/** The spellings that many texts have and the lists lack: Greek without accents, Romanian with cedillas. */
function otherSpellings(language: string, words: readonly string[]): readonly string[] {
  if (language === "el") return words.map(withoutAccents);
  return language === "ro" ? words.map(withCedillas) : [];
}

function withoutAccents(word: string): string {
  return word.normalize("NFD").replaceAll(ACUTE_ACCENT, "").normalize("NFC");
}

const ACUTE_ACCENT = "\u0301";
