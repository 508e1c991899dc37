// Contract 5.8 and 3.4 over HTTP: a federation is searched as one index, each member by its own settings.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/errors/index.js";
import { expectError } from "./expect-error.js";
import { INGEST, READ, type WireAnswer, WireServer } from "./wire-server.js";

const BOOKS = {
  id: { type: "text" },
  title: { type: "text" },
  year: { type: "u64" },
  category: { type: "facet", multi: true },
  published: { type: "datetime" },
};
const FILMS = {
  id: { type: "text" },
  title: { type: "text" },
  year: { type: "f64" },
  category: { type: "facet", multi: true },
  mood: { type: "facet" },
  director: { type: "text" },
};
/** No year, no facets; texts in a field of another name. */
const NOTES = { id: { type: "text" }, text: { type: "text" }, published: { type: "text" } };

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books", { fields: BOOKS });
  await server.createIndex("films", { fields: FILMS });
  await server.createIndex("notes", { fields: NOTES });
  await server.addCommitted("books", [
    { id: "b1", title: "winter tale", year: 1623, category: ["/drama/comedy"], published: "1623-11-08" },
    { id: "b2", title: "a tale of two cities", year: 1859, category: ["/novel"] },
    { id: "b3", title: "zebra", category: ["/novel", "/drama"] },
  ]);
  await server.addCommitted("films", [
    { id: "f1", title: "winter light", year: 1963, category: ["/drama"], mood: "/dark", director: "bergman" },
    { id: "f2", title: "the winter of our discontent", year: 1859.5, category: ["/novel/american"] },
  ]);
  await server.addCommitted("notes", [
    { id: "n1", text: "buy winter tyres", published: "1623-11-08" },
    { id: "n2", text: "a tale to tell" },
  ]);
  await federation("all", { books: 1, films: 1, notes: 1 });
  await federation("shop", { books: 1, films: 1 });
});
afterAll(() => server.stopAndRemove());

async function federation(name: string, members: Readonly<Record<string, number>>): Promise<void> {
  const answer = await server.post("/federation", {
    name,
    index_configurations: Object.entries(members).map(([index, weight_multiplier]) => ({
      name: index,
      weight_multiplier,
    })),
  });
  expect(answer.status, answer.text).toBe(200);
}

function search(name: string, body: unknown, key?: string): Promise<WireAnswer> {
  return server.post(`/federation/${name}/search`, body, key);
}

interface Hit {
  readonly doc: { readonly id: string };
  readonly document_id: string;
  readonly score: number;
  readonly source_index: string;
}

