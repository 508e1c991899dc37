import { describe, expect, test } from "vitest";
import { createAnalyzer } from "./create-analyzer.js";
import { beginsLike, lastMeant, openedLast, withoutParticles } from "./korean-particles.js";

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

test("a syllable without a final consonant stands for those with one", () => {
  expect(String.fromCharCode(lastMeant("포".charCodeAt(0)))).toBe("퐇");
  expect(lastMeant("폰".charCodeAt(0))).toBe("폰".charCodeAt(0));
  expect(lastMeant(0x61)).toBe(0x61);
  expect(openedLast("스마트폰")).toBe("스마트포");
  expect(openedLast("abc")).toBe("abc");
  expect(beginsLike("스마트폰을", "스마트포")).toBe(true);
  expect(beginsLike("스마트포", "스마트폰")).toBe(false);
  expect(beginsLike("스마트", "스마트포")).toBe(false);
  expect(beginsLike("한국어", "한구")).toBe(true);
  expect(beginsLike("한그", "한구")).toBe(false);
  expect(beginsLike("abc", "")).toBe(true);
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
