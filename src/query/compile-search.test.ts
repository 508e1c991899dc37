import { describe, expect, test } from "vitest";
import { field, sampleIndex } from "../../tests/query-kit/sample-index.js";
import { showAst } from "../../tests/query-kit/show-ast.js";
import type { SearchClause, SearchRequest } from "../contract/search.js";
import { FindlingError } from "../errors/index.js";
import { allowedDistance } from "./compile-fuzzy.js";
import { compileClauses, compileSearch } from "./compile-search.js";
import type { SearchedIndex } from "./searched-index.js";
import { effectiveStopwords } from "./searched-index.js";

const plain = sampleIndex({ search_fields: ["title"], weight_multipliers: {} });

const clause = (
  mode: SearchClause["mode"],
  ctx: string,
  occur: SearchClause["occur"] = "should",
): SearchClause => ({
  mode,
  ctx,
  occur,
});

const shown = (mode: SearchClause["mode"], ctx: string, index: SearchedIndex = plain): string =>
  showAst(compileClauses([clause(mode, ctx)], undefined, index));

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof FindlingError) return error.code;
    throw error;
  }
  return "none";
}

describe("fuzzy mode", () => {
  test.each([
    ["ab", 0],
    ["abc", 1],
    ["abcde", 1],
    ["abcdef", 2],
    ["😀😀", 0],
    ["😀😀😀", 1],
    ["123456", 0],
    ["٣٤٥٦", 0],
    ["12345a", 2],
  ] as const)("allows %s %d edits", (token, distance) => {
    expect(allowedDistance(token)).toBe(distance);
  });

  test("looks for any token in all search fields with their weights", () => {
    const index = sampleIndex();
    expect(shown("fuzzy", "Red Shoe", index)).toBe(
      "words([0-1 red~1{title^2 body^1}] [1-2 shoe~1{title^2 body^1}])",
    );
    expect(shown("fuzzy", "shoe", index)).toBe("words([0-1 shoe~1{title^2 body^1}])");
  });

  test("takes plain text: the query language has no meaning", () => {
    expect(shown("fuzzy", "laptop -x")).toBe("words([0-1 laptop~2{title^1}] [1-2 x~0{title^1}])");
    expect(shown("fuzzy", '( "AND: [*')).toBe("NONE");
    expect(shown("fuzzy", "title:wi-fi*")).toBe(
      'words([0-1 title~1{title^1}] [1-2 wi~0{title^1}] [2-3 fi~0{title^1}] [0-0+ title:"title wi fi"^0.25])',
    );
  });

  test("finds nothing by stopwords, which only count beside words; of nothing else it matches nothing", () => {
    expect(shown("fuzzy", "the red don't")).toBe(
      "words([0-1 red~1{title^1}] [0-0^ the~0{title^1}] [0-0^ don~0{title^1}] [0-0^ t~0{title^1}])",
    );
    expect(shown("fuzzy", "the of")).toBe("NONE");
    expect(shown("fuzzy", " \n ")).toBe("NONE");
    expect(shown("fuzzy", "the", sampleIndex({ search_fields: ["title"], exclude_stop_words: false }))).toBe(
      "words([0-1 the~1{title^2}])",
    );
  });

  test("matches id as a whole where it is a search field, and nothing without search fields", () => {
    const withId = sampleIndex({ search_fields: ["id", "title"], weight_multipliers: { id: 3 } });
    expect(shown("fuzzy", "Doc-1", withId)).toBe(
      '(|words([0-1 doc~1{title^1}] [1-2 1~0{title^1}] [0-0+ title:"doc 1"^0.25]) |id="Doc-1"^3)',
    );
    expect(shown("fuzzy", " a1 b1 ", withId)).toBe(
      '(|words([0-1 a1~0{title^1}] [1-2 b1~0{title^1}]) |id="a1 b1","a1","b1"^3)',
    );
    expect(shown("fuzzy", "red", sampleIndex({ search_fields: [] }))).toBe("NONE");
  });
});

describe("dynamic mode", () => {
  test.each([
    ["0 words", "the &", "NONE"],
    ["1 word", "shoes", "title:shoes"],
    ["1 word and stopwords", "the shoes of", "title:shoes"],
    ["1 word of two tokens", "wi-fi", 'title:"wi fi"'],
    [
      "2 words",
      "red shoes",
      "(|words([0-1 red~1{title^1}] [1-2 shoes~1{title^1}]) +title:red +shoes~1{title^1})",
    ],
    [
      "2 words of three",
      "red & shoes",
      "(|words([0-1 red~1{title^1}] [1-2 shoes~1{title^1}]) +title:red +shoes~1{title^1})",
    ],
    [
      "3 words",
      "big red shoes",
      "(|words([0-1 big~1{title^1}] [1-2 red~1{title^1}] [2-3 shoes~1{title^1}]) ?title:big ?title:red |shoes~1{title^1})",
    ],
  ])("%s: %s", (_count, ctx, expected) => {
    expect(shown("dynamic", ctx)).toBe(expected);
  });

  test("4 words and more are one fuzzy query", () => {
    expect(shown("dynamic", "one big red shoes")).toBe(shown("fuzzy", "one big red shoes"));
    expect(shown("dynamic", "a wi-fi, red & big: one")).toBe(shown("fuzzy", "a wi-fi, red big: one"));
  });

  test("is plain text as well", () => {
    expect(shown("dynamic", "-red*")).toBe("title:red");
    expect(shown("dynamic", "title:red")).toBe('title:"title red"');
  });
});

