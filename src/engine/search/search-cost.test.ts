/**
 * Properties: every kind of query has a cost, of unknown fields too; a larger index costs no less, nor do
 * more clauses, facets, keys or deeper pages; a small index is cheap whatever is asked.
 */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { imageThreshold } from "../kernels/image-memory.js";
import { defineSchema, Index, MemoryDirectory, type Query, type SearchOptions } from "../server-door.js";

const SCHEMA = defineSchema({ body: "text", kind: "facet", year: "u64", day: "datetime" });
let small: Index;
let large: Index;

async function indexOf(count: number): Promise<Index> {
  const index = await Index.create(new MemoryDirectory(), SCHEMA);
  await index.add(
    Array.from({ length: count }, (_, n) => ({
      body: `common w${n % 50} w${n}`,
      kind: `/k${n % 5}`,
      year: n,
      day: "2024-01-01T00:00:00Z",
    })),
  );
  await index.commit();
  return index;
}
const term = (word: string, field = "body"): Query => ({ kind: "term", field, term: word });
const fields = (field: string) => [{ field, boost: 1 }];
const queriesOn = (field: string): Query[] => [
  term("common", field),
  {
    kind: "phrase",
    field,
    terms: [
      { term: "common", position: 0 },
      { term: "w1", position: 1 },
    ],
    slop: 0,
    lastIsPrefix: false,
  },
  { kind: "prefix", field, prefix: "w" },
  { kind: "term_range", field, lower: null, upper: null },
  { kind: "value_set", field, values: ["1"] },
  { kind: "value_range", field, lower: null, upper: null },
  { kind: "value_prefix", field, prefix: "1" },
  { kind: "facet", field, paths: ["/k1"] },
  { kind: "exists", field },
  { kind: "fuzzy", fields: fields(field), term: "comon", maxDistance: 2 },
  { kind: "fuzzy_prefix", fields: fields(field), prefix: "com", maxDistance: 1 },
  {
    kind: "synonyms",
    query: term("common", field),
    alternatives: [{ key: [{ term: "common", position: 0 }], terms: [[{ term: "w1", position: 0 }]] }],
    fields: fields(field),
  },
  { kind: "boost", query: term("common", field), factor: 2 },
  { kind: "constant_score", query: term("common", field), score: 1 },
];
const QUERIES: Query[] = [
  { kind: "match_all" },
  { kind: "match_none" },
  { kind: "document_ids", ids: ["x"] },
  ...queriesOn("body"),
  ...queriesOn("nowhere"),
];
const boolean = (queries: readonly Query[]): Query => ({
  kind: "boolean",
  clauses: queries.map((query) => ({ occur: "should", query })),
});

function cost(index: Index, query: Query, more: Partial<SearchOptions> = {}): number {
  return index.searcher.cost({ query, offset: 0, limit: 10, ...more });
}

// Kernels may take less for a large index than evaluators for a small one.
describe.each([
  ["by kernels", 0],
  ["by evaluators", Number.POSITIVE_INFINITY],
])("%s", (_, imageBytes) => {
  const thresholdBefore = imageThreshold.bytes;
  beforeAll(async () => {
    imageThreshold.bytes = imageBytes;
    small = await indexOf(50);
    large = await indexOf(5000);
  });
  afterAll(async () => {
    imageThreshold.bytes = thresholdBefore;
    await small.close();
    await large.close();
  });

  test.each(QUERIES.map((query) => [JSON.stringify(query).slice(0, 80), query] as const))(
    "%s",
    (__, query) => {
      expect(cost(small, query)).toBeGreaterThanOrEqual(0);
      expect(cost(large, query)).toBeGreaterThanOrEqual(cost(small, query));
      expect(cost(large, boolean([query, term("common")]))).toBeGreaterThan(cost(large, query));
      expect(cost(small, boolean(QUERIES), { facets: ["kind"] })).toBeLessThan(2000);
      for (const more of [
        { facets: ["kind"] },
        { offset: 5000 },
        { orderBy: [{ kind: "field", field: "year", descending: true } as const] },
        { timeDecay: { field: "day", nowSeconds: 0, ratePerDay: 1 } },
      ]) {
        expect(cost(large, query, more)).toBeGreaterThanOrEqual(cost(large, query));
      }
    },
  );

  test("asking costs nothing but a look at dictionaries: no word is expanded", () => {
    const fuzzy: Query = { kind: "fuzzy", fields: fields("body"), term: "w1", maxDistance: 2 };
    const before = cost(large, fuzzy);
    expect(cost(large, fuzzy)).toBe(before);
    large.search({ query: fuzzy });
    expect(cost(large, fuzzy)).not.toBe(before);
  });

  test("of words that one may be written as the longer is looked up, and the other if it is there", () => {
    const lookUps = (...terms: string[]): number => {
      const lookUp = vi.spyOn(large.searcher.segments[0]!.terms("body")!, "ordinalOf");
      const term = terms.join("");
      const rows = [{ terms, lastIsPrefix: false }];
      cost(large, { kind: "fuzzy", fields: fields("body"), term, maxDistance: 0, rows });
      const lookedUp = lookUp.mock.calls.length;
      lookUp.mockRestore();
      return lookedUp - 1;
    };
    expect(lookUps("some", "nowhere")).toBe(1);
    expect(lookUps("anywhere", "thing")).toBe(1);
    expect(lookUps("w17", "w2")).toBe(2);
  });
});
