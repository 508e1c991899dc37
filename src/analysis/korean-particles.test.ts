import { describe, expect, test } from "vitest";
import { createAnalyzer } from "./create-analyzer.js";
import { withoutParticles } from "./korean-particles.js";

describe("withoutParticles", () => {
  test.each([
    ["학교에서", ["학교"]],
    ["학교에서는", ["학교에서", "학교"]],
    ["스마트폰을", ["스마트폰"]],
    ["학생들이", ["학생들", "학생"]],
    ["서울로", ["서울"]],
    ["집으로", ["집"]],
    ["iphone에서", ["iphone"]],
    ["학교입니다", ["학교"]],
  ])("%s", (word, nouns) => {
    expect(withoutParticles(word)).toEqual(nouns);
  });

  test.each(["나이", "학교", "은", "에서", "running", "水", "", "a"])("leaves %s whole", (word) => {
    expect(withoutParticles(word)).toEqual([]);
  });
});

test("nouns are indexed at the positions of their words, with the offsets of those, and not looked for", () => {
  const text = "Wi 학교에서 만나요";
  const stored: unknown[] = [];
  const analyzer = createAnalyzer({ version: 3 });
  analyzer.analyzeStored(text, { token: (...token) => stored.push(token.slice(0, 4)) });
  expect(stored).toEqual([
    ["wi", 0, 0, 2],
    ["학교", 1, 3, 7],
    ["학교에서", 1, 3, 7],
    ["만나요", 2, 8, 11],
  ]);
  const asked: string[] = [];
  analyzer.analyze(text, { token: (token) => asked.push(token) });
  expect(asked).toEqual(["wi", "학교에서", "만나요"]);
});