describe("combining clauses", () => {
  const combined = (clauses: readonly SearchClause[], minimum?: number): string =>
    showAst(compileClauses(clauses, minimum, plain));

  test("must and should as the request says, a dynamic expansion as one clause", () => {
    expect(combined([clause("exact", "x", "must"), clause("fuzzy", "y1"), clause("dynamic", "z1")])).toBe(
      "(+title:x |words([0-1 y1~0{title^1}]) |title:z1)",
    );
  });

  test("a clause that can match nothing stays and counts", () => {
    const clauses = [clause("exact", "the"), clause("fuzzy", "")];
    expect(combined(clauses, 2)).toBe("(|NONE |NONE)>=2");
    expect(combined([clause("exact", "the", "must"), clause("exact", "x")])).toBe("(+NONE |title:x)");
  });

  test("the minimum goes to the back end; a lone clause must match anyway", () => {
    expect(combined([clause("exact", "x"), clause("exact", "y")], 0)).toBe("(|title:x |title:y)>=0");
    expect(combined([clause("exact", "x")], 0)).toBe("title:x");
    expect(combined([clause("exact", "x")], 1)).toBe("title:x");
    expect(combined([clause("exact", "x", "must")], 0)).toBe("title:x");
  });

  test.each([
    [[clause("exact", "x")], 2],
    [[clause("exact", "x", "must")], 1],
    [[clause("exact", "x"), clause("exact", "y", "must")], 2],
    [[clause("exact", "x")], -1],
    [[clause("exact", "x")], 0.5],
    [[clause("exact", "x")], Number.NaN],
  ])("a minimum that cannot be met is refused (%#)", (clauses, minimum) => {
    expect(codeOf(() => compileClauses(clauses, minimum, plain))).toBe("minimum_should_match_too_large");
  });

  test("how deep a query string may nest is the index's own limit", () => {
    const shallow = { ...plain, limits: { ...plain.limits, depthMax: 1 } };
    expect(codeOf(() => compileClauses([clause("exact", "(x)")], undefined, shallow))).toBe("none");
    expect(codeOf(() => compileClauses([clause("exact", "((x))")], undefined, shallow))).toBe("query_syntax");
  });
});

/** Milliseconds since the epoch. */
const NOW = 1_735_689_600_500;

describe("compileSearch", () => {
  const request: SearchRequest = { clauses: [clause("exact", "x")], limit: 7, offset: 3, sort: "desc" };

  test("gives the page and the facet fields in schema order", () => {
    expect(compileSearch(request, plain, NOW)).toEqual({
      ast: { kind: "term", field: "title", term: "x" },
      limit: 7,
      offset: 3,
      facets: ["category", "place"],
    });
  });

  test.each(["title", "id", "hidden", "active", "rating", "price", "reviews", "created_at"])(
    "orders by %s",
    (orderBy) => {
      expect(compileSearch({ ...request, order_by: orderBy, sort: "asc" }, plain, NOW).orderBy).toEqual([
        { kind: "field", field: orderBy, descending: false },
      ]);
      expect(compileSearch({ ...request, order_by: orderBy }, plain, NOW).orderBy).toEqual([
        { kind: "field", field: orderBy, descending: true },
      ]);
    },
  );

  test.each(["tags", "category", "slow", "blob", "extra", "nope", "constructor", "_id"])(
    "refuses to order by %s",
    (orderBy) => {
      expect(codeOf(() => compileSearch({ ...request, order_by: orderBy }, plain, NOW))).toBe(
        "invalid_order_by",
      );
    },
  );

  test.each([
    ["titel", "index 'sample' has no such field, did you mean 'title'?"],
    ["nope", "index 'sample' has no such field; use a single-valued text field"],
    [
      "price:asc",
      'index \'sample\' has no such field; in a list it would say more: "order_by": ["price:asc"]',
    ],
    ["_score", 'in a list it would say more: "order_by": ["_score"]'],
    ["tags", "it cannot be ordered by; use a single-valued text field"],
  ])("says of %s how to mend it", (orderBy, message) => {
    expect(() => compileSearch({ ...request, order_by: orderBy }, plain, NOW)).toThrow(message);
  });

  test("lets scores fall with age from the request's time, where the index says so", () => {
    expect(compileSearch(request, plain, NOW).timeDecay).toBeUndefined();
    const { fields } = plain.schema;
    const decaying = sampleIndex({ fields, time_decay_field: "created_at" });
    expect(compileSearch(request, decaying, NOW).timeDecay).toEqual({
      field: "created_at",
      nowSeconds: NOW / 1000,
      ratePerDay: 0.01,
    });
  });

  test("refuses to order by several values", () => {
    const multi = sampleIndex({ fields: { n: field("u64", { multi: true }) }, search_fields: [] });
    expect(codeOf(() => compileSearch({ ...request, order_by: "n" }, multi, NOW))).toBe("invalid_order_by");
  });
});

describe("effectiveStopwords", () => {
  test("lists dictionary and custom words, lower case, sorted, unique", () => {
    const words = effectiveStopwords(plain.schema, ["Zebra", "the", "apple"]);
    expect(words.length).toBe(163);
    expect(words).toEqual([...new Set(words)].sort());
    expect(effectiveStopwords(sampleIndex({ exclude_stop_words: false }).schema, ["b", "A"])).toEqual([
      "a",
      "b",
    ]);
    expect(effectiveStopwords(sampleIndex({ language: "xx" }).schema, [])).toEqual([]);
  });
});
