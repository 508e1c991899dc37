import { expect, test } from "vitest";
import { plainExplanation } from "./plain-explanation.js";

const leaf = (description: string) => ({ value: 1, description, details: [] });

test("copies of a shard explain a score alike", () => {
  const ofCopies = [
    [
      "weight(t.title:tale in 3) [Similarity]",
      "script 'x', params={score=11.7, among=[1, 2], length=l.title}",
    ],
    [
      "weight(t.title:tale in 70) [Similarity]",
      "script 'x', params={length=l.title, score=11.7, among=[1, 2]}",
    ],
  ].map(([weight, script]) => plainExplanation({ ...leaf(weight!), details: [leaf(script!)] }));
  expect(ofCopies[0]).toEqual(ofCopies[1]);
  expect(ofCopies[0]).toEqual({
    ...leaf("weight(t.title:tale) [Similarity]"),
    details: [leaf("script 'x', params={among=[1, 2], length=l.title, score=11.7}")],
  });
});
