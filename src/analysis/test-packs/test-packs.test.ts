import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { tokensOf } from "../analyzer.js";
import { analyzerSettings } from "../analyzer-settings.js";
import { createAnalyzer } from "../create-analyzer.js";
import { stopWords } from "../languages/stop-words.js";
import { shownTerm } from "../stem-terms.js";
import { StopWordSet } from "../stop-word-set.js";

/** Words that give the same tokens, and words of which no two do. */
interface Conflation {
  readonly together: readonly (readonly string[])[];
  readonly apart: readonly (readonly string[])[];
}

/** One language's cases. Texts and expected tokens are pairs; tokens are separated by spaces. */
interface TestPack {
  readonly language: string;
  readonly name: string;
  /** Absent for a language without a stemmer. */
  readonly stemming?: Conflation;
  /** Words, their stems here, and in Snowball 3.1.1, whose algorithm for the language is a newer one. */
  readonly unlikePublished?: readonly (readonly [word: string, stem: string, published: string])[];
  readonly casing: Conflation;
  readonly folding: Conflation;
  readonly stopwords: readonly (readonly [text: string, kept: string])[];
  readonly tokens: readonly (readonly [text: string, tokens: string])[];
}

const FOLDER = new URL(".", import.meta.url);
const PACKS: readonly TestPack[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), "utf8")) as TestPack);

/** What the packs have to be at least, so that they can't be emptied unseen. */
const LANGUAGES_MIN = 20;
const CASES_MIN = 20;

test("the packs are as many and as large as promised", () => {
  expect(PACKS.length).toBeGreaterThanOrEqual(LANGUAGES_MIN);
  for (const pack of PACKS) expect([pack.name, caseCount(pack) >= CASES_MIN]).toEqual([pack.name, true]);
});

for (const pack of PACKS) {
  const { language, stemming, casing, folding } = pack;
  describe(pack.name, () => {
    const plain = createAnalyzer(analyzerSettings({ language }));
    const words = (text: string): string => spoken(tokensOf(plain, text));

    test.each(casing.together)("one word in any case: %s", (...group) => together(group, words));
    test.each(casing.apart)("different words: %s", (...group) => apart(group, words));

    const folder = createAnalyzer(analyzerSettings({ language, foldDiacritics: true }));
    const folded = (text: string): string => spoken(tokensOf(folder, text));
    test.each(folding.together)("one word when folded: %s", (...group) => together(group, folded));
    test.each(folding.apart)("different words, folded too: %s", (...group) => apart(group, folded));

    const stemmer = createAnalyzer(analyzerSettings({ language, stemming: true }));
    const stemmed = (text: string): string =>
      tokensOf(stemmer, text)
        .map(({ text: term }) => shownTerm(term))
        .join(" ");
    test.each(stemming?.together ?? [])("forms of one word: %s", (...group) => together(group, stemmed));
    test.each(stemming?.apart ?? [])("no forms of one word: %s", (...group) => apart(group, stemmed));

    test.each(pack.unlikePublished ?? [])("stem of %s", (word, stem, published) => {
      expect(stemmed(word)).toBe(stem);
      expect(stem).not.toBe(published);
    });

    test.each(pack.stopwords)("stopwords of: %s", (text, kept) => {
      const dictionary = stopWords(language);
      expect(spoken(new StopWordSet(dictionary, plain).without(tokensOf(plain, text), text))).toBe(kept);
      // Stemming changes nothing about which words are stopwords.
      const left = new StopWordSet(dictionary, stemmer).without(tokensOf(stemmer, text), text);
      expect(left.map((token) => token.word).join(" ")).toBe(kept);
    });

    test.each(pack.tokens)("tokens of: %s", (text, tokens) => {
      expect(words(text)).toBe(tokens);
    });
  });
}

function together(group: readonly string[], tokens: (text: string) => string): void {
  expect(group.length).toBeGreaterThan(1);
  const spellings = group.flatMap((text) => [text, text.normalize("NFD")]);
  expect([...new Set(spellings.map(tokens))]).toHaveLength(1);
}

function apart(group: readonly string[], tokens: (text: string) => string): void {
  expect(group.length).toBeGreaterThan(1);
  expect(new Set(group.map(tokens)).size).toBe(group.length);
}

function spoken(tokens: readonly { readonly text: string }[]): string {
  return tokens.map((token) => token.text).join(" ");
}

function caseCount({ stemming, casing, folding, stopwords, tokens }: TestPack): number {
  const conflations = [stemming, casing, folding].reduce(
    (sum, conflation) => sum + (conflation?.together.length ?? 0) + (conflation?.apart.length ?? 0),
    0,
  );
  return conflations + stopwords.length + tokens.length;
}
