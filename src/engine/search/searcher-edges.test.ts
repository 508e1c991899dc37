/**
 * The edges of a searcher: what a hit carries, documents by id, pages beyond the end, what is refused
 * and with which code, trees far deeper and wider than anyone types, and an empty index.
 */
import { describe, expect, test } from "vitest";
import { naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { FindlingError } from "../../errors/index.js";
import { compareBytes } from "../schema/compare-bytes.js";
import { defineSchema } from "../schema/define-schema.js";
import type { CanonicalDocument } from "../schema/document.js";
import type { Query } from "./query.js";
import type { SearchOptions } from "./search-types.js";
import { Searcher } from "./searcher.js";

const analyzer = createAnalyzer({ version: 1 });
const schema = defineSchema({
  id: "keyword",
  title: "text",
  secret: { kind: "text", stored: false },
  tags: { kind: "keyword", multi: true },
  category: "facet",
  year: "u64",
  at: "datetime",
  blob: "opaque",
});
const all: Query = { kind: "match_all" };

async function searcherOf(
  documents: readonly CanonicalDocument[],
  deletedBefore: readonly number[] = [],
): Promise<Searcher> {
  const naive = documents.map((document, i) => naiveDocument(schema, analyzer, idOf(i), document));
  const layout = naive.map((_, i) => ({ deletedBefore: deletedBefore[i] ?? 0, beginsSegment: i % 3 === 0 }));
  return new Searcher(await segmentsOf(schema, analyzer, naive, layout), schema);
}

function idOf(i: number): string {
  return String(i).padStart(32, "0");
}

describe("a hit", () => {
  test("carries the stored fields as JSON, in schema order", async () => {
    const searcher = await searcherOf([{ title: "a b", secret: "c", year: 5, blob: { x: [1] } }]);
    const [hit] = searcher.search({ query: all, offset: 0, limit: 1 }).hits;
    expect(hit).toEqual({
      documentId: idOf(0),
      score: 1,
      json: '{"title":"a b","year":5,"blob":{"x":[1]}}',
    });
    expect(searcher.document(idOf(0))).toBe(hit!.json);
  });

  test("carries its sort key under an order, comparable across indexes, also of fields not stored", async () => {
    const searcher = await searcherOf([{ secret: "b" }, { secret: "Éa" }, {}, { secret: "A" }]);
    const { hits } = searcher.search({
      query: all,
      offset: 0,
      limit: 9,
      orderBy: [{ kind: "field", field: "secret", descending: false }],
    });
    expect(hits.map(({ documentId }) => documentId)).toEqual([3, 0, 1, 2].map(idOf));
    const [first, second] = hits.map(({ sortKeys }) => sortKeys![0] as Uint8Array);
    expect(compareBytes(first!, second!)).toBe(-1);
    expect(hits[3]!.sortKeys).toEqual([null]);
  });
});

describe("a searcher", () => {
  test("finds documents by id while they are live", async () => {
    const searcher = await searcherOf([{ title: "x" }, { title: "x" }], [1, 1]);
    const deleted = `d${"0".repeat(31)}`;
    expect(searcher.segments.some((segment) => segment.docIdOf(deleted) >= 0)).toBe(true);
    expect(searcher.document(deleted)).toBeNull();
    expect(searcher.document("nowhere")).toBeNull();
    expect(searcher.explain(all, deleted)).toBeNull();
    expect(searcher.count({ kind: "document_ids", ids: [deleted, idOf(1), idOf(1)] })).toBe(1);
    expect(searcher.docCount).toBe(2);
  });

  test("gives empty pages beyond the end and counts all the same", async () => {
    const searcher = await searcherOf([{ title: "x" }, { title: "x" }, { title: "x" }, { title: "y" }]);
    const query: Query = { kind: "term", field: "title", term: "x" };
    expect(searcher.search({ query, offset: 2 ** 40, limit: 10 })).toEqual({
      count: 3,
      hits: [],
      facets: [],
    });
    expect(searcher.search({ query, offset: 0, limit: 0 }).count).toBe(3);
    expect(searcher.search({ query, offset: 2, limit: 10 }).hits).toHaveLength(1);
  });

  test("searches nothing at all", () => {
    const searcher = new Searcher([], schema);
    const options: SearchOptions = { query: all, offset: 0, limit: 10, facets: ["category"] };
    expect(searcher.search(options)).toEqual({
      count: 0,
      hits: [],
      facets: [{ field: "category", nodes: [] }],
    });
    expect(searcher.matchingDocs(all)).toEqual([]);
    expect(searcher.statistics.fieldStatistics("title")).toEqual({ docCount: 0, tokenCount: 0 });
    const fuzzy: Query = { kind: "fuzzy", term: "x", maxDistance: 2, fields: [{ field: "title", boost: 1 }] };
    expect(searcher.count(fuzzy)).toBe(0);
    expect(searcher.count({ ...fuzzy, fields: [] })).toBe(0);
  });

  test("bears trees of great depth and width", async () => {
    const searcher = await searcherOf([{ title: "x y" }, { title: "x" }, { title: "z" }]);
    const term: Query = { kind: "term", field: "title", term: "x" };
    let deep: Query = term;
    for (let depth = 0; depth < 500; depth++) {
      const occur = depth % 3 === 0 ? "must" : depth % 3 === 1 ? "should" : "filter";
      deep = {
        kind: "boolean",
        clauses: [
          { occur, query: deep },
          { occur: "must_not", query: { kind: "match_none" } },
        ],
      };
    }
    expect(searcher.count(deep)).toBe(2);
    const wide = (occur: "must" | "should", minimumShouldMatch?: number): Query => ({
      kind: "boolean",
      clauses: Array.from({ length: 5000 }, () => ({ occur, query: term })),
      ...(minimumShouldMatch === undefined ? {} : { minimumShouldMatch }),
    });
    const single = searcher.search({ query: term, offset: 0, limit: 1 }).hits[0]!.score;
    for (const occur of ["must", "should"] as const) {
      const { count, hits } = searcher.search({ query: wide(occur), offset: 0, limit: 9 });
      expect(count).toBe(2);
      expect(hits[0]!.score / single).toBeCloseTo(5000, -1);
    }
    expect(searcher.count(wide("should", 5000))).toBe(2);
    expect(searcher.count(wide("should", 5001))).toBe(0);
  });

  test("keeps scores finite and ordered under any boosts", async () => {
    const searcher = await searcherOf([{ title: "x" }, { title: "x y" }, { title: "y" }]);
    let boosted: Query = { kind: "term", field: "title", term: "x" };
    for (let i = 0; i < 4; i++) {
      boosted = {
        kind: "boost",
        factor: 1e300,
        query: { kind: "boolean", clauses: [{ occur: "must", query: boosted }] },
      };
    }
    const clauses = [boosted, { kind: "boost", factor: 0, query: boosted } as const].map(
      (query) => ({ occur: "should", query }) as const,
    );
    const { hits, count } = searcher.search({ query: { kind: "boolean", clauses }, offset: 0, limit: 9 });
    expect(count).toBe(2);
    expect(hits.every(({ score }) => Number.isFinite(score) && score > 0)).toBe(true);
  });

  test("keeps scores finite under any boosts of fields", async () => {
    const searcher = await searcherOf([{ title: "xyz" }, { title: "xyy y" }]);
    const fields = [{ field: "title", boost: 1e300 }];
    const key = [{ term: "k", position: 0 }];
    const queries: readonly Query[] = [
      { kind: "fuzzy", term: "xyz", maxDistance: 1, fields },
      { kind: "fuzzy_prefix", prefix: "xy", maxDistance: 1, fields },
      {
        kind: "synonyms",
        query: { kind: "fuzzy", term: "xyz", maxDistance: 1, fields },
        alternatives: [{ key, terms: [[{ term: "y", position: 0 }]] }],
        fields,
      },
    ];
    for (const query of queries) {
      const { hits } = searcher.search({ query, offset: 0, limit: 9 });
      expect(hits).toHaveLength(2);
      expect(hits.every(({ score }) => Number.isFinite(score))).toBe(true);
    }
  });

  test.each<[string, Partial<SearchOptions>, string]>([
    ["unknown field", { query: { kind: "term", field: "none", term: "x" } }, "unknown_field"],
    ["term in a keyword", { query: { kind: "term", field: "id", term: "x" } }, "invalid_request"],
    [
      "range over text",
      { query: { kind: "value_range", field: "title", lower: null, upper: null } },
      "invalid_request",
    ],
    [
      "value of another kind",
      { query: { kind: "value_set", field: "year", values: ["x"] } },
      "invalid_field_value",
    ],
    ["exists on opaque", { query: { kind: "exists", field: "blob" } }, "invalid_request"],
    [
      "order by a list",
      { orderBy: [{ kind: "field", field: "tags", descending: true }] },
      "invalid_order_by",
    ],
    [
      "order by a facet",
      { orderBy: [{ kind: "field", field: "category", descending: true }] },
      "invalid_order_by",
    ],
    [
      "order by nothing known",
      { orderBy: [{ kind: "field", field: "none", descending: true }] },
      "unknown_field",
    ],
    ["facets of text", { facets: ["title"] }, "invalid_request"],
    ["facets of nothing known", { facets: ["none"] }, "unknown_field"],
    ["decay by a number", { timeDecay: { field: "year", nowSeconds: 0, ratePerDay: 1 } }, "invalid_request"],
    [
      "decay by nothing known",
      { timeDecay: { field: "none", nowSeconds: 0, ratePerDay: 1 } },
      "unknown_field",
    ],
  ])("refuses %s, whether or not there are documents", async (_, options, code) => {
    for (const searcher of [new Searcher([], schema), await searcherOf([{ title: "x" }])]) {
      const search = (): unknown => searcher.search({ query: all, offset: 0, limit: 1, ...options });
      expect(search).toThrow(FindlingError);
      expect(search).toThrow(expect.objectContaining({ code }));
    }
  });
});

describe("a prefix or range over very many terms", () => {
  test("matches every document once", async () => {
    const documents = Array.from({ length: 300 }, (_, i) => ({
      title: Array.from({ length: 60 }, (_, j) => `w${i * 60 + j}`).join(" "),
    }));
    const searcher = await searcherOf([{ title: "x" }, ...documents]);
    expect(searcher.count({ kind: "prefix", field: "title", prefix: "w" })).toBe(300);
    expect(
      searcher.count({
        kind: "term_range",
        field: "title",
        lower: { value: "w", inclusive: true },
        upper: null,
      }),
    ).toBe(301);
  });
});

describe("facets of all documents", () => {
  const options: SearchOptions = { query: all, offset: 0, limit: 2, facets: ["category"] };

  test("are counted once for a snapshot, whatever is shown beside them", async () => {
    const documents = ["/a", "/b/c", "/a", "/b", "/a/d"].map((category, year) => ({ category, year }));
    const searcher = await searcherOf(documents, [0, 0, 1]);
    const first = searcher.rank(options);
    const again = searcher.rank(options);
    expect(again.facets[0]!.counts).toBe(first.facets[0]!.counts);
    expect(again.facets[0]!.nodes).toEqual([
      { path: "/a", count: 3, children: [{ path: "/a/d", count: 1 }] },
      { path: "/b", count: 2, children: [{ path: "/b/c", count: 1 }] },
    ]);
    expect(searcher.search(options)).toEqual((await searcherOf(documents, [0, 0, 1])).search(options));
    expect(searcher.search({ ...options, limit: 0 })).toMatchObject({ count: 5, hits: [] });
    const byYear: SearchOptions = {
      ...options,
      orderBy: [{ kind: "field", field: "year", descending: true }],
    };
    const { count, hits, facets } = searcher.search(byYear);
    expect(hits.map(({ documentId }) => documentId)).toEqual([idOf(4), idOf(3)]);
    expect({ count, facets }).toEqual({ count: 5, facets: searcher.search(options).facets });
    expect(() => searcher.search({ ...options, facets: ["category", "title"] })).toThrow(/only facets/);
  });
});