async function hitsOf(name: string, body: object): Promise<readonly Hit[]> {
  const answer = await search(name, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits;
}

async function idsOf(name: string, body: object): Promise<readonly string[]> {
  return (await hitsOf(name, body)).map(({ doc }) => doc.id);
}

async function exactIdsOf(name: string, ctx: string): Promise<readonly string[]> {
  return (await idsOf(name, { query: { exact: { ctx } } })).toSorted();
}

describe("an answer", () => {
  test("has the shape of any search, with each hit's index and internal id", async () => {
    const answer = await search("all", { query: { fuzzy: { ctx: "wintr" } } });
    expect(answer.headers["content-type"]).toBe("application/json; charset=utf-8");
    expect(Object.keys(answer.json)).toEqual(["status", "data"]);
    const { hits, count, time_taken, facets } = answer.json.data;
    expect(count).toBe(4);
    expect(time_taken).toBeGreaterThan(0);
    expect(facets.map((facet: object) => Object.keys(facet))).toEqual([["category"], ["mood"]]);
    for (const hit of hits as Hit[]) {
      expect(Object.keys(hit)).toEqual(["doc", "document_id", "score", "source_index"]);
      expect(hit.source_index[0]).toBe(hit.doc.id[0]);
      const read = await server.get(`/index/${hit.source_index}/documents/${hit.document_id}`);
      expect(read.json.data.id).toBe(hit.doc.id);
    }
  });

  test("pages over the merged list; the count stays", async () => {
    const query = { exact: { ctx: "*" } };
    const all = await hitsOf("all", { query });
    expect(all).toHaveLength(7);
    for (const [offset, limit] of [
      [0, 3],
      [3, 3],
      [6, 3],
      [7, 3],
      [2, 0],
      [1_000_000, 5],
    ] as const) {
      const { data } = (await search("all", { query, offset, limit })).json;
      expect([data.hits, data.count]).toEqual([all.slice(offset, offset + limit), 7]);
    }
  });

  test("breaks ties by the order of the indexes, then by that of insertion", async () => {
    await federation("turned", { notes: 1, books: 1, films: 1 });
    const body = { query: { exact: { ctx: "*" } } };
    expect(await idsOf("all", body)).toEqual(["b1", "b2", "b3", "f1", "f2", "n1", "n2"]);
    expect(await idsOf("turned", body)).toEqual(["n1", "n2", "b1", "b2", "b3", "f1", "f2"]);
  });

  test("shows committed documents only, of every index at once", async () => {
    await server.createIndex("late");
    await federation("growing", { books: 1, late: 1 });
    await server.post("/index/late/documents", [{ id: "l1", title: "zebra" }]);
    const body = { query: { exact: { ctx: "zebra" } } };
    expect(await idsOf("growing", body)).toEqual(["b3"]);
    await server.post("/index/late/commit");
    expect((await idsOf("growing", body)).toSorted()).toEqual(["b3", "l1"]);
    await server.delete("/index/late");
  });
});

describe("facets", () => {
  test("are merged by field and path, counts added, most frequent first", async () => {
    const answer = await search("all", { query: { exact: { ctx: "*" } }, limit: 0 });
    expect(answer.json.data.facets).toEqual([
      {
        category: [
          { path: "/drama", count: 3, children: [{ path: "/drama/comedy", count: 1 }] },
          { path: "/novel", count: 3, children: [{ path: "/novel/american", count: 1 }] },
        ],
      },
      { mood: [{ path: "/dark", count: 1 }] },
    ]);
  });

  test("are named without nodes where the matches or the indexes left have none", async () => {
    const facetsOf = async (ctx: string) =>
      (await search("all", { query: { exact: { ctx } } })).json.data.facets;
    expect(await facetsOf("nothing-like-it")).toEqual([{ category: [] }, { mood: [] }]);
    expect(await facetsOf("text:tale")).toEqual([{ category: [] }, { mood: [] }]);
    expect(await facetsOf("nowhere:1")).toEqual([{ category: [] }, { mood: [] }]);
  });

  test("are left out where no index has any", async () => {
    await federation("plain", { notes: 1 });
    expect((await search("plain", { query: "tale" })).json.data).not.toHaveProperty("facets");
  });
});

describe("an index that lacks what the query names", () => {
  test.each<[string, readonly string[]]>([
    ["director:bergman", ["f1"]],
    ["director:bergman OR title:tale", ["f1"]],
    ["title:tale", ["b1", "b2"]],
    ["tale", ["b1", "b2", "n2"]],
    ["title:tale OR text:tale", []],
    ["category:/drama", ["b1", "b3", "f1"]],
    ["mood:/dark", ["f1"]],
    ["winter AND -category:/novel", ["b1", "f1"]],
    ["year:>=1859", ["b2", "f1", "f2"]],
    ["year:*", ["b1", "b2", "f1", "f2"]],
    ["published:1623-11-08T00:00:00Z", ["b1"]],
    ["nowhere:x", []],
    ["*", ["b1", "b2", "b3", "f1", "f2", "n1", "n2"]],
  ])("is left out: %s", async (ctx, expected) => {
    expect(await exactIdsOf("all", ctx)).toEqual(expected);
  });

  test("is left out as a whole, also where the clause is only one of several that should match", async () => {
    const query = [{ exact: { ctx: "director:bergman" } }, { fuzzy: { ctx: "tale" } }];
    expect(await idsOf("all", { query })).toEqual(["f1"]);
  });

  test("is not left out by plain text that looks like a field", async () => {
    for (const mode of ["fuzzy", "dynamic"]) {
      const query = { [mode]: { ctx: "director:tale winter cities zebra" } };
      expect((await idsOf("all", { query })).length, mode).toBeGreaterThan(0);
    }
  });

  test("is left out by an order as well", async () => {
    const body = { query: { exact: { ctx: "*" } }, order_by: "year", sort: "asc" };
    expect(await idsOf("all", body)).toEqual(["b1", "b2", "f2", "f1", "b3"]);
    expect(await idsOf("all", { ...body, order_by: "nowhere" })).toEqual([]);
  });

  test("leaves no hits if none is left, and that is a success", async () => {
    const answer = await search("shop", { query: { exact: { ctx: "text:tale" } } });
    expect(answer.json).toMatchObject({ status: 200, data: { hits: [], count: 0 } });
    expect(answer.json.data.time_taken).toBeGreaterThan(0);
  });
});

describe("a value that does not fit", () => {
  test("leaves out the index whose field takes no such value", async () => {
    expect(await exactIdsOf("all", "published:november")).toEqual([]);
    expect(await exactIdsOf("all", 'published:"1623 11"')).toEqual(["n1"]);
    expect(await exactIdsOf("shop", "year:1859.5")).toEqual(["f2"]);
  });

  test("is an error where no index takes it", async () => {
    for (const name of ["all", "shop"]) {
      expectError(await search(name, { query: { exact: { ctx: "year:soon" } } }), 400, "invalid_field_value");
    }
  });

  test.each<[object, ErrorCode]>([
    [{ query: { exact: { ctx: "tale AND" } } }, "query_syntax"],
    [{ query: { exact: { ctx: "director:(" } } }, "query_syntax"],
    [{ query: [{ exact: { ctx: "nowhere:1" } }, { exact: { ctx: "(" } }] }, "query_syntax"],
    [{ query: "x", limit: 201 }, "limit_too_large"],
    [{ query: "x", limit: -1 }, "invalid_request"],
    [{ query: "x", minimum_number_should_match: 2 }, "minimum_should_match_too_large"],
    [{ query: [] }, "invalid_request"],
    [{}, "invalid_request"],
    [{ query: { exact: { ctx: "*" } }, order_by: "category" }, "invalid_order_by"],
  ])("and other mistakes are errors as in one index: %j", async (body, code) => {
    expectError(await search("all", body), 400, code);
  });

  test("existence comes before validation", async () => {
    expectError(await search("none", { query: 7 }), 404, "federation_not_found");
    expectError(await server.post("/federation/none/search"), 404, "federation_not_found");
  });
});

describe("an order", () => {
  test("merges numbers of different types by value, missing ones last both ways", async () => {
    const query = { exact: { ctx: "*" } };
    expect(await idsOf("shop", { query, order_by: "year", sort: "asc" })).toEqual([
      "b1",
      "b2",
      "f2",
      "f1",
      "b3",
    ]);
    expect(await idsOf("shop", { query, order_by: "year" })).toEqual(["f1", "f2", "b2", "b1", "b3"]);
    expect(await idsOf("shop", { query, order_by: "year", offset: 1, limit: 2 })).toEqual(["f2", "b2"]);
  });

  test("merges texts, scores all 1, and weights have no part in it", async () => {
    await federation("lopsided", { books: 0, films: 50 });
    const body = { query: { exact: { ctx: "*" } }, order_by: "title", sort: "asc" };
    const hits = await hitsOf("lopsided", body);
    expect(hits.map(({ doc }) => doc.id)).toEqual(["b2", "f2", "f1", "b1", "b3"]);
    expect(hits.map(({ score }) => score)).toEqual([1, 1, 1, 1, 1]);
  });
});

describe("weights", () => {
  test("multiply the scores of an index's hits", async () => {
    const query = { exact: { ctx: "winter" } };
    const plain = new Map((await hitsOf("shop", { query })).map((hit) => [hit.doc.id, hit.score]));
    await federation("weighted", { books: 3, films: 0.5 });
    for (const { doc, score } of await hitsOf("weighted", { query })) {
      expect(score).toBeCloseTo(plain.get(doc.id)! * (doc.id.startsWith("b") ? 3 : 0.5), 5);
    }
    await federation("filmed", { books: 1, films: 100 });
    const sources = (await hitsOf("filmed", { query })).map((hit) => hit.source_index);
    expect(sources).toEqual(["films", "films", "books"]);
  });

  test("of 0 keep an index's hits, behind the others and in the order of insertion", async () => {
    await federation("muted", { films: 0, books: 1 });
    const body = { query: { exact: { ctx: "winter" } } };
    const hits = await hitsOf("muted", body);
    expect(hits.map(({ doc }) => doc.id)).toEqual(["b1", "f1", "f2"]);
    expect(hits.slice(1).map(({ score }) => score)).toEqual([0, 0]);
    expect(await idsOf("muted", { ...body, offset: 1, limit: 1 })).toEqual(["f1"]);
  });
});

describe("members that the body names", () => {
  const query = { exact: { ctx: "winter OR tale" } };
  const asked = (members: object): object => ({ query, index_configurations: members });

  test("are searched in place of the federation's own, as a federation of them is", async () => {
    await federation("other", { notes: 5, films: 0 });
    const members = [
      { name: "notes", weight_multiplier: 5 },
      { name: "films", weight_multiplier: 0 },
    ];
    expect(await hitsOf("shop", asked(members))).toEqual(await hitsOf("other", { query }));
    await federation("other", { books: 1 });
    expect(await hitsOf("shop", asked([{ name: "books" }]))).toEqual(await hitsOf("other", { query }));
    const saved = await server.get("/federation/shop");
    expect(saved.json.data.index_configurations.map(({ name }: { name: string }) => name)).toEqual([
      "books",
      "films",
    ]);
  });

  test("are those of a cursor's next pages too", async () => {
    const first = await search("shop", { ...asked([{ name: "notes" }]), cursor: true, limit: 1 });
    const next = await search("shop", { cursor: first.json.data.cursor });
    const sources = [first, next].flatMap(({ json }) => json.data.hits.map((hit: Hit) => hit.source_index));
    expect(sources).toEqual(["notes", "notes"]);
  });

  test.each<[unknown, string]>([
    [[], "index_configurations"],
    [{ books: 1 }, "index_configurations"],
    [["books"], "index_configurations[0]"],
    [[{ name: 1 }], "index_configurations[0]"],
    [[{ name: "books" }, { name: "books" }], "index_configurations[1].name"],
    [[{ name: "books", weight_multiplier: -1 }], "index_configurations[0].weight_multiplier"],
    [[{ name: "books", weight_multiplier: 101 }], "index_configurations[0].weight_multiplier"],
    [[{ name: "books", weight_multiplier: "2" }], "index_configurations[0].weight_multiplier"],
  ])("%j is refused by its place", async (members, place) => {
    const answer = await search("shop", asked(members as object));
    expectError(answer, 400, "invalid_request");
    expect(answer.text).toContain(`'${place}'`);
  });

  test("have to be there, and are no members of an index", async () => {
    expectError(await search("shop", asked([{ name: "none" }])), 404, "index_not_found");
    const answer = await server.post("/index/books/search", asked([{ name: "books" }]));
    expectError(answer, 400, "invalid_request");
    expect(answer.text).toContain("index_configurations");
  });
});

describe("each index's own settings", () => {
  test("search fields, stopwords and synonyms", async () => {
    await server.createIndex("strict", { exclude_stop_words: false });
    await server.createIndex("loose", {
      fields: { id: { type: "text" }, title: { type: "text" }, body: { type: "text" } },
      search_fields: ["body"],
    });
    await server.addCommitted("strict", [{ id: "s1", title: "to be or not to be" }]);
    await server.addCommitted("loose", [{ id: "l1", title: "to be", body: "big apple" }]);
    await federation("mixed", { strict: 1, loose: 1 });
    expect(await exactIdsOf("mixed", "be")).toEqual(["s1"]);
    expect(await exactIdsOf("mixed", "title:be")).toEqual(["s1"]);
    expect(await exactIdsOf("mixed", "apple")).toEqual(["l1"]);
    expect((await server.post("/index/strict/stopwords", ["not"])).status).toBe(200);
    expect(await exactIdsOf("mixed", "be")).toEqual(["s1"]);
  });

  test("time decay, from one moment", async () => {
    const daysAgo = (days: number) => Math.round(Date.now() / 1000 - days * 86_400);
    const fields = { id: { type: "text" }, title: { type: "text" }, at: { type: "datetime" } };
    await server.createIndex("fading", { fields, time_decay_field: "at" });
    await server.createIndex("lasting", { fields });
    await server.addCommitted("fading", [{ id: "d1", title: "story", at: daysAgo(30) }]);
    await server.addCommitted("lasting", [{ id: "d2", title: "story", at: daysAgo(30) }]);
    await federation("aging", { fading: 1, lasting: 1 });
    const hits = await hitsOf("aging", { query: { exact: { ctx: "story" } } });
    expect(hits.map(({ doc }) => doc.id)).toEqual(["d2", "d1"]);
    expect(hits[1]!.score / hits[0]!.score).toBeCloseTo(0.74, 2);
  });

  test("weights of fields", async () => {
    await server.createIndex("heavy", { weight_multipliers: { title: 4 } });
    await server.createIndex("light");
    for (const name of ["heavy", "light"]) await server.addCommitted(name, [{ id: name, title: "feather" }]);
    await federation("scales", { light: 1, heavy: 1 });
    const hits = await hitsOf("scales", { query: { exact: { ctx: "feather" } } });
    expect(hits.map(({ doc }) => doc.id)).toEqual(["heavy", "light"]);
    expect(hits[0]!.score / hits[1]!.score).toBeCloseTo(4, 5);
  });
});

describe("statistics of the whole federation", () => {
  test("rank a word by how rare it is in all indexes, not in its own", async () => {
    await server.createIndex("rare");
    await server.createIndex("common");
    await server.addCommitted("rare", [{ id: "r1", title: "alpha" }, ...filler("r", "omega", 9)]);
    await server.addCommitted("common", [{ id: "c1", title: "omega" }, ...filler("c", "alpha", 99)]);
    await federation("both", { rare: 1, common: 1 });
    const scoreOf = async (word: string, id: string) => {
      const hits = await hitsOf("both", { query: { exact: { ctx: word } }, limit: 200 });
      return hits.find(({ doc }) => doc.id === id)!.score;
    };
    // Alone, 'alpha' would be the rare word of its index.
    expect(await scoreOf("alpha", "r1")).toBeCloseTo(await scoreOf("alpha", "c-1"), 6);
    expect(await scoreOf("omega", "c1")).toBeGreaterThan(await scoreOf("alpha", "r1"));
  });

  test("let no index's edits outrank another's exact word, whatever fields they search", async () => {
    await server.createIndex("typos");
    await server.createIndex("words", { fields: { id: { type: "text" }, body: { type: "text" } } });
    await server.addCommitted("typos", [{ id: "t1", title: "telescope" }, ...filler("t", "other", 50)]);
    await server.addCommitted("words", filler("w", "telescopes and more words to read", 5));
    await federation("sky", { typos: 1, words: 1 });
    const ids = await idsOf("sky", { query: { fuzzy: { ctx: "telescopes" } } });
    expect(ids).toHaveLength(6);
    expect(ids.at(-1)).toBe("t1");
  });

  test("decide in dynamic mode whether a word occurs at all", async () => {
    await server.createIndex("east");
    await server.createIndex("west", { fields: { id: { type: "text" }, body: { type: "text" } } });
    await server.addCommitted("east", [{ id: "e1", title: "lamp" }]);
    await server.addCommitted("west", [{ id: "w1", body: "blue lamp" }]);
    await federation("compass", { east: 1, west: 1 });
    await federation("easter", { east: 1 });
    const body = { query: { dynamic: { ctx: "blue table lamp" } } };
    // 'blue' is nowhere in the east alone, so there it need not match; in the federation it must.
    expect(await idsOf("easter", body)).toEqual(["e1"]);
    expect(await idsOf("compass", body)).toEqual(["w1"]);
  });
});

function filler(prefix: string, text: string, count: number): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({ id: `${prefix}-${i}`, title: text, body: text }));
}

