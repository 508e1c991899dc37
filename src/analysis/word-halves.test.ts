/** Where words may be taken apart: by letters as they are written, never where it tells nothing. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePartsOf, wordHalves } from "./word-halves.js";

const STOP_WORDS = new Set(["a", "i", "the"]);
const halvesOf = (word: string): string[] =>
  wordHalves(word, (half) => STOP_WORDS.has(half)).map((halves) => halves.join(" "));

describe("wordHalves", () => {
  test.each([
    ["redbull", ["r edbull", "re dbull", "red bull", "redb ull", "redbu ll"]],
    ["xray", ["x ray", "xr ay"]],
    ["cat", []],
    // A stopword of one letter stands before too many words; longer ones belong to theirs.
    ["alike", ["al ike", "ali ke"]],
    ["thecat", ["t hecat", "th ecat", "the cat", "thec at"]],
    ["mp3", ["mp 3"]],
    ["b12", ["b 12"]],
    ["3d", ["3 d"]],
    ["2024", []],
    ["win11pro", ["w in11pro", "wi n11pro", "win 11pro", "win11 pro", "win11p ro"]],
    ["학교에서", ["학 교에서", "학교 에서", "학교에 서"]],
    ["東京都庁", []],
    ["ภาษาไทย", []],
    ["😀", []],
    ["c++", []],
  ])("%s", (word, expected) => {
    expect(halvesOf(word)).toEqual(expected);
  });

  test("marks stay with their letters", () => {
    expect(halvesOf("किताबघर")).toContain("किताब घर");
    expect(halvesOf("किताबघर").every((halves) => !/ \p{M}/u.test(halves))).toBe(true);
  });

  test("halves are the word again, and few", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (word) => {
        const halves = wordHalves(word, () => false);
        expect(halves.length).toBeLessThan(32);
        for (const [first, second] of halves) {
          expect(first + second).toBe(word);
          expect(Math.min(first.length, second.length)).toBeGreaterThan(0);
        }
      }),
    );
  });
});

describe("codePartsOf", () => {
  test.each([
    ["ab1234xy", ["ab", "1234", "xy"]],
    ["1a2b", ["1", "a", "2", "b"]],
    ["क१ख", ["क", "१", "ख"]],
    ["ab12", null],
    ["redbull", null],
    ["2024", null],
    ["", null],
    ["d41d8cd98f00b204", null],
    ["東1京", null],
  ])("%s", (word, parts) => {
    expect(codePartsOf(word)).toEqual(parts);
  });
});
