import { ENGLISH_STOP_WORDS } from "./english-stop-words.js";
import { ACCENTED_GREEK_STOP_WORDS } from "./greek-stop-words.js";
import { loadStopWords } from "./load-package.js";
import { withCommas } from "./stemmers.js";

/** The package's lists, which have three-letter codes, by two-letter code. */
const PACKAGE_LISTS: ReadonlyMap<string, string> = new Map([
  ["af", "afr"],
  ["ar", "ara"],
  ["bg", "bul"],
  ["bn", "ben"],
  ["br", "bre"],
  ["ca", "cat"],
  ["cs", "ces"],
  ["da", "dan"],
  ["de", "deu"],
  ["el", "ell"],
  ["eo", "epo"],
  ["es", "spa"],
  ["et", "est"],
  ["eu", "eus"],
  ["fa", "fas"],
  ["fi", "fin"],
  ["fr", "fra"],
  ["ga", "gle"],
  ["gl", "glg"],
  ["gu", "guj"],
  ["ha", "hau"],
  ["he", "heb"],
  ["hi", "hin"],
  ["hr", "hrv"],
  ["hu", "hun"],
  ["hy", "hye"],
  ["id", "ind"],
  ["it", "ita"],
  ["ja", "jpn"],
  ["ko", "kor"],
  ["ku", "kur"],
  ["la", "lat"],
  ["lt", "lit"],
  ["lv", "lav"],
  ["mr", "mar"],
  ["ms", "msa"],
  ["my", "mya"],
  ["nb", "nob"],
  ["nl", "nld"],
  ["no", "nob"],
  ["pa", "panGu"],
  ["pl", "pol"],
  ["pt", "por"],
  ["ro", "ron"],
  ["ru", "rus"],
  ["sk", "slk"],
  ["sl", "slv"],
  ["so", "som"],
  ["st", "sot"],
  ["sv", "swe"],
  ["sw", "swa"],
  ["th", "tha"],
  ["tl", "tgl"],
  ["tr", "tur"],
  ["uk", "ukr"],
  ["ur", "urd"],
  ["vi", "vie"],
  ["yo", "yor"],
  ["zh", "zho"],
  ["zu", "zul"],
]);

const ENGLISH: ReadonlySet<string> = new Set(ENGLISH_STOP_WORDS);
const NO_WORDS: ReadonlySet<string> = new Set();

/** Languages with a stopword dictionary, sorted. */
export const STOP_WORD_LANGUAGES: readonly string[] = ["en", ...PACKAGE_LISTS.keys()].sort();

/**
 * The stopword dictionary of a two-letter language code, lower case, NFC; empty for a language without
 * one. The package's entries keep their letters but lose the punctuation around some of them.
 */
export function stopWords(language: string): ReadonlySet<string> {
  if (language === "en") return ENGLISH;
  const name = PACKAGE_LISTS.get(language);
  if (name === undefined) return NO_WORDS;
  const listed = loadStopWords()[name] ?? [];
  const words = [...listed, ...otherSpellings(language, listed)];
  return new Set(words.map(cleaned).filter((word) => word !== ""));
}

/** Spellings that the lists lack: Greek accents, Romanian commas below. */
function otherSpellings(language: string, listed: readonly string[]): readonly string[] {
  if (language === "el") return ACCENTED_GREEK_STOP_WORDS;
  return language === "ro" ? listed.map(withCommas) : [];
}

function cleaned(word: string): string {
  return word.normalize("NFC").toLowerCase().replace(EDGES, "");
}

const EDGES = /^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu;
