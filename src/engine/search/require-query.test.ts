import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defineSchema, FindlingError, Index, MemoryDirectory, type Query } from "../server-door.js";

const ALL = { kind: "match_all" } as const;
const fields = [{ field: "title", boost: 1 }];
const negative = [{ field: "title", boost: -1 }];

let index: Index;
beforeAll(async () => {
  index = await Index.create(new MemoryDirectory(), defineSchema({ title: "text", at: "datetime" }));
  await index.add([{ title: "one" }, { title: "two" }]);
  await index.commit();
});
afterAll(() => index.close());

describe("what the types don't allow is refused, and deletes nothing", () => {
  const misspelt = { kind: "boolean", clauses: [{ occur: "mustNot", query: ALL }] };
  test.each<[string, object]>([
    ["an occur that there isn't", misspelt],
    ["one within clauses", { kind: "boolean", clauses: [{ occur: "should", query: misspelt }] }],
    ["one within a boost", { kind: "boost", factor: 1, query: misspelt }],
    ["one within a constant score", { kind: "constant_score", score: 1, query: misspelt }],
    ["one beside synonyms", { kind: "synonyms", query: misspelt, alternatives: [], fields }],
    ["a kind that there isn't", { kind: "terms" }],
    ["a negative boost", { kind: "boost", factor: -1, query: ALL }],
    ["a boost that is no number", { kind: "boost", factor: Number.NaN, query: ALL }],
    ["a negative score", { kind: "constant_score", score: -1, query: ALL }],
    ["a score that is no number", { kind: "constant_score", score: Number.NaN, query: ALL }],
    ["a negative boost of a word's field", { kind: "fuzzy", term: "ones", maxDistance: 1, fields: negative }],
    ["one of a beginning's", { kind: "fuzzy_prefix", prefix: "ones", maxDistance: 1, fields: negative }],
    ["one of synonyms'", { kind: "synonyms", query: ALL, alternatives: [], fields: negative }],
    ["three edits", { kind: "fuzzy", term: "ones", maxDistance: 3, fields }],
    ["half an edit", { kind: "fuzzy_prefix", prefix: "ones", maxDistance: 0.5, fields }],
  ])("%s", async (_case, query) => {
    const refused = { name: "FindlingError", code: "invalid_request" };
    expect(() => index.search({ query: query as Query })).toThrow(FindlingError);
    expect(() => index.explain(query as Query, "0".repeat(32))).toThrow(FindlingError);
    await expect(index.deleteByQuery(query as Query)).rejects.toMatchObject(refused);
    await index.commit();
    expect(index.documentCount).toBe(2);
  });
});

test.each([
  { offset: -1 },
  { offset: 0.5 },
  { offset: Number.POSITIVE_INFINITY },
  { limit: -1 },
  { limit: 1.5 },
  { limit: Number.NaN },
  { orderBy: [] },
  { timeDecay: { field: "at", nowSeconds: 0, ratePerDay: -1 } },
])("a search with %j is refused", (options) => {
  expect(() => index.search({ query: ALL, ...options })).toThrow(
    expect.objectContaining({ code: "invalid_request" }),
  );
});

test("all hits can be asked for, and none", () => {
  expect(index.search({ query: ALL, limit: Number.POSITIVE_INFINITY }).hits).toHaveLength(2);
  expect(index.search({ query: ALL, limit: 0 })).toMatchObject({ count: 2, hits: [] });
});

test("a document without an array isn't taken for none", async () => {
  await expect(index.add({ title: "three" } as never)).rejects.toThrow("as an array");
});

test("a field of a kind that there isn't is no field", () => {
  expect(() => defineSchema({ title: "string" as "text" })).toThrow("there is no kind 'string'");
});
