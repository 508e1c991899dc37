import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { STEMMING_LANGUAGES } from "../../contract/stemming-languages.js";
import { FindlingError } from "../../errors/index.js";
import { createStemmer, STEMMED_LANGUAGES, stemmingCode } from "./stemmers.js";
import { STOP_WORD_LANGUAGES, stopWords } from "./stop-words.js";

const LONE_SURROGATE = /\p{Cs}/u;

describe("createStemmer", () => {
  test("has the languages that the contract names", () => {
    expect(STEMMED_LANGUAGES).toEqual(STEMMING_LANGUAGES);
    expect([...STEMMED_LANGUAGES].sort()).toEqual(STEMMED_LANGUAGES);
    expect(["en", "no", "nb", "xx", ""].map(stemmingCode)).toEqual(["en", "no", "no", null, null]);
  });

  test("refuses a language without a stemmer, naming those that have one", () => {
    expect(() => createStemmer("zh")).toThrow(FindlingError);
    expect(() => createStemmer("zh")).toThrow(/no stemmer for language 'zh', only for ar, ca,/);
  });

  test("stems Romanian in either spelling, and gives the one of today", () => {
    const stemmer = createStemmer("ro");
    expect(stemmer.stem("ştiinţă")).toBe(stemmer.stem("știință"));
    expect(stemmer.stem("soţii")).toBe(stemmer.stem("soții"));
    expect(stemmer.stem("ţşu")).toBe("țșu");
  });

  // Goal: no text can stop or confuse a stemmer. Method: words of any characters, biased to the
  // language's letters by mutating its stopwords, on one long-lived stemmer beside a fresh one.
  test.each(STEMMED_LANGUAGES)(
    "%s: never throws, ends, and remembers nothing of the word before",
    (language) => {
      const stemmer = createStemmer(language);
      // Tamil has no stopwords; these are forms of its word for house.
      const known = language === "ta" ? ["வீடு", "வீடுகள்", "வீட்டில்"] : [...stopWords(language)];
      const letters = [...new Set(known.join(""))];
      const word = fc.oneof(
        fc.array(fc.constantFrom(...letters), { maxLength: 64 }).map((parts) => parts.join("").slice(0, 64)),
        fc.array(fc.constantFrom(...known), { maxLength: 3 }).map((parts) => parts.join("").slice(0, 64)),
        fc.string({ unit: "binary", maxLength: 64 }).map((text) => text.toLowerCase().slice(0, 64)),
        fc.string({ unit: "grapheme", maxLength: 64 }).map((text) => text.toLowerCase().slice(0, 64)),
      );
      fc.assert(
        fc.property(word, (text) => {
          const stem = stemmer.stem(text);
          expect(typeof stem).toBe("string");
          expect(stemmer.stem(text)).toBe(stem);
          if (!LONE_SURROGATE.test(text)) expect(stem).not.toMatch(LONE_SURROGATE);
        }),
        { numRuns: 300 },
      );
      for (const text of fc.sample(word, 5))
        expect(stemmer.stem(text)).toBe(createStemmer(language).stem(text));
    },
  );
});

describe("stopWords", () => {
  test("has a dictionary of clean words for every language it names", () => {
    expect(STOP_WORD_LANGUAGES.length).toBeGreaterThanOrEqual(60);
    expect([...STOP_WORD_LANGUAGES].sort()).toEqual(STOP_WORD_LANGUAGES);
    for (const language of STOP_WORD_LANGUAGES) {
      const words = [...stopWords(language)];
      expect([language, language.length, words.length >= 30]).toEqual([language, 2, true]);
      for (const word of words) {
        expect(word).toBe(word.normalize("NFC").toLowerCase());
        expect(word).toMatch(/^[\p{L}\p{M}\p{N}](?:.*[\p{L}\p{M}\p{N}])?$/u);
      }
    }
  });

  test("covers every language with a stemmer", () => {
    expect(STEMMED_LANGUAGES.filter((language) => !STOP_WORD_LANGUAGES.includes(language))).toEqual(["ta"]);
  });

  test("spells Greek with accents and Romanian with commas too", () => {
    expect(["αλλα", "αλλά", "και"].every((word) => stopWords("el").has(word))).toBe(true);
    expect(["şi", "și"].every((word) => stopWords("ro").has(word))).toBe(true);
  });
});