test("deleted indexes are skipped, and a federation of nothing else finds nothing", async () => {
  await server.createIndex("passing");
  await server.addCommitted("passing", [{ id: "p1", title: "zebra" }]);
  await federation("fragile", { passing: 1, books: 1 });
  await federation("hollow", { passing: 1 });
  const body = { query: { exact: { ctx: "zebra" } } };
  expect(await idsOf("fragile", body)).toEqual(["p1", "b3"]);
  await server.delete("/index/passing");
  expect(await idsOf("fragile", body)).toEqual(["b3"]);
  const answer = await search("hollow", body);
  expect(answer.json.data).toEqual({ hits: [], count: 0, time_taken: expect.any(Number) });
  for (const ctx of ["title:", "(a", "a AND", "x:[1 TO", "a:b:c d:", '"a']) {
    expectError(await search("hollow", { query: { exact: { ctx } } }), 400, "query_syntax");
  }
  // However the fields of indexes that are gone would have read their values.
  for (const ctx of ["at:2024-01-01T00:00:00Z n:-5", "n:(-5) title:red shoes AND at:>2024-01-01T00:00:00Z"]) {
    expect((await search("hollow", { query: { exact: { ctx } } })).status).toBe(200);
  }
  await server.createIndex("passing");
  await server.addCommitted("passing", [{ id: "p2", title: "zebra" }]);
  expect(await idsOf("hollow", body)).toEqual(["p2"]);
});

