/** Property: text is meant if and only if some phrase's tokens all stand in it, at the phrase's distances. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { tokensOf } from "../../analysis/analyzer.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { keptValueMatcher } from "./kept-value-match.js";

const analyzer = createAnalyzer({ version: 1 });
const word = fc.constantFrom("red", "sea", "red-sea", "of", "Red", "–");
const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(word, { maxLength }).map((words) => words.join(" "));
/** Tokens at any distances, as where a stopword was left out. */
const phrase = fc
  .array(fc.tuple(fc.constantFrom("red", "sea", "of"), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 4,
  })
  .map((steps) => {
    let position = -steps[0]![1];
    return steps.map(([term, step]) => ({ term, position: (position += step) }));
  });

test("phrases match as when every place is tried", () => {
  fc.assert(
    fc.property(
      fc.array(phrase, { maxLength: 4 }),
      fc.array(text(12), { minLength: 1, maxLength: 4 }),
      (phrases, texts) => {
        const matches = keptValueMatcher({ kind: "phrases", phrases }, analyzer);
        for (const value of texts) {
          const tokens = tokensOf(analyzer, value);
          const stands = (term: string, at: number): boolean =>
            tokens.some((token) => token.position === at && token.text === term);
          const expected = phrases.some((each) =>
            tokens.some(({ position: start }) =>
              each.every(({ term, position }) => stands(term, start + position)),
            ),
          );
          expect(matches(value)).toBe(expected);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a word stands only where it stands, though others between are too long to be tokens", () => {
  const neighbours = [
    { term: "red", position: 0 },
    { term: "sea", position: 1 },
  ];
  const matches = keptValueMatcher({ kind: "phrases", phrases: [neighbours] }, analyzer);
  const long = "l".repeat(300);
  expect(matches(`of red of ${long} sea`)).toBe(false);
  expect(matches(`of red of ${long} red sea`)).toBe(true);
  // Of a text before, nothing is left.
  expect(matches(`red of`)).toBe(false);
  expect(matches(`${long} sea`)).toBe(false);
});

test("only text holds phrases", () => {
  const matches = keptValueMatcher(
    { kind: "phrases", phrases: [[{ term: "1", position: 0 }], [{ term: "null", position: 0 }]] },
    analyzer,
  );
  expect([1, null, true, { 1: 1 }].some(matches)).toBe(false);
  expect(["1", "null"].every(matches)).toBe(true);
});
