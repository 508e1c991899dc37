import { expect, test } from "vitest";
import { sampleIndex } from "../../tests/query-kit/sample-index.js";
import type { SearchClause } from "../contract/search.js";
import { compileClauses } from "./compile-search.js";
import { termCountOf } from "./term-count.js";

const index = sampleIndex({ search_fields: ["title", "body"] });

test.each<[SearchClause["mode"], string, number]>([
  ["exact", "*", 0],
  ["exact", "the", 0],
  ["exact", "red", 2],
  ["exact", "red shoes -blue", 6],
  ["exact", "title:red", 1],
  ["exact", "title:red^2 shoes", 3],
  ["exact", 'title:"red shoes"', 2],
  ["exact", "title:wi-fi", 2],
  // A prefix or a range of words stands for many of them.
  ["exact", "title:a*", 8],
  ["exact", "id:a*", 8],
  ["exact", "title:[a TO b]", 8],
  ["exact", 'title:"red sho"*', 9],
  ["exact", "price:IN [1 2 3]", 1],
  ["exact", "title:IN [x y z]", 3],
  ["exact", "price:[1 TO 2] AND NOT (category:/a category:/b)", 3],
  ["fuzzy", "red shoes", 4],
  // The whole of two words, then each of them.
  ["dynamic", "red shoes", 8],
])("%s %s looks up %i terms", (mode, ctx, terms) => {
  const clauses = [{ mode, ctx, occur: "should" as const }];
  expect(termCountOf(compileClauses(clauses, undefined, index))).toBe(terms);
  const exactly = { ...index, limits: { ...index.limits, termsMax: terms } };
  expect(() => compileClauses(clauses, undefined, exactly)).not.toThrow();
  if (terms === 0) return;
  const tooFew = { ...index, limits: { ...index.limits, termsMax: terms - 1 } };
  expect(() => compileClauses(clauses, undefined, tooFew)).toThrow(`at most ${terms - 1}`);
  const twice = { ...index, limits: { ...index.limits, termsMax: 2 * terms - 1 } };
  expect(() => compileClauses([...clauses, ...clauses], undefined, twice)).toThrow("terms");
});
