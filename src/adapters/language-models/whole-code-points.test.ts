// Cutting a text anywhere and passing it through gives the text again, in pieces of whole code points.
import fc from "fast-check";
import { expect, test } from "vitest";
import { WholeCodePoints } from "./whole-code-points.js";

const HALVES = ["\ud83e", "\udd8a", "\ud83d", "\udc68", "a", "é", "語"];
const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...HALVES)).map((units) => units.join("")),
);

test("all text comes out again, whole, wherever it is cut", () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat({ max: 12 })), (text, lengths) => {
      const codePoints = new WholeCodePoints();
      const out: string[] = [];
      let at = 0;
      for (const length of lengths) {
        out.push(codePoints.push(text.slice(at, at + length)));
        at += length;
      }
      out.push(codePoints.push(text.slice(at)), codePoints.end());
      // UTF-8 has no halves: encoding replaces those that stand alone.
      expect(out.join("")).toBe(Buffer.from(text).toString());
      for (const piece of out) expect(piece).not.toMatch(/\p{Surrogate}/u);
    }),
    { numRuns: 500 },
  );
});

test("what is whole is not held back", () => {
  const codePoints = new WholeCodePoints();
  expect(codePoints.push("a🦊")).toBe("a🦊");
  expect(codePoints.end()).toBe("");
});
