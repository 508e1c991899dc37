import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FindlingError } from "../errors/index.js";
import { parseQueryString } from "./parser.js";
import type { SyntaxNode } from "./syntax-tree.js";

/** The texts of a query's words, phrases in angle brackets. */
function textsOf(ctx: string): string[] {
  const texts = (node: SyntaxNode): string[] => {
    if (node.kind === "words") return node.words.map(({ text }) => text);
    if (node.kind === "phrase") return [`<${node.phrase.text}>`];
    if (node.kind === "set") return node.items.map(({ text, isQuoted }) => (isQuoted ? `<${text}>` : text));
    if (node.kind === "list") return node.items.flatMap((item) => texts(item.node));
    if (node.kind === "and") return node.operands.flatMap(texts);
    return [node.kind];
  };
  return texts(parseQueryString(ctx, { depthMax: 64, commaSeparates: (name) => name === "n" }));
}

describe("an odd number of straight quotes: one of them means itself", () => {
  test.each([
    ['"5" pipe"', ['<5" pipe>']],
    ['"5" pipe" AND title:"red shoes"', ['<5" pipe>', "<red shoes>"]],
    ['"red shoes" "5" pipe"', ["<red shoes>", '<5" pipe>']],
    ['title:"5 " pipe"', ['<5 " pipe>']],
    ['n:IN ["5" pipe" "x"]', ['<5" pipe>', "<x>"]],
  ])("%s", (ctx, texts) => {
    expect(textsOf(ctx)).toEqual(texts);
  });

  test.each(['"', 'a "b', '"a" b "c', "'a"])("%s is not closed", (ctx) => {
    expect(() => parseQueryString(ctx, { depthMax: 64 })).toThrow(/not closed/);
  });

  test("an even number means what it meant", () => {
    expect(textsOf('"he said "x""')).toEqual(["<he said >", "x", "<>"]);
    expect(textsOf("'5\" pipe'")).toEqual(['<5" pipe>']);
  });
});

describe("curly quotes", () => {
  test.each([
    ["“red shoes”", ["<red shoes>"]],
    ["„rote Schuhe“", ["<rote Schuhe>"]],
    ["”röda skor”", ["<röda skor>"]],
    ['"red shoes”', ["<red shoes>"]],
    ["‘red shoes’", ["<red shoes>"]],
    ["title:“red shoes” AND body:‘x y’", ["<red shoes>", "<x y>"]],
    ["x“y z”", ["x", "<y z>"]],
    ['title:“5" pipe”', ['<5" pipe>']],
    ["n:IN [“a b” c]", ["<a b>", "c"]],
    // What closes nothing is a character like any other.
    ["5” pipe 3” wide", ["5”", "pipe", "3”", "wide"]],
    ["O’Neill’s “", ["O’Neill’s", "“"]],
    ["’tis", ["’tis"]],
    ["\\“a b”", ["“a", "b”"]],
    ['"he said “x”"', ["<he said “x”>"]],
  ])("%s", (ctx, texts) => {
    expect(textsOf(ctx)).toEqual(texts);
  });
});

describe("commas in sets", () => {
  test.each([
    ["n:IN [a,b]", ["a", "b"]],
    ["n:IN [a, b ,c,]", ["a", "b", "c"]],
    ['n:IN ["a,b",c]', ["<a,b>", "c"]],
    ["n:IN [a\\,b,c]", ["a,b", "c"]],
    ["n:IN [,]", []],
    ["other:IN [/a,b /c,]", ["/a,b", "/c"]],
  ])("%s", (ctx, texts) => {
    expect(textsOf(ctx)).toEqual(texts);
  });
});

test("whatever quotes a query has, it is read or refused as a query, in time with its length", () => {
  const piece = fc.constantFrom(
    '"',
    "'",
    "“",
    "”",
    "„",
    "‘",
    "’",
    "a",
    "b",
    " ",
    " ",
    "\\",
    ":",
    "(",
    ")",
    "-",
    "*",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      try {
        textsOf(pieces.join(""));
      } catch (error) {
        expect(error).toBeInstanceOf(FindlingError);
        expect((error as FindlingError).code).toBe("query_syntax");
      }
    }),
    { numRuns: 5000 },
  );
});
