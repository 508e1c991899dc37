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
    expect(english.size).toBe(161);
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

  test("keeps stopwords joined to a longer word where it is asked to, but not articles", () => {
    const loose = (text: string, words: Iterable<string>): string =>
      new StopWordSet(words, analyzer)
        .withoutLoose(tokensOf(analyzer, text), text)
        .map((token) => `${token.text}@${token.position}`)
        .join(" ");
    expect(loose("the IT-500 of it", stopWords("en"))).toBe("it@1 500@2");
    expect(loose("I/O, 5/a and a", stopWords("en"))).toBe("i@0 o@1 5@2 a@3");
    expect(loose("l'été d\u2019un l-x", ["l", "d", "un"])).toBe("été@1 l@4 x@5");
    expect(loose("c c++ c# c", ["c"])).toBe("c@1 c@2");
    expect(loose("我a我", ["我"])).toBe("a@1");
    expect(loose("don't-stop", stopWords("en"))).toBe("stop@2");
    expect(kept("the IT-500 of it", stopWords("en"))).toEqual(["500@2"]);
  });

  test("drops those of several words alone where it is asked to", () => {
    const several = (text: string, words: Iterable<string>): string =>
      new StopWordSet(words, analyzer)
        .withoutSeveralWords(tokensOf(analyzer, text), text)
        .map((token) => `${token.text}@${token.position}`)
        .join(" ");
    expect(several("the new york, don't new", ["new york", "the", "don't"])).toBe("the@0 don@3 t@4 new@5");
    expect(several("New\nYork new-york york", ["new york"])).toBe("new@2 york@3 york@4");
    expect(new StopWordSet(["don't", "a", "wi-fi"], analyzer).hasSeveralWords).toBe(false);
    expect(new StopWordSet(["a", " new york "], analyzer).hasSeveralWords).toBe(true);
  });

  test("takes no piece of a run of a script without spaces for a word", () => {
    expect(kept("我们 我们爱 爱", ["我们", "爱"])).toEqual(["我们@1", "们爱@2"]);
    expect(kept("これは", ["これは", "これ"])).toEqual([]);
    expect(kept("これはペン", ["これは", "これ"])).toEqual(["これ@0", "れは@1", "はペ@2", "ペン@3"]);
    expect(kept("我a我", ["我"])).toEqual(["a@1"]);
  });

  test("compares words, not their stems", () => {
    const stemming = createAnalyzer({ version: 1, stemming: "en" });
    const text = "I own an owned doe doing";
    const left = new StopWordSet(stopWords("en"), stemming).without(tokensOf(stemming, text), text);
    expect(left.map((token) => [token.word, token.text, token.position])).toEqual([
      ["owned", "own", 3],
      ["doe", "doe", 4],
    ]);
  });
});
