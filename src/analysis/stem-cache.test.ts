import { describe, expect, test } from "vitest";
import { createStemmer, type Stemmer } from "./languages/stemmers.js";
import { StemCache } from "./stem-cache.js";

class CountingStemmer implements Stemmer {
  readonly words: string[] = [];

  stem(word: string): string {
    this.words.push(word);
    return word.slice(0, -1);
  }
}

describe("StemCache", () => {
  test("asks the stemmer once for a word", () => {
    const stemmer = new CountingStemmer();
    const cache = new StemCache(stemmer);
    expect([cache.stem("dogs"), cache.stem("cats"), cache.stem("dogs")]).toEqual(["dog", "cat", "dog"]);
    expect(stemmer.words).toEqual(["dogs", "cats"]);
  });

  test("keeps words in use and forgets the others, however many there are", () => {
    const stemmer = new CountingStemmer();
    const cache = new StemCache(stemmer);
    cache.stem("rare");
    for (let i = 0; i < 60_000; i++) {
      cache.stem(spelled(i));
      cache.stem("often");
    }
    expect(stemmer.words.filter((word) => word === "often")).toHaveLength(1);
    cache.stem("rare");
    expect(stemmer.words.filter((word) => word === "rare")).toHaveLength(2);
  });

  test("gives what the stemmer gives, with a cache that overflows as well", () => {
    const cache = new StemCache(createStemmer("en"));
    const stemmer = createStemmer("en");
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 40_000; i += 7) {
        const word = `${spelled(i)}ing`;
        expect(cache.stem(word)).toBe(stemmer.stem(word));
      }
    }
  });

  test("leaves words with digits and words too long as they are, and never gives an empty stem", () => {
    const stemmer = new CountingStemmer();
    const cache = new StemCache(stemmer);
    const long = "s".repeat(65);
    expect([cache.stem("x5s"), cache.stem("1990s"), cache.stem(long)]).toEqual(["x5s", "1990s", long]);
    expect(cache.stem("s".repeat(64))).toHaveLength(63);
    expect(cache.stem("o")).toBe("o");
    expect(stemmer.words).toEqual(["s".repeat(64), "o"]);
  });
});

/** A different word of letters for each number. */
function spelled(number: number): string {
  return `q${[...String(number)].map((digit) => "abcdefghij"[Number(digit)]).join("")}`;
}
