import { ENGLISH_STOP_WORDS } from "./english-stop-words.js";

const DICTIONARIES: ReadonlyMap<string, ReadonlySet<string>> = new Map([["en", new Set(ENGLISH_STOP_WORDS)]]);
const NO_WORDS: ReadonlySet<string> = new Set();

/** The stopword dictionary of a two-letter language code, lower case; empty for a language without one. */
export function stopWords(language: string): ReadonlySet<string> {
  return DICTIONARIES.get(language) ?? NO_WORDS;
}
