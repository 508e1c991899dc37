import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { parseQueryString } from "./parser.js";

function messageOf(ctx: string): string {
  try {
    parseQueryString(ctx, { depthMax: 64 });
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError);
    expect((error as FindlingError).code).toBe("query_syntax");
    return (error as FindlingError).message;
  }
  return "no error";
}

describe("parseQueryString", () => {
  test("keeps positions in code points from 1", () => {
    const [item] = parseQueryString("  😀:x y", { depthMax: 64 }).items;
    expect(item?.node).toMatchObject({
      kind: "words",
      field: { name: "😀", position: 3 },
      words: [
        { text: "x", position: 5 },
        { text: "y", position: 7 },
      ],
    });
  });

  test("reads one word after a field where the caller says so", () => {
    const { items } = parseQueryString("a:x y b:-1 c:12:30", {
      depthMax: 64,
      valueSyntax: (name) => (name === "a" ? "word" : name === "b" ? "signed_word" : "datetime_word"),
    });
    expect(
      items.map(({ node }) => (node.kind === "words" ? node.words.map((word) => word.text) : node.kind)),
    ).toEqual([["x"], ["y"], ["-1"], ["12:30"]]);
  });
});

test("words are separated by what JavaScript's \\s matches, and by nothing else", () => {
  for (let code = 0; code <= 0xffff; code++) {
    const character = String.fromCharCode(code);
    if (code < 0x80 && /[!-~]/.test(character)) continue;
    const [item] = parseQueryString(`a${character}b`, { depthMax: 64 }).items;
    const wordCount = item?.node.kind === "words" ? item.node.words.length : 0;
    if (wordCount !== (/\s/.test(character) ? 2 : 1))
      expect.fail(`U+${code.toString(16)} gives ${wordCount}`);
  }
});

describe("rule 12: syntax errors name the position and what was expected", () => {
  test.each([
    ["a AND", 6, "expected a word, phrase or group, found the end of the query"],
    ["AND a", 1, "expected a clause before AND, found AND"],
    ["a AND AND b", 7, "expected a clause before AND, found AND"],
    ["a AND OR b", 7, "expected a clause before OR, found OR"],
    ["a OR", 5, "expected a clause after OR, found the end of the query"],
    ["OR b", 1, "expected a clause before OR, found OR"],
    ["a OR OR b", 6, "expected a clause before OR, found OR"],
    ["(a OR) b", 6, "expected a clause after OR, found ')'"],
    ["NOT", 4, "expected a word, phrase or group, found the end of the query"],
    ["NOT AND a", 5, "expected a clause before AND, found AND"],
    ["-AND", 2, "expected a word, phrase or group, found AND"],
    ["--a", 2, "expected a word, phrase or group, found '-'"],
    ["a +-b", 4, "expected a word, phrase or group, found '-'"],
    ["()", 1, "expected a clause between ( and )"],
    ["a ( )", 3, "expected a clause between ( and )"],
    ["(-)", 1, "expected a clause between ( and )"],
    ["title:()", 7, "expected a clause between ( and )"],
    ["(a", 1, "the parenthesis ( is not closed"],
    ["((a)", 1, "the parenthesis ( is not closed"],
    ["a)", 2, "expected the end of the query or a clause, found ')'"],
    [")", 1, "expected the end of the query or a clause, found ')'"],
    ['a "b', 3, 'the quote " is not closed'],
    ["a 'b", 3, "the quote ' is not closed"],
    ['"a\\"', 1, 'the quote " is not closed'],
    ["a\\", 2, "expected a character after the backslash"],
    ['"a\\', 3, "expected a character after the backslash"],
    ["a*b", 2, "* is allowed only at the end of a word or alone"],
    ["a**", 2, "* is allowed only at the end of a word or alone"],
    ["*a", 1, "* is allowed only at the end of a word or alone"],
    ["title:*a", 7, "* is allowed only at the end of a word or alone"],
    ["a(b)", 2, "expected white space or an operator, found '('"],
    ["(a)(b)", 4, "expected white space or an operator, found '('"],
    ["(a)b", 4, "expected white space or an operator, found 'b'"],
    ["a^2^3^", 2, "no error"],
    ["a ^2", 3, "expected a word, phrase or group, found '^'"],
    ["]", 1, "expected a word, phrase or group, found ']'"],
    ["a [1 TO 2]", 3, "expected a word, phrase or group, found '['"],
    ["{a}", 1, "expected a word, phrase or group, found '{'"],
    [":a", 1, "expected a word, phrase or group, found ':'"],
    ["a:", 3, "expected a value after 'a:', found the end of the query"],
    ["a: AND b", 4, "expected a value after 'a:', found AND"],
    ["a:b:c", 3, "expected a value after 'a:'; a colon inside a value is written \\:, found 'b'"],
    ["a:-b", 3, "expected a value after 'a:', found '-'"],
    ["a::b", 3, "expected a value after 'a:', found ':'"],
    ["a*:b", 2, "* is allowed only at the end of a word or alone"],
    ["a:IN [b", 8, "expected an item or ] in the set, found the end of the query"],
    ["a:IN [(b)]", 7, "expected an item or ] in the set, found '('"],
    ["a:[1 TO 2", 10, "expected ] or } after the upper bound, found the end of the query"],
    ["a:[1 2]", 6, "expected TO between two bounds, with white space around it, found '2'"],
    ["a:[1 to 2]", 6, "expected TO between two bounds, with white space around it, found 't'"],
    ["a:[1 TO2]", 8, "expected TO between two bounds, with white space around it, found '2'"],
    ["a:[ TO 2]", 8, "expected TO between two bounds, with white space around it, found '2'"],
    ["a:[]", 4, "expected a lower bound, found ']'"],
    ["a:[1 TO ]", 9, "expected an upper bound, found ']'"],
    ["a:>", 4, "expected a value to compare with, found the end of the query"],
    ["a:>=(", 5, "expected a value to compare with, found '('"],
    ["a:[1 TO 2]b", 11, "expected white space or an operator, found 'b'"],
    ["😀 😀 )", 5, "expected the end of the query or a clause, found ')'"],
    [`a^${"9".repeat(400)}`, 2, "the number after ^ is too large"],
  ])("%s", (ctx, position, problem) => {
    const message = messageOf(ctx);
    if (problem === "no error") expect(message).toBe(problem);
    else expect(message).toContain(`query syntax error at character ${position}: ${problem}`);
  });
});

