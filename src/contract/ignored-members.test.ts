import { expect, test } from "vitest";
import { CURSOR_BODY_SCHEMA } from "./cursor.js";
import { ignoredBesideCursor, ignoredMembers } from "./ignored-members.js";
import { searchBodyMembers } from "./search-bodies.js";
import { SEARCH_EXTENSION_MEMBERS } from "./search-extensions.js";
import type { WireObject } from "./wire-object.js";

test("nothing is said of a body whose members all mean something", () => {
  const query = [{ occur: "must", exact: { ctx: "a", as_you_type: true } }];
  const facets = { category: { depth: 1, size: 2, own_filter: false }, brand: true };
  const highlight = { fields: ["a"], pre_tag: "<b>", post_tag: "</b>", fragment_size: 1, fragments: 1 };
  const body = { query, limit: 1, offset: 0, order_by: [{ field: "a", sort: "asc" }], sort: "asc", facets };
  expect(ignoredMembers({ ...body, highlight, fields: [], explain: true, cursor: true })).toBeUndefined();
  expect(ignoredMembers({ query: "a", limt: null })).toBeUndefined();
});

test("no member that is documented is said to mean nothing", () => {
  const documented = { ...searchBodyMembers, ...SEARCH_EXTENSION_MEMBERS };
  const body = Object.fromEntries(Object.keys(documented).map((name) => [name, 1]));
  expect(ignoredMembers({ ...body, query: "a" })).toBeUndefined();
  const { properties } = CURSOR_BODY_SCHEMA as unknown as { readonly properties: object };
  expect(ignoredBesideCursor(properties as Record<string, unknown>)).toBeUndefined();
});

test("beside a cursor there is only the limit", () => {
  expect(ignoredBesideCursor({ cursor: "a", limt: 1, synonyms: false })).toEqual([
    { name: "limt", nearest: "limit" },
    { name: "synonyms" },
  ]);
});

test("what means nothing is named with the member that was meant, and its place", () => {
  const body = {
    query: { fuzzy: { ctx: "a", as_you_typ: true }, boost: 2 },
    limt: 5,
    hightlight: true,
    ["__proto__x"]: 1,
    facets: { category: { siez: 1 } },
    order_by: [{ field: "a", srot: "asc" }],
  };
  expect(ignoredMembers(body)).toEqual([
    { name: "limt", nearest: "limit" },
    { name: "hightlight", nearest: "highlight" },
    { name: "__proto__x" },
    { name: "boost", path: "query.boost" },
    { name: "as_you_typ", nearest: "as_you_type", path: "query.fuzzy.as_you_typ" },
    { name: "siez", nearest: "size", path: "facets.category.siez" },
    { name: "srot", nearest: "sort", path: "order_by[0].srot" },
  ]);
});

test("a member in the wrong place is named with the right one", () => {
  const belongings = (body: WireObject): unknown =>
    ignoredMembers(body)?.map(({ name, path, belongs }) => [path ?? name, belongs]);
  expect(belongings({ query: { fuzzy: { ctx: "a" } }, as_you_type: true, match: "all" })).toEqual([
    ["as_you_type", "query.fuzzy.as_you_type"],
    ["match", "query.fuzzy.match"],
  ]);
  expect(belongings({ query: "a", as_you_type: true })).toEqual([["as_you_type", "query.fuzzy.as_you_type"]]);
  expect(belongings({ query: [{ dynamic: { ctx: "a" } }], as_you_type: true })).toEqual([
    ["as_you_type", "query[0].dynamic.as_you_type"],
  ]);
  const clauses = [
    { exact: { ctx: "a" } },
    { exact: { ctx: "b", limit: 5, occur: "must" }, as_you_type: true },
  ];
  expect(belongings({ query: clauses, pre_tag: "<b>" })).toEqual([
    ["pre_tag", "highlight.pre_tag"],
    ["query[1].as_you_type", "query[1].exact.as_you_type"],
    ["query[1].exact.limit", "limit"],
    ["query[1].exact.occur", "query[1].occur"],
  ]);
  expect(ignoredMembers({ query: "a", highlight: { limit: 3 } })).toEqual([
    { name: "limit", path: "highlight.limit", belongs: "limit" },
  ]);
});

test("at most 20 are named", () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`nothing-${i}`, i]));
  expect(ignoredMembers({ query: "a", ...many })).toHaveLength(20);
});
