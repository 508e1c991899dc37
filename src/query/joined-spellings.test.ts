/** Words of a fuzzy text that may be written as two, and two as one. */
import { expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showJoined } from "../../tests/query-kit/show-ast.js";
import { stemTerm } from "../analysis/stem-terms.js";
import { compileFuzzy, type FuzzyOptions } from "./compile-fuzzy.js";
import { ANALYSIS_VERSION } from "./index-analysis.js";
import { indexQueryContext } from "./index-query-context.js";

const index = sampleIndex();
const shown = (text: string, options: FuzzyOptions = {}): string =>
  showJoined(compileFuzzy(text, index, options)).replaceAll("{title^2 body^1}", "");

test("a word of four letters and more in two", () => {
  expect(shown("redbull")).toBe("words([0-1 redbull~2(r+edbull re+dbull red+bull redb+ull redbu+ll)])");
  expect(shown("cat")).toBe("words([0-1 cat~1(c+a+t)])");
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
  expect(shown("redbul", isBeingTyped)).toBe(
    "words([0-1 redbul~2(r+edbul* re+dbul* red+bul* redb+ul)/redbul*~1])",
  );
  expect(shown("big boo", isBeingTyped)).toBe(
    "words([0-1 big~1(b+i+g)] [1-2 boo~1(b+o+o)/boo*~0] [0-2~1 bigboo~0/bigboo*~0])",
  );
});

test("the second half in other endings, while it is being typed as well", () => {
  const stemmed = indexQueryContext(
    {
      ...index.schema,
      language: "en",
      enable_language_stemming: true,
      analysis_version: ANALYSIS_VERSION,
    },
    { custom_stopwords: [], synonyms: {} },
    index.limits,
  );
  const rows = (text: string, isBeingTyped: boolean): string =>
    JSON.stringify(compileFuzzy(text, stemmed, { isBeingTyped }));
  const ofStem = JSON.stringify({ terms: ["key", stemTerm("board")], lastIsPrefix: false });
  expect(rows("keyboards", false)).toContain(ofStem);
  expect(rows("keyboards", true)).toContain(ofStem);
  expect(rows("keyboards", true)).toContain(JSON.stringify({ terms: ["key", "boards"], lastIsPrefix: true }));
  expect(rows("keyboard", true)).not.toContain(ofStem);
});

test("single letters in a row as one word, stopwords among them, and three words", () => {
  expect(shown("n x s y")).toContain("[0-4~1 nxsy~0]");
  expect(shown("mac book pro")).toContain("[0-3~1 macbookpro~0]");
  expect(shown("a.a.")).toBe("aa~0(a+a)");
  expect(shown("a a")).toBe("NONE");
});

test("a code without its hyphens, and one with many of them as one", () => {
  expect(shown("ab1234xy")).toContain("ab+1234+xy");
  expect(shown("ab1234x", { isBeingTyped: true })).toContain("ab+1234+x*");
  expect(shown("978-3-16-148410-0")).toContain("[0-5~1 9783161484100~0]");
  expect(shown("one two six ten 978-3-16-148410-0")).toContain("978~0(9783 9783161484100)");
  expect(shown("1-2-3-4-5-6-7-8-9")).not.toContain("123456789");
});

test("a code typed in parts as one that is parted elsewhere", () => {
  expect(shown("wh1000 xm4")).toContain("[0-2~1 wh1000xm4~0(wh+1000xm4 wh1000xm+4 wh+1000+xm+4)]");
  expect(shown("rtx 3080")).toContain("[0-2~1 rtx3080~0]");
});

test("signs that stand for letters", () => {
  expect(shown("p!nk")).toContain("[0-2~1 pink~0]");
  expect(shown("ke$ha live")).toContain("[0-2~1 kesha~0]");
  expect(shown("p! nk")).not.toContain("pink");
});

test("in a long text, as a slip of the first of the two", () => {
  expect(shown("one two six ten big red cat")).toContain("big~1(bigred)");
});

test("pairs of a script without spaces are no words to join", () => {
  expect(shown("東京都")).not.toMatch(/~1 |~0\(/);
});
