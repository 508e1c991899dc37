import { FindlingError } from "../../errors/index.js";
import { loadStemmers } from "./load-package.js";

export interface Stemmer {
  /**
   * The word's stem; the word itself if there is nothing to take away.
   *
   * @param word lower case, NFC
   */
  stem(word: string): string;
}

/** Snowball algorithms by two-letter code. */
const ALGORITHMS: ReadonlyMap<string, string> = new Map([
  ["ar", "arabic"],
  ["ca", "catalan"],
  ["cs", "czech"],
  ["da", "danish"],
  ["de", "german"],
  ["en", "english"],
  ["es", "spanish"],
  ["eu", "basque"],
  ["fi", "finnish"],
  ["fr", "french"],
  ["ga", "irish"],
  ["hu", "hungarian"],
  ["hy", "armenian"],
  ["it", "italian"],
  ["nb", "norwegian"],
  ["nl", "dutch"],
  ["no", "norwegian"],
  ["pt", "portuguese"],
  ["ro", "romanian"],
  ["ru", "russian"],
  ["sl", "slovene"],
  ["sv", "swedish"],
  ["ta", "tamil"],
  ["tr", "turkish"],
]);

/** Longer ones are no words of a language. UTF-16 units. */
export const STEMMED_LENGTH_MAX = 64;

/** Digits make a code, a version or a year, which is what it is: `x5s` is not the plural of `x5`. */
export const HAS_DIGIT: RegExp = /\d/;

/** Scripts of the languages that aren't written in Latin letters. */
const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ["ar", "Arabic"],
  ["hy", "Armenian"],
  ["ru", "Cyrillic"],
  ["ta", "Tamil"],
]);

/** Languages with a stemmer, sorted. */
export const STEMMED_LANGUAGES: readonly string[] = [...ALGORITHMS.keys()];

/** The code under which a language's stemmer goes, one for all languages that share it; null without one. */
export function stemmingCode(language: string): string | null {
  if (!ALGORITHMS.has(language)) return null;
  return language === "nb" ? "no" : language;
}

/** Tells which words of an index a language's stemmer may take something from: no codes, no words of other scripts. */
export function stemmedWords(language: string): (word: string) => boolean {
  const letters = new RegExp(`\\p{Script=${SCRIPTS.get(language) ?? "Latin"}}`, "u");
  return (word) => word.length <= STEMMED_LENGTH_MAX && !HAS_DIGIT.test(word) && letters.test(word);
}

/** @throws FindlingError `invalid_schema` for a language without a stemmer */
export function createStemmer(language: string): Stemmer {
  const algorithm = ALGORITHMS.get(language);
  if (algorithm === undefined) {
    throw new FindlingError(
      "invalid_schema",
      `there is no stemmer for language '${language}', only for ${STEMMED_LANGUAGES.join(", ")}`,
    );
  }
  const stemmer = loadStemmers().newStemmer(algorithm);
  return language === "ro" ? romanianStemmer(stemmer) : stemmer;
}

/** The algorithm is older than ș and ț, which were written ş and ţ then; many texts still do. */
function romanianStemmer(stemmer: Stemmer): Stemmer {
  return { stem: (word) => withCommas(stemmer.stem(withCedillas(word))) };
}

/** Romanian text as older programs write it. */
export function withCedillas(word: string): string {
  return word.replaceAll("ș", "ş").replaceAll("ț", "ţ");
}

/** Romanian text as it is written today. */
export function withCommas(text: string): string {
  return text.replaceAll("ş", "ș").replaceAll("ţ", "ț");
}
