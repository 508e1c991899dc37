import { describe, expect, test } from "vitest";
import { tokensOf } from "./analyzer.js";
import { createAnalyzer } from "./create-analyzer.js";
import { stopWords } from "./languages/stop-words.js";
import { StopWordSet } from "./stop-word-set.js";

const analyzer = createAnalyzer({ version: 1 });

function kept(text: string, words: Iterable<string>): string[] {
  return new StopWordSet(words, analyzer)
    .without(tokensOf(analyzer, text), text)
    .map((token) => `${token.text}@${token.position}`);
}

describe("stopWords", () => {
  test("has the Snowball list for English and nothing for a language without one", () => {
    const english = stopWords("en");
    expect(english.size).toBe(174);
    expect(["the", "ourselves", "cannot", "shan't", "very"].every((word) => english.has(word))).toBe(true);
    expect(["us", "will", "can", "don", "t", "one"].some((word) => english.has(word))).toBe(false);
    expect(stopWords("xx").size).toBe(0);
  });
});

describe("StopWordSet", () => {
  test("drops stopwords and keeps the positions of the rest", () => {
    expect(kept("The Lord of the Rings", stopWords("en"))).toEqual(["lord@1", "rings@4"]);
    expect(kept("to be or not to be", stopWords("en"))).toEqual([]);
  });

  test("drops a contraction as a whole, with either apostrophe, and never its pieces elsewhere", () => {
    expect(kept("don't stop, we\u2019ll see", stopWords("en"))).toEqual(["stop@2", "see@5"]);
    expect(kept("don t-shirt vitamin d haven can", stopWords("en"))).toEqual([
      "don@0",
      "t@1",
      "shirt@2",
      "vitamin@3",
      "d@4",
      "haven@5",
      "can@6",
    ]);
  });

  test("takes custom words in any case and normal form, several tokens too", () => {
    expect(kept("CAFÉ new york new jersey", ["cafe\u0301", "New York"])).toEqual(["new@3", "jersey@4"]);
    expect(kept("wi-fi wi fi", ["Wi-Fi"])).toEqual(["wi@2", "fi@3"]);
    expect(kept("a b c d", ["a b", "a b c"])).toEqual(["d@3"]);
    expect(kept("a", ["&", ""])).toEqual(["a@0"]);
    expect(kept(`new ${"x".repeat(256)} york`, ["new york"])).toEqual(["new@0", "york@2"]);
  });
});
