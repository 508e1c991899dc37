/** Each kind of query, and the `id`s of the books that it has to find. */
import type { QueryAst } from "../../../src/query/query-ast.js";
import { EVERYTHING } from "./library.js";

const titled = (term: string): QueryAst => ({ kind: "term", field: "title", term });
const words = (...terms: readonly string[]) => terms.map((term, position) => ({ term, position }));
const fields = [{ field: "title", boost: 1 }];
const both = [
  { field: "title", boost: 2 },
  { field: "body", boost: 1 },
];
const from = <T>(value: T, inclusive = true) => ({ value, inclusive });

export const QUERY_CASES: readonly (readonly [string, QueryAst, readonly string[]])[] = [
  ["match_all", EVERYTHING, ["a", "b", "c", "d", "e"]],
  ["match_none", { kind: "match_none" }, []],
  ["term", titled("winter"), ["a", "d"]],
  ["term that no document has", titled("autumn"), []],
  ["term of one of several values", { kind: "term", field: "body", term: "falls" }, ["a"]],
  ["phrase", phrase("title", ["winter", "tale"]), ["a"]],
  ["phrase in another order", phrase("title", ["tale", "winter"]), []],
  ["phrase in another order with slop", phrase("title", ["tale", "winter"], { slop: 2 }), ["a"]],
  ["phrase that begins in one value and ends in the next", phrase("body", ["falls", "in"]), []],
  ["phrase that ends in a prefix", phrase("title", ["winter", "ta"], { lastIsPrefix: true }), ["a"]],
  ["prefix", { kind: "prefix", field: "title", prefix: "wint" }, ["a", "b", "d"]],
  [
    "term_range",
    { kind: "term_range", field: "title", lower: from("summer"), upper: from("tale") },
    ["a", "c"],
  ],
  [
    "term_range without its bounds",
    { kind: "term_range", field: "title", lower: from("summer", false), upper: from("tale", false) },
    [],
  ],
  ["value_set of identifiers", { kind: "value_set", field: "id", values: ["c", "a", "x"] }, ["a", "c"]],
  ["value_set of numbers", { kind: "value_set", field: "count", values: [3] }, ["a", "d"]],
  ["value_set beyond 2^53", { kind: "value_set", field: "count", values: ["18446744073709551615"] }, ["c"]],
  ["value_set beside it", { kind: "value_set", field: "count", values: ["18446744073709551614"] }, []],
  ["value_set of fractions", { kind: "value_set", field: "price", values: [9.25, -1.5] }, ["b", "c"]],
  ["value_set of booleans", { kind: "value_set", field: "flag", values: [false] }, ["b"]],
  ["value_set of instants", { kind: "value_set", field: "at", values: ["2024-01-02T00:00:00.5Z"] }, ["b"]],
  ["value_range from", range("count", from(3), null), ["a", "b", "c", "d"]],
  ["value_range above", range("count", from(3, false), null), ["b", "c"]],
  ["value_range to", range("delta", null, from(-5)), ["a", "c"]],
  ["value_range below", range("delta", null, from(-5, false)), ["c"]],
  ["value_range of fractions", range("price", from(-1.5), from(0, false)), ["c"]],
  ["value_range of instants", range("at", from("2024-01-01T00:00:00.001Z"), null), ["b"]],
  ["value_range that is empty", range("count", from(5), from(4)), []],
  ["value_prefix", { kind: "value_prefix", field: "id", prefix: "a" }, ["a"]],
  ["facet", { kind: "facet", field: "shelf", paths: ["/fiction"] }, ["a", "b", "d"]],
  ["facet further down", { kind: "facet", field: "shelf", paths: ["/fiction/drama"] }, ["a", "d"]],
  [
    "facet by one of two",
    { kind: "facet", field: "shelf", paths: ["/nonfiction", "/fiction/drama/tragedy"] },
    ["c", "d"],
  ],
  ["facet whose path is only a beginning", { kind: "facet", field: "shelf", paths: ["/fic"] }, []],
  ["facet of several values", { kind: "facet", field: "tags", paths: ["/sale"] }, ["a"]],
  ["exists of text", { kind: "exists", field: "body" }, ["a", "c"]],
  ["exists of values", { kind: "exists", field: "delta" }, ["a", "b", "c"]],
  ["exists of a facet", { kind: "exists", field: "tags" }, ["a", "b"]],
  ["fuzzy without typos", { kind: "fuzzy", term: "winter", maxDistance: 0, fields }, ["a", "d"]],
  ["fuzzy with letters changed about", { kind: "fuzzy", term: "wintre", maxDistance: 1, fields }, ["a", "d"]],
  ["fuzzy with two edits", { kind: "fuzzy", term: "wintre", maxDistance: 2, fields }, ["a", "b", "d"]],
  [
    "fuzzy in several fields",
    { kind: "fuzzy", term: "wynter", maxDistance: 1, fields: both },
    ["a", "c", "d"],
  ],
  ["fuzzy beyond ASCII", { kind: "fuzzy", term: "strasse", maxDistance: 2, fields }, ["d"]],
  ["fuzzy_prefix", { kind: "fuzzy_prefix", prefix: "wimt", maxDistance: 1, fields }, ["a", "b", "d"]],
  [
    "fuzzy_prefix: nearer and farther ones",
    { kind: "fuzzy_prefix", prefix: "tales", maxDistance: 1, fields },
    ["a", "b", "c"],
  ],
  ["fuzzy_prefix without typos", { kind: "fuzzy_prefix", prefix: "tales", maxDistance: 0, fields }, ["b"]],
  [
    "synonyms",
    {
      kind: "synonyms",
      ast: { kind: "fuzzy", term: "summer", maxDistance: 1, fields },
      alternatives: [{ key: words("summer"), terms: [words("winter", "tale"), words("straße")] }],
      fields,
    },
    ["a", "c", "d"],
  ],
  ["boolean: all of", every(titled("winter"), titled("tale")), ["a"]],
  ["boolean: any of", any([titled("tale"), titled("straße")]), ["a", "c", "d"]],
  ["boolean: at least two of", any([titled("tale"), titled("winter"), titled("im")], 2), ["a", "d"]],
  [
    "boolean: all but",
    {
      kind: "boolean",
      clauses: [
        { occur: "must", ast: EVERYTHING },
        { occur: "must_not", ast: titled("tale") },
      ],
    },
    ["b", "d", "e"],
  ],
  [
    "boolean: filtered, with something that only adds",
    {
      kind: "boolean",
      clauses: [
        { occur: "filter", ast: { kind: "facet", field: "shelf", paths: ["/fiction"] } },
        { occur: "should", ast: titled("tale") },
      ],
    },
    ["a", "b", "d"],
  ],
  ["boolean: must_if_present where the word is", ifPresent("winter"), ["a"]],
  ["boolean: must_if_present where the word isn't", ifPresent("autumn"), ["a", "c"]],
  ["boost", { kind: "boost", ast: titled("winter"), factor: 3 }, ["a", "d"]],
  ["constant_score", { kind: "constant_score", ast: titled("winter"), score: 7 }, ["a", "d"]],
];

function phrase(
  field: string,
  terms: readonly string[],
  { slop = 0, lastIsPrefix = false }: { readonly slop?: number; readonly lastIsPrefix?: boolean } = {},
): QueryAst {
  return { kind: "phrase", field, terms: words(...terms), slop, lastIsPrefix };
}

function range(
  field: string,
  lower: Extract<QueryAst, { readonly kind: "value_range" }>["lower"],
  upper: Extract<QueryAst, { readonly kind: "value_range" }>["upper"],
): QueryAst {
  return { kind: "value_range", field, lower, upper };
}

function every(...asts: readonly QueryAst[]): QueryAst {
  return { kind: "boolean", clauses: asts.map((ast) => ({ occur: "must", ast })) };
}

function any(asts: readonly QueryAst[], minimumShouldMatch?: number): QueryAst {
  return {
    kind: "boolean",
    clauses: asts.map((ast) => ({ occur: "should", ast })),
    ...(minimumShouldMatch === undefined ? {} : { minimumShouldMatch }),
  };
}

function ifPresent(word: string): QueryAst {
  return {
    kind: "boolean",
    clauses: [
      { occur: "must", ast: titled("tale") },
      { occur: "must_if_present", word, ast: titled(word) },
    ],
  };
}
