/** Words are told to be the same but for folding exactly where folding gives the same, however they are compared. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fold } from "./fold-diacritics.js";
import { FoldedLikeness } from "./folded-likeness.js";

function lettersOf(word: string): number[] {
  return Array.from(word, (character) => character.codePointAt(0)!);
}

function isAlike(word: string, other: string): boolean {
  const letters = lettersOf(other);
  return new FoldedLikeness(word).isAlike(letters, letters.length);
}

function begins(word: string, other: string): boolean {
  const letters = lettersOf(other);
  return new FoldedLikeness(word).begins(letters, letters.length);
}

describe("words that folding makes the same", () => {
  test.each([
    ["cafe", "café"],
    ["strasse", "straße"],
    ["soren", "søren"],
    ["aeter", "æter"],
    ["lodz", "łódź"],
    ["елка", "ёлка"],
    ["שלום", "שָׁלוֹם"],
    ["كتاب", "كِتَاب"],
    ["احمد", "أحمد"],
    ["चांद", "चाँद"],
    ["مدرسه", "مدرسة"],
    ["сте\u0301на", "стена"],
  ])("are alike, in both directions: %s, %s", (word, other) => {
    expect(isAlike(word, other)).toBe(true);
    expect(isAlike(other, word)).toBe(true);
    expect(begins(word.slice(0, -1), `${other}s`)).toBe(true);
  });

  test.each([
    ["cafe", "case"],
    ["cafe", "cafés"],
    ["мои", "мой"],
    ["п", "п\u0304"],
    ["cafés", "cafe"],
  ])("and no others: %s, %s", (word, other) => {
    expect(isAlike(word, other)).toBe(false);
  });

  test("are those that fold to the same, whatever the letters", () => {
    const letter = fc.constantFrom(
      ..."aáäæeéßsłlиiйёе\u0301\u0308אָבכּكتابأةه\u064b\u0640ｆかカ٣3".normalize("NFC"),
    );
    const word = fc.array(letter, { minLength: 1, maxLength: 4 }).map((all) => all.join("").normalize("NFC"));
    fc.assert(
      fc.property(word, word, (one, other) => {
        expect(isAlike(one, other)).toBe(fold(one) === fold(other));
        expect(begins(one, other)).toBe(fold(other).startsWith(fold(one)));
      }),
      { numRuns: 5_000 },
    );
  });
});
