// Contract 3.4: the search body, its answer, and its errors. Matching and ranking have tests of their own.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
const DOCUMENTS = [
  {
    id: "1",
    title: "Human World",
    year: 2001,
    kind: "/fiction/space",
    active: true,
    tags: ["a", "b"],
    at: "2024-01-02T03:04:05Z",
  },
  {
    id: "2",
    title: "The human condition",
    year: 1999,
    kind: "/fiction",
    active: false,
    at: "2023-01-01T00:00:00Z",
  },
  { id: "3", title: "World atlas", year: 2020, kind: "/news", active: true },
  { id: "4", title: "Engine of the world", kind: ["/fiction/space"], active: true },
  { id: "5", title: 'Quotes " \\ and ünïcödé 😀', year: 2010 },
];
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books", {
    fields: {
      id: { type: "text", indexed: false },
      title: { type: "text" },
      year: { type: "u64" },
      kind: { type: "facet" },
      active: { type: "bool" },
      tags: { type: "text", multi: true },
      at: { type: "datetime" },
      slow: { type: "u64", fast: false },
      unindexed: { type: "text", indexed: false },
      shade: { type: "facet", multi: true },
    },
  });
  await server.createIndex("plain");
  await server.addCommitted("books", DOCUMENTS);
});
afterAll(() => server.stopAndRemove());

const search = (body: unknown, index = "books"): Promise<WireAnswer> =>
  server.post(`/index/${index}/search`, body, READ);
const exact = (ctx: string) => ({ exact: { ctx } });
const ids = (answer: WireAnswer): string[] => {
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
};

describe("the answer", () => {
  test("is {status, data} with hits, count, time_taken and facets", async () => {
    const { json, headers } = await search({ query: exact("title:human AND year:2001") });
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(json).toEqual({
      status: 200,
      data: {
        hits: [
          {
            doc: {
              id: "1",
              title: "Human World",
              year: 2001,
              kind: "/fiction/space",
              active: true,
              tags: ["a", "b"],
              at: "2024-01-02T03:04:05Z",
            },
            document_id: expect.stringMatching(/^[0-9a-f]{32}$/),
            score: expect.any(Number),
            source_index: "books",
          },
        ],
        count: 1,
        time_taken: expect.any(Number),
        facets: [
          { kind: [{ path: "/fiction", count: 1, children: [{ path: "/fiction/space", count: 1 }] }] },
          { shade: [] },
        ],
      },
    });
    expect(json.data.hits[0].score).toBeGreaterThan(0);
  });

  test("gives documents back exactly, whatever characters are in them", async () => {
    const { json } = await search({ query: exact("id:5") });
    expect(json.data.hits[0].doc).toEqual({ id: "5", title: 'Quotes " \\ and ünïcödé 😀', year: 2010 });
  });

  test("document_id is what GET by id takes; _id is not inside doc", async () => {
    const { json } = await search({ query: exact("id:1") });
    const [hit] = json.data.hits;
    expect(hit.doc).not.toHaveProperty("_id");
    const key = "ingest-key-of-the-tests";
    expect((await server.get(`/index/books/documents/${hit.document_id}`, key)).json.data.doc).toEqual(
      hit.doc,
    );
  });

  test("count is all matches, not the page; facets count all matches too", async () => {
    const { data } = (await search({ query: exact("*"), limit: 2, offset: 1 })).json;
    expect(data.hits).toHaveLength(2);
    expect(data.count).toBe(5);
    expect(data.facets[0]).toEqual({
      kind: [
        { path: "/fiction", count: 3, children: [{ path: "/fiction/space", count: 2 }] },
        { path: "/news", count: 1 },
      ],
    });
  });

  test("limit 0 gives only count and facets; an offset beyond the end the same count and no hits", async () => {
    expect((await search({ query: exact("*"), limit: 0 })).json.data).toMatchObject({ hits: [], count: 5 });
    expect((await search({ query: exact("*"), offset: 1_000_000 })).json.data).toMatchObject({
      hits: [],
      count: 5,
    });
  });

  test("facets only where the index has facet fields", async () => {
    expect((await search({ query: exact("*") }, "plain")).json.data).not.toHaveProperty("facets");
    const none = (await search({ query: exact("title:nothing") })).json.data;
    expect(none).toMatchObject({ hits: [], count: 0, facets: [{ kind: [] }, { shade: [] }] });
  });

  test("time_taken is in seconds, above 0, and practically unique", async () => {
    const taken = new Set<number>();
    for (let round = 0; round < 50; round++) {
      const { time_taken: seconds } = (await search({ query: exact("*") })).json.data;
      expect(seconds).toBeGreaterThan(0);
      expect(seconds).toBeLessThan(30);
      taken.add(seconds);
    }
    expect(taken.size).toBe(50);
  });
});