describe("extensions", () => {
  const everything = {
    query: { exact: { ctx: "winter" } },
    highlight: true,
    fields: ["title", "director", "text"],
    facets: { category: { depth: 1, size: 1 } },
    explain: true,
  };

  test("show of each index what it has: fields, marks, explanations of the scores given", async () => {
    await federation("doubled", { books: 2, films: 1, notes: 1 });
    const { data } = (await search("doubled", everything)).json;
    expect(data.count).toBe(4);
    for (const hit of data.hits) {
      const isNote = hit.source_index === "notes";
      expect(Object.keys(hit.doc)[0]).toBe(isNote ? "text" : "title");
      expect(Object.values(hit.highlights).flat().join(" ")).toContain("<em>winter</em>");
      expect(hit.explanation.value).toBeCloseTo(hit.score, 6);
    }
    const [first] = data.hits;
    expect([first.source_index, JSON.stringify(first.explanation)]).toEqual([
      "books",
      expect.stringMatching(/winter/),
    ]);
  });

  test("cut facets after they are merged", async () => {
    const { data } = (await search("all", { ...everything, query: { exact: { ctx: "*" } } })).json;
    expect(data.facets).toEqual([{ category: [{ path: "/drama", count: 3 }] }]);
    const none = (await search("all", { ...everything, facets: false })).json;
    expect(none.data).not.toHaveProperty("facets");
  });

  test("count a facet without its own filter over all indexes", async () => {
    const query = [{ occur: "must", exact: { ctx: "category:/drama" } }];
    const facets = { category: { own_filter: false, depth: 1 }, mood: true };
    const { data } = (await search("shop", { query, facets })).json;
    expect(data.count).toBe(3);
    expect(data.facets).toEqual([
      {
        category: [
          { path: "/drama", count: 3 },
          { path: "/novel", count: 3 },
        ],
      },
      { mood: [{ path: "/dark", count: 1 }] },
    ]);
  });

  test("name fields that some or all indexes lack without an error", async () => {
    const answer = await search("all", {
      query: "winter",
      fields: ["nowhere"],
      highlight: { fields: ["nowhere"] },
      facets: ["nowhere"],
    });
    expect(answer.json.data.hits[0]).toMatchObject({ doc: {}, highlights: {} });
    expect(answer.json.data).not.toHaveProperty("facets");
  });
});

