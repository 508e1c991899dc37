import { expect, test } from "vitest";
import type { SearchClause } from "../contract/search.js";
import { typedClauseIndex } from "./typed-clause.js";

const exact = (ctx: string): SearchClause => ({ mode: "exact", ctx, occur: "must" });
const fuzzy = (ctx: string): SearchClause => ({ mode: "fuzzy", ctx, occur: "must" });

test.each([
  [[fuzzy("shoes"), exact("active:true")], 0],
  [[exact("active:true"), fuzzy("shoes")], 1],
  [[exact("active:true"), exact("red shoes")], 1],
  [[exact("category:IN [/a /b] AND price:[1 TO 9] -sold:true"), exact("*"), exact("“red shoes”")], 2],
  [[exact("at:>=2024-01-01T00:00:00Z"), exact("at:2024-01-01T00:00:00Z x")], 1],
  [[exact("active:true AND red"), exact("shoes")], 0],
  [[exact("active:true"), exact("category:/a")], 0],
  [[exact("no query ("), exact("shoes")], 0],
  [[exact("active:true")], 0],
  [[], -1],
])("%j: %i", (clauses, place) => {
  expect(typedClauseIndex(clauses)).toBe(place);
});
