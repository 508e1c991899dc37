import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { GraphemeLimit } from "./grapheme-limit.js";

const MARKS = [
  "a",
  "é",
  "e\u0301",
  "👩‍👩‍👧‍👦",
  "🇩🇪",
  "🇩",
  "👍🏽",
  "\r\n",
  "\n",
  "क्षि",
  "한",
  "\u200d",
  "\u0301",
  "각",
  "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
];
const text = fc.array(fc.oneof(fc.constantFrom(...MARKS), fc.string({ unit: "grapheme", maxLength: 3 })), {
  maxLength: 60,
});

/** Whole graphemes while they fit, the text segmented as a whole. */
function naiveCut(whole: string, lengthMax: number): string {
  let out = "";
  let length = 0;
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(whole)) {
    length += [...segment].length;
    if (length > lengthMax) return out;
    out += segment;
  }
  return out;
}

describe("GraphemeLimit", () => {
  test("cuts as if the whole text were there, however it comes", () => {
    const cuts = fc.array(fc.nat(100), { maxLength: 20 });
    fc.assert(
      fc.property(text, cuts, fc.integer({ min: 1, max: 80 }), (parts, at, lengthMax) => {
        const whole = parts.join("");
        const points = [...whole];
        const ends = [
          ...at.map((place) => place % (points.length + 1)).toSorted((a, b) => a - b),
          points.length,
        ];
        const limit = new GraphemeLimit(lengthMax);
        let out = "";
        for (const [i, end] of ends.entries())
          out += limit.push(points.slice(ends[i - 1] ?? 0, end).join(""));
        const isFull = limit.isFull;
        out += limit.end();
        expect(out).toBe(naiveCut(whole, lengthMax));
        expect(isFull).toBe(points.length > lengthMax);
      }),
      { numRuns: 1000 },
    );
  });

  test("is full with the first character too many, not before", () => {
    const limit = new GraphemeLimit(3);
    expect([limit.push("abc"), limit.isFull]).toEqual(["ab", false]);
    expect([limit.push("\u0301"), limit.isFull]).toEqual(["", true]);
    expect([limit.push("d"), limit.end()]).toEqual(["", ""]);
  });

  test("lets a text of nothing but marks out bit by bit", () => {
    const marks = `a${"\u0301".repeat(10_000)}`;
    const limit = new GraphemeLimit(20_000);
    let out = "";
    for (const mark of marks) out += limit.push(mark);
    expect(out.length).toBeGreaterThan(9_900);
    expect(out + limit.end()).toBe(marks);
    expect(new GraphemeLimit(150_001).push("ab".repeat(200_000)).length).toBe(150_001);
  });
});
