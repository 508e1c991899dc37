import type { SeededRandom } from "../../tests/setup/seeded-random.js";

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** The word with that many random edits: a letter deleted, replaced, inserted, or swapped with the next. */
export function misspelt(word: string, edits: number, random: SeededRandom): string {
  let written = word;
  for (let i = 0; i < edits; i++) written = edited(written, random);
  return written;
}

function edited(word: string, random: SeededRandom): string {
  const at = random.below(word.length);
  const rest = word.slice(at + 1);
  switch (random.below(4)) {
    case 0:
      return word.slice(0, at) + rest;
    case 1:
      return word.slice(0, at) + random.pick(LETTERS) + rest;
    case 2:
      return word.slice(0, at) + random.pick(LETTERS) + word.slice(at);
    default:
      return word.slice(0, at) + rest.slice(0, 1) + word[at]! + rest.slice(1);
  }
}