describe("query", () => {
  test("is one clause, several, or a string, which is fuzzy", async () => {
    expect(ids(await search({ query: { fuzzy: { ctx: "humen" } } })).toSorted()).toEqual(["1", "2"]);
    expect(ids(await search({ query: "humen" })).toSorted()).toEqual(["1", "2"]);
    expect(ids(await search({ query: { dynamic: { ctx: "human wrld" } } }))).toEqual(["1"]);
    const both = [
      { occur: "must", ...exact("active:true") },
      { occur: "must", ...exact("human") },
    ];
    expect(ids(await search({ query: both }))).toEqual(["1"]);
  });

  test("without must, one should must match; with must, should only scores", async () => {
    expect(ids(await search({ query: [exact("atlas"), exact("condition")] })).toSorted()).toEqual(["2", "3"]);
    const boosted = await search({
      query: [{ occur: "must", ...exact("world") }, { fuzzy: { ctx: "engine" } }],
    });
    expect(ids(boosted)[0]).toBe("4");
    expect(boosted.json.data.count).toBe(3);
  });

  test("minimum_number_should_match", async () => {
    const query = [exact("human"), exact("world"), exact("atlas")];
    const matching = async (minimum: number) =>
      ids(await search({ query, minimum_number_should_match: minimum })).toSorted();
    expect(await matching(0)).toEqual(["1", "2", "3", "4"]);
    expect(await matching(2)).toEqual(["1", "3"]);
    expect(await matching(3)).toEqual([]);
    expectError(
      await search({ query, minimum_number_should_match: 4 }),
      400,
      "minimum_should_match_too_large",
    );
    expectError(
      await search({ query: exact("x"), minimum_number_should_match: 2 }),
      400,
      "minimum_should_match_too_large",
    );
    expectError(
      await search({ query: { occur: "must", ...exact("x") }, minimum_number_should_match: 1 }),
      400,
      "minimum_should_match_too_large",
    );
    for (const minimum of [-1, 1.5, "1", true]) {
      expectError(await search({ query, minimum_number_should_match: minimum }), 400);
    }
  });

  test("a top-level occur fills in the one of a single query object", async () => {
    expectError(
      await search({ query: exact("x"), occur: "must", minimum_number_should_match: 1 }),
      400,
      "minimum_should_match_too_large",
    );
    expect(
      (await search({ query: exact("x"), occur: "should", minimum_number_should_match: 1 })).status,
    ).toBe(200);
  });

  test("an empty or blank ctx matches nothing", async () => {
    for (const ctx of ["", "  \t\n"]) {
      for (const mode of ["fuzzy", "exact", "dynamic"]) {
        expect((await search({ query: { [mode]: { ctx } } })).json.data).toMatchObject({
          hits: [],
          count: 0,
        });
      }
    }
  });

  test("a search of only stopwords succeeds with nothing", async () => {
    expect((await search({ query: { fuzzy: { ctx: "the" } } })).json.data.count).toBe(0);
    expect((await search({ query: exact("the") })).json.data.count).toBe(0);
  });

  test("64 clauses are the most, 10 000 characters the longest ctx", async () => {
    const clauses = (length: number) => Array.from({ length }, () => exact("x"));
    expect((await search({ query: clauses(64) })).status).toBe(200);
    expectError(await search({ query: clauses(65) }), 400);
    expect((await search({ query: { fuzzy: { ctx: "𝄞".repeat(10_000) } } })).status).toBe(200);
    expectError(await search({ query: { fuzzy: { ctx: "𝄞".repeat(10_001) } } }), 400);
    expectError(await search({ query: exact(`${"(".repeat(200)}x${")".repeat(200)}`) }), 400);
  });
});

