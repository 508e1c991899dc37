/** An expression for words that differ by folding finds them, in both directions. */
import { expect, test } from "vitest";
import { foldedSpellings } from "./folded-spellings.js";

test.each([
  ["lodz", "łódź"],
  ["cafe", "café"],
  ["café", "cafe"],
  ["strasse", "straße"],
  ["straße", "strasse"],
  ["aether", "æther"],
  ["елка", "ёлка"],
  ["שלום", "שָׁלוֹם"],
  ["احمد", "أَحمد"],
  ["c+a", "c+á"],
])("%s finds %s and itself, but nothing else", (word, other) => {
  // What it is made of means the same in both languages.
  const expression = new RegExp(`^(?:${foldedSpellings(word)})$`);
  for (const each of [word, other]) expect(expression.test(each.normalize("NFC"))).toBe(true);
  expect(expression.test(`${word}x`)).toBe(false);
  expect(expression.test(word.slice(1))).toBe(false);
});

test("none is too long", () => {
  expect(foldedSpellings("a".repeat(200))).toBeNull();
  expect(foldedSpellings("internationalization")?.length).toBeLessThan(1_000);
});
