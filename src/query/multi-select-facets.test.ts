import { expect, test } from "vitest";
import { withoutFilterOn } from "./multi-select-facets.js";
import type { QueryAst } from "./query-ast.js";

const facet = (field: string): QueryAst => ({ kind: "facet", field, paths: ["/a"] });
const WORD: QueryAst = { kind: "term", field: "title", term: "a" };
const EVERYTHING: QueryAst = { kind: "match_all" };
const all = (...asts: QueryAst[]): QueryAst => ({
  kind: "boolean",
  clauses: asts.map((ast) => ({ occur: "must", ast })),
});
const any = (...asts: QueryAst[]): QueryAst => ({
  kind: "boolean",
  clauses: asts.map((ast) => ({ occur: "should", ast })),
});

test.each<[string, QueryAst, QueryAst]>([
  ["a filter alone", facet("f"), EVERYTHING],
  ["several values of the field", any(facet("f"), facet("f")), EVERYTHING],
  [
    "a boosted filter among others",
    all(WORD, { kind: "boost", ast: facet("f"), factor: 2 }, facet("g")),
    {
      kind: "boolean",
      clauses: [
        { occur: "must", ast: WORD },
        { occur: "filter", ast: EVERYTHING },
        { occur: "must", ast: facet("g") },
      ],
    },
  ],
  [
    "a filter further in",
    all(all(WORD, facet("f"))),
    {
      kind: "boolean",
      clauses: [
        {
          occur: "must",
          ast: {
            kind: "boolean",
            clauses: [
              { occur: "must", ast: WORD },
              { occur: "filter", ast: EVERYTHING },
            ],
          },
        },
      ],
    },
  ],
  ["an alternative, which is no filter", any(WORD, facet("f")), any(WORD, facet("f"))],
  ["another field", facet("g"), facet("g")],
  [
    "a fuzzy word",
    { kind: "fuzzy", term: "f", maxDistance: 0, fields: [] },
    { kind: "fuzzy", term: "f", maxDistance: 0, fields: [] },
  ],
])("%s", (_, ast, expected) => {
  expect(withoutFilterOn("f", ast)).toEqual(expected);
});
