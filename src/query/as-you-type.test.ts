import { expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showAst } from "../../tests/query-kit/show-ast.js";
import { allowedPrefixDistance } from "./as-you-type.js";
import { compileExact } from "./compile-exact.js";
import { expandDynamicMode } from "./expand-dynamic-mode.js";

const INDEX = sampleIndex({ search_fields: ["title"], weight_multipliers: {} });
const exact = (ctx: string): string => showAst(compileExact(ctx, INDEX, true));
const dynamic = (ctx: string): string => showAst(expandDynamicMode(ctx, INDEX, true));
const typed = (word: string, distance: number): string =>
  `(|${word}~0{title^1} |${word}*~${distance}{title^1})`;

test.each([
  ["sho", typed("sho", 0)],
  ["red sho", `(|title:red |${typed("sho", 0)})`],
  ["red AND shoes", `(+title:red +${typed("shoes", 1)})`],
  ["+comfortab", typed("comfortab", 2)],
  ["title:sho", typed("sho", 0)],
  ["the", typed("the", 0)],
  ["red ab-1", '(|title:red |title:"ab 1"*)'],
])("exact: %s", (ctx, expected) => {
  expect(exact(ctx)).toBe(expected);
});

test.each(["sho ", '"red sho"', "sho*", "(sho)", "-sho", "sho^2", ""])(
  "exact: nothing is being typed at the end of '%s'",
  (ctx) => {
    expect(exact(ctx)).toBe(showAst(compileExact(ctx, INDEX)));
  },
);

test("dynamic: the last word is a beginning wherever the expansion has it", () => {
  const sho = typed("sho", 0);
  expect(dynamic("sho")).toBe(sho);
  const fuzzily = "sho~1/sho*~0{title^1}";
  expect(dynamic("red sho")).toBe(`(|words([0-1 red~1{title^1}] [1-2 ${fuzzily}]) +title:red +${fuzzily})`);
  expect(dynamic("big red sho")).toBe(
    `(|words([0-1 big~1{title^1}] [1-2 red~1{title^1}] [2-3 ${fuzzily}]) ?title:big ?title:red |${fuzzily})`,
  );
  expect(dynamic("one big red sho")).toContain(`[3-4 ${fuzzily}]`);
  expect(dynamic("one big red sho ")).toBe(showAst(expandDynamicMode("one big red sho", INDEX)));
});

test("dynamic: a stopword that is being typed may become a word", () => {
  expect(dynamic("the")).toBe(typed("the", 0));
  expect(dynamic("the ")).toBe("NONE");
});

// A token of more than 255 bytes is none, nor are marks without a letter: both end like a word.
test.each(["w".repeat(300), "\u0301".repeat(200)])(
  "dynamic: what holds no token is no beginning: %s",
  (last) => {
    expect(dynamic(last)).toBe("NONE");
    for (const words of ["red", "big red", "one big red"]) {
      expect(dynamic(`${words} ${last}`)).toBe(showAst(expandDynamicMode(words, INDEX)));
    }
  },
);

test("short beginnings allow no edit", () => {
  expect(["a", "abcd", "abcde", "abcdefgh", "abcdefghi"].map(allowedPrefixDistance)).toEqual([0, 0, 1, 1, 2]);
});