describe("limits", () => {
  test.each([
    ["parentheses", (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`],
    ["fielded groups", (depth: number) => `${"f:(".repeat(depth)}a${")".repeat(depth)}`],
    ["negations", (depth: number) => `${"NOT ".repeat(depth)}a`],
    [
      "both",
      (depth: number) => `${"NOT (".repeat(depth / 2)}a${")".repeat(depth / 2)}${depth % 2 ? " NOT b" : ""}`,
    ],
  ])("nesting of %s may be as deep as the limit", (_name, nested) => {
    expect(messageOf(nested(64))).toBe("no error");
    expect(messageOf(nested(66))).toContain("nested deeper than 64 levels");
    expect(() => parseQueryString(nested(4), { depthMax: 3 })).toThrow("nested deeper than 3 levels");
  });

  test("the 65th level is refused at its own position", () => {
    expect(messageOf("(".repeat(65))).toContain("character 65: the query is nested deeper than 64 levels");
  });

  test("a megabyte of brackets is refused by its depth", () => {
    const brackets = "(".repeat(1_000_000);
    expect(messageOf(brackets)).toContain("nested deeper than 64 levels");
    expect(() => parseQueryString(brackets, { depthMax: 500 })).toThrow("nested deeper than 500 levels");
  });

  test.each([
    "a ",
    "a:b ",
    "a AND ",
    "-a ",
    "a OR ",
    '""',
    "- ",
    "a:IN [b] ",
    "^1",
    "a^1 ",
    "a  :  ",
    "\\a",
    "x:[1 TO 2] ",
    "*",
  ])("a long query of %j takes linear time", (part) => {
    // Quadratic work on 100,000 parts would run for a minute; the test's own time limit catches it.
    messageOfLong(part.repeat(100_000));
  });
});

function messageOfLong(ctx: string): void {
  try {
    parseQueryString(ctx, { depthMax: 64 });
  } catch (error) {
    expect(error).toBeInstanceOf(FindlingError);
  }
}