describe("limit, offset, order", () => {
  test("limit defaults to 20 and goes up to 200", async () => {
    await server.createIndex("many");
    await server.addCommitted(
      "many",
      Array.from({ length: 30 }, (_, id) => ({ id: String(id) })),
    );
    expect((await search({ query: exact("*") }, "many")).json.data.hits).toHaveLength(20);
    expect(
      (await search({ query: exact("*"), limit: null, offset: null }, "many")).json.data.hits,
    ).toHaveLength(20);
    expect((await search({ query: exact("*"), limit: 200 }, "many")).json.data.hits).toHaveLength(30);
    expectError(await search({ query: exact("*"), limit: 201 }, "many"), 400, "limit_too_large");
    expectError(await search({ query: exact("*"), limit: 1e15 }, "many"), 400, "limit_too_large");
  });

  test.each([-1, 1.5, "5", true, [], {}])("limit and offset refuse %j", async (value) => {
    expectError(await search({ query: exact("*"), limit: value }), 400);
    expectError(await search({ query: exact("*"), offset: value }), 400);
  });

  test("order_by sorts descending by default, documents without a value last both ways, scores 1", async () => {
    const by = async (order: object) => ids(await search({ query: exact("*"), ...order }));
    expect(await by({ order_by: "year" })).toEqual(["3", "5", "1", "2", "4"]);
    expect(await by({ order_by: "year", sort: "asc" })).toEqual(["2", "1", "5", "3", "4"]);
    expect(await by({ sort: "year:asc" })).toEqual(["2", "1", "5", "3", "4"]);
    expect(await by({ order_by: "title", sort: "asc" })).toEqual(["4", "1", "5", "2", "3"]);
    const { hits } = (await search({ query: exact("human"), order_by: "year" })).json.data;
    expect(hits.map((hit: { score: number }) => hit.score)).toEqual([1, 1]);
    // A field in sort wins over order_by; a direction without a field means nothing.
    expect(await by({ order_by: "title", sort: "year:asc" })).toEqual(["2", "1", "5", "3", "4"]);
    const ranked = await search({ query: exact("title:world title:atlas") });
    const directed = await search({ query: exact("title:world title:atlas"), sort: "asc" });
    expect(directed.json.data.hits).toEqual(ranked.json.data.hits);
    const absent = await search({ query: exact("*"), order_by: "" });
    expect((await search({ query: exact("*"), order_by: null })).json.data.hits).toEqual(
      absent.json.data.hits,
    );
  });

  test.each(["tags", "kind", "slow", "nope", "_id", "toString"])("order_by refuses %s", async (field) => {
    expectError(await search({ query: exact("*"), order_by: field }), 400, "invalid_order_by");
  });

  test.each(["up", "ASC", "year:up", 1, {}])("sort refuses %j", async (sort) => {
    expectError(await search({ query: exact("*"), order_by: "year", sort }), 400);
  });
});

describe("errors", () => {
  test.each<[unknown]>([
    [undefined],
    [{}],
    [[]],
    ["text"],
    [{ query: null }],
    [{ query: 5 }],
    [{ query: [] }],
    [{ query: [[]] }],
    [{ query: [null] }],
    [{ query: {} }],
    [{ query: { fuzzy: "text" } }],
    [{ query: { fuzzy: {} } }],
    [{ query: { fuzzy: { ctx: 5 } } }],
    [{ query: { fuzzy: { ctx: null } } }],
    [{ query: { fuzzy: { ctx: ["x"] } } }],
    [{ query: { wild: { ctx: "x" } } }],
    [{ query: { fuzzy: { ctx: "x" }, exact: { ctx: "x" } } }],
    [{ query: { fuzzy: { ctx: "x" }, occur: "never" } }],
    [{ query: { fuzzy: { ctx: "x" }, occur: 1 } }],
    [{ query: { fuzzy: { ctx: "x" } }, occur: "never" }],
  ])("malformed: %j", async (body) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    expectError(
      await server.send("POST", "/index/books/search", { key: READ, body: text }),
      400,
      "invalid_request",
    );
  });

  test.each([
    ["title:", "query_syntax"],
    ["a AND", "query_syntax"],
    ["(a", "query_syntax"],
    ['"open', "query_syntax"],
    ["a*b", "query_syntax"],
    ["year:[1 TO", "query_syntax"],
    ["nope:x", "unknown_field"],
    ["toString:x", "unknown_field"],
    ["__proto__:x", "unknown_field"],
    ["unindexed:x", "field_not_indexed"],
    ["year:many", "invalid_field_value"],
    ["active:perhaps", "invalid_field_value"],
    ["at:someday", "invalid_field_value"],
  ] as const)("%s is 400 %s", async (ctx, code) => {
    expectError(await search({ query: exact(ctx) }), 400, code);
  });

  test("a syntax error gives the character position", async () => {
    expect((await search({ query: exact("abc AND )") })).json.message).toMatch(/\d/);
  });

  test("404 for a missing index", async () => {
    expectError(await search({ query: "x" }, "none"), 404, "index_not_found");
  });

  test("client-made inputs that must work (5.5)", async () => {
    for (const ctx of [
      "active:false AND year:>9",
      "year:[6 TO 9]",
      "year:{10 TO 100}",
      "tags:IN [evolution colonization]",
      "kind:/science-fiction",
      "at:[2024-01-01T00:00:00.000Z TO 2024-12-31T00:00:00.000Z]",
      "at:>=2024-06-01T00:00:00.000Z",
      "active:true AND year:[10 TO 100] AND tags:IN [electronics computers] -discontinued",
      "(tags:tech OR tags:science) AND year:>4",
      '"exact phrase"',
      "kind: IN [/sports /news/local]",
      '"he said "x""',
      "*",
    ]) {
      expect((await search({ query: exact(ctx) })).status, ctx).toBe(200);
    }
  });
});
