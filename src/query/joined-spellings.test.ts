/** Words of a fuzzy text that may be written as two, and two as one. */
import { expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showJoined } from "../../tests/query-kit/show-ast.js";
import { compileFuzzy, type FuzzyOptions } from "./compile-fuzzy.js";

const index = sampleIndex();
const shown = (text: string, options: FuzzyOptions = {}): string =>
  showJoined(compileFuzzy(text, index, options)).replaceAll("{title^2 body^1}", "");

test("a word of four letters and more in two", () => {
  expect(shown("redbull")).toBe("redbull~2(r+edbull re+dbull red+bull redb+ull redbu+ll)");
  expect(shown("cat")).toBe("cat~1(c+a+t)");
});

test("neighbours as one, which is a slip of both", () => {
  expect(shown("big red")).toBe("words([0-1 big~1(b+i+g)] [1-2 red~1(r+e+d)] [0-2~1 bigred~0])");
  expect(shown("wi-fi")).toContain("[0-2~1 wifi~0]");
});

test("with the stopword beside it", () => {
  expect(shown("log in")).toBe("words([0-1 log~1(l+o+g login)] [0-0^ in~0])");
});

test("while it is being typed the second half is a beginning, of three letters and more", () => {
  const isBeingTyped = { isBeingTyped: true };
  expect(shown("redbul", isBeingTyped)).toBe("redbul~2(r+edbul* re+dbul* red+bul* redb+ul)/redbul*~1");
  expect(shown("big boo", isBeingTyped)).toBe(
    "words([0-1 big~1(b+i+g)] [1-2 boo~1(b+o+o)/boo*~0] [0-2~1 bigboo~0/bigboo*~0])",
  );
});

test("single letters in a row as one word, stopwords among them, and three words", () => {
  expect(shown("n x s y")).toContain("[0-4~1 nxsy~0]");
  expect(shown("mac book pro")).toContain("[0-3~1 macbookpro~0]");
  expect(shown("a.a.")).toBe("aa~0(a+a)");
  expect(shown("a a")).toBe("NONE");
});

test("in a long text, as a slip of the first of the two", () => {
  expect(shown("one two six ten big red cat")).toContain("big~1(bigred)");
});

test("pairs of a script without spaces are no words to join", () => {
  expect(shown("東京都")).not.toMatch(/~1 |~0\(/);
});
