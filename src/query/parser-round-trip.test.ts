import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { printSyntaxTree } from "../../tests/query-kit/print-syntax-tree.js";
import { syntaxTreeArbitrary } from "../../tests/query-kit/syntax-tree-arbitrary.js";
import { parseQueryString } from "./parser.js";

// Goal: the grammar is read as written. Method: print generated trees, parse them, compare.
describe("parseQueryString", () => {
  const text = fc.oneof(
    fc.constantFrom(
      "AND",
      "OR",
      "NOT",
      "IN",
      "TO",
      "-",
      "+",
      "*",
      "'",
      '"',
      "\\",
      "a b",
      "x:y",
      "^2",
      "a^2",
      "~3",
      ">=1",
      ",",
    ),
    fc.string({ unit: "binary", minLength: 1, maxLength: 6 }),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
    fc.string({ minLength: 1, maxLength: 6 }),
  );

  test("gives back every tree that is printed", () => {
    const tree = syntaxTreeArbitrary({ field: text, text, withFilters: true, depthMax: 3 });
    fc.assert(
      fc.property(tree, (expected) => {
        expect(withoutPositions(parseQueryString(printSyntaxTree(expected), { depthMax: 64 }))).toEqual(
          withoutPositions(expected),
        );
      }),
      { numRuns: 2000 },
    );
  });
});

function withoutPositions(tree: unknown): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value: unknown) => (key === "position" ? 0 : value)));
}
