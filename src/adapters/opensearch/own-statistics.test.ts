import { expect, test } from "vitest";
import type { EngineSchema } from "../../engine/server-door.js";
import type { QueryAst } from "../../query/query-ast.js";
import { scoresByOwnStatistics } from "./own-statistics.js";

const field = (name: string, kind: string, indexed = true) => ({ name, kind, indexed });
const schemaOf = (...fields: object[]) => ({ fields }) as unknown as EngineSchema;
const SCHEMA = schemaOf(field("title", "text"), field("shelf", "label"), field("note", "text", false));

const term: QueryAst = { kind: "term", field: "title", term: "tale" };
const fuzzy: QueryAst = {
  kind: "fuzzy",
  term: "tale",
  maxDistance: 1,
  fields: [{ field: "title", boost: 1 }],
};
const phrase = (positions: readonly number[], lastIsPrefix = false): QueryAst => ({
  kind: "phrase",
  field: "title",
  terms: positions.map((position) => ({ term: "tale", position })),
  slop: 0,
  lastIsPrefix,
});
const boost = (factor: number, ast: QueryAst): QueryAst => ({ kind: "boost", factor, ast });
const either = (...asts: readonly QueryAst[]): QueryAst => ({
  kind: "boolean",
  clauses: asts.map((ast) => ({ occur: "should", ast })),
});

test.each<[string, QueryAst]>([
  ["a word", term],
  ["a phrase", phrase([0, 1])],
  ["what scores nothing", { kind: "exists", field: "shelf" }],
  ["boosts that come to something ordinary", boost(1e-9, boost(1e9, term))],
  ["a filter of any kind", { kind: "boolean", clauses: [{ occur: "filter", ast: fuzzy }] }],
  ["a constant", { kind: "constant_score", ast: fuzzy, score: 1 }],
])("needs no frequencies: %s", (_, ast) => {
  expect(scoresByOwnStatistics(ast, [SCHEMA], 1)).toBe(true);
});

test.each<[string, QueryAst]>([
  ["a typo-tolerant word", fuzzy],
  ["one among others", either(term, fuzzy)],
  ["a stem, which scores by the word itself", { kind: "term", field: "title", term: "s", written: "tale" }],
  ["a phrase that ends in a prefix", phrase([0, 1], true)],
  ["words at one position", phrase([0, 0])],
  ["a field of another kind", { kind: "term", field: "shelf", term: "tale" }],
  ["a field without words", { kind: "term", field: "note", term: "tale" }],
  ["a great boost", boost(1e9, term)],
  ["a small boost", boost(1e-9, term)],
  [
    "a word that need not be there",
    { kind: "boolean", clauses: [{ occur: "must_if_present", word: "tale", ast: term }] },
  ],
])("needs frequencies: %s", (_, ast) => {
  expect(scoresByOwnStatistics(ast, [SCHEMA], 1)).toBe(false);
});

test("the field is text in all that is searched together, and weights count as boosts", () => {
  expect(scoresByOwnStatistics(term, [SCHEMA, schemaOf(field("title", "keyword"))], 1)).toBe(false);
  expect(scoresByOwnStatistics(term, [SCHEMA, schemaOf()], 1)).toBe(true);
  expect(scoresByOwnStatistics(term, [SCHEMA], 0)).toBe(false);
});
