/** A nasal of an Indian script by its sign and by its letter. */
import { expect, test } from "vitest";
import { begunNasals, otherNasals } from "./nasal-spellings.js";

test.each([
  ["हिंदी", ["हिन्दी"]],
  ["हिन्दी", ["हिंदी"]],
  ["सम्बन्ध", ["संबंध"]],
  ["संबंध", ["सम्बन्ध"]],
  ["संबन्ध", ["संबंध", "सम्बन्ध"]],
  ["अंग", ["अङ्ग"]],
  ["પંખો", ["પઙ્ખો"]],
  ["বাংলা", []],
  ["সম্বন্ধ", ["সংবংধ"]],
  ["ಕನ್ನಡ", []],
  ["హిందీ", ["హిన్దీ"]],
  // No consonant of its row follows, so far.
  ["हिन्", []],
  ["हिं", []],
  ["जन्म", []],
  ["संसार", []],
  ["किताब", []],
  ["hindi", []],
])("%s", (word, others) => {
  expect(otherNasals(word)).toEqual(others);
});

test.each([
  ["हिन्", ["हिं"]],
  ["हिन", ["हिं"]],
  ["সম্", ["সং"]],
  ["हिं", ["हिङ्", "हिञ्", "हिण्", "हिन्", "हिम्"]],
  ["हि", []],
  ["hin", []],
])("%s is being typed", (beginning, others) => {
  expect(begunNasals(beginning)).toEqual(others);
});