describe("keys (contract 2.4)", () => {
  const body = { query: "tale" };
  const keyWith = async (more: object): Promise<string> =>
    (await server.post("/auth/key", { permissions: 1, ...more })).json.data.key;

  test.each<[object, boolean]>([
    [{ federation_name: "shop" }, true],
    [{ allowed_indexes: ["films", "books"] }, true],
    [{ allowed_indexes: ["*"] }, true],
    [{ permissions: 63 }, true],
    [{ federation_name: "shop", permissions: 2 }, false],
    [{ federation_name: "all" }, false],
    [{ allowed_indexes: ["books"] }, false],
    [{}, false],
  ])("%j may search the federation: %s", async (grant, isAllowed) => {
    const answer = await search("shop", body, await keyWith(grant));
    if (isAllowed) expect(answer.status, answer.text).toBe(200);
    else expectError(answer, 403);
  });

  test("a key that is tied to a federation may not search its indexes one by one", async () => {
    const key = await keyWith({ federation_name: "shop" });
    expectError(await server.post("/index/books/search", body, key), 403, "index_not_allowed");
  });

  test("a key out of scope gets 403 whether or not the federation exists", async () => {
    const key = await keyWith({ allowed_indexes: ["books"] });
    for (const name of ["shop", "none"]) expectError(await search(name, body, key), 403, "index_not_allowed");
    const tied = await keyWith({ federation_name: "none" });
    expectError(await search("none", body, tied), 404, "federation_not_found");
  });

  test("the usual read and ingest keys may search", async () => {
    for (const key of [READ, INGEST]) expect((await search("all", body, key)).status).toBe(200);
  });
});
