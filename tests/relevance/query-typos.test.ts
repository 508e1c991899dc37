/** Typos are one edit each, in different words that are worth one, and the same for the same seed. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { misspelt, withTypos } from "../../bench/relevance/query-typos.js";
import { SeededRandom } from "../setup/seeded-random.js";
import { editDistance } from "../simulation/naive-values.js";

const isStopWord = (word: string): boolean => word === "with";
const seed = fc.nat();

describe("withTypos", () => {
  test("edits as many words as asked once each, never a short word, a stopword or a number", () => {
    const kept = ["an", "axe", "with", "mach2"];
    const long = ["boundary", "layer", "flow"];
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...kept, ...long], { minLength: 1 }),
        fc.integer({ min: 0, max: 3 }),
        seed,
        (words, count, from) => {
          const edited = withTypos(words.join(" "), count, {
            isStopWord,
            random: new SeededRandom(from),
          }).split(" ");
          const distances = words.map((word, i) => editDistance(word, edited[i]!));
          words.forEach((word, i) => {
            expect(distances[i]).toBeLessThanOrEqual(long.includes(word) ? 1 : 0);
          });
          const choice = words.filter((word) => long.includes(word)).length;
          expect(distances.filter((distance) => distance === 1)).toHaveLength(Math.min(count, choice));
        },
      ),
    );
  });

  test("leaves what stands between the words, and is the same for the same seed", () => {
    const edited = (from: number): string =>
      withTypos("(high-speed) flow.", 3, { isStopWord, random: new SeededRandom(from) });
    expect(edited(1)).toMatch(/^\([a-z]+-[a-z]+\) [a-z]+\.$/);
    expect(edited(1)).toBe(edited(1));
    expect(new Set(Array.from({ length: 20 }, (_, i) => edited(i))).size).toBe(20);
  });
});

test("misspelt makes every kind of edit", () => {
  const random = new SeededRandom(1);
  const found = Array.from({ length: 200 }, () => misspelt("word", random));
  expect(found.some((word) => word.length === 5)).toBe(true);
  expect(found.some((word) => word.length === 3)).toBe(true);
  expect(found).toContain("owrd");
  expect(found.some((word) => /^[^w]ord$/.test(word))).toBe(true);
  expect(found).not.toContain("word");
});
