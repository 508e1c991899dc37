// Values as databases write them (`coerce`) and flat facets, from the definition to the answer.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { type ParsedJson, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const search = async (index: string, body: object): Promise<ParsedJson> =>
  (await server.post(`/index/${index}/search`, body)).json.data;
const idsOf = (found: ParsedJson): string[] => found.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
const exactly = (ctx: string): object => ({ query: { exact: { ctx } } });

describe("coerce", () => {
  const fields = {
    id: { type: "text" },
    price: { type: "f64", coerce: true, format: "1.234,56" },
    active: { type: "bool", coerce: true },
    at: { type: "datetime", coerce: true, format: "DD.MM.YYYY" },
    sizes: { type: "u64", multi: true, coerce: true, separator: "," },
    plain: { type: "u64", coerce: false },
  };

  test("members show where they are set, and can be put back", async () => {
    await server.post("/index", { index: { name: "written", fields } });
    const view = (await server.get("/index/written")).json.data;
    expect(Object.keys(view.fields.price)).toEqual([
      "coerce",
      "fast",
      "format",
      "indexed",
      "multi",
      "required",
      "stored",
      "type",
    ]);
    expect(Object.keys(view.fields.plain)).toEqual([
      "fast",
      "indexed",
      "multi",
      "required",
      "stored",
      "type",
    ]);
    expect((await server.put("/index/written", { index: view })).status).toBe(200);
    expect((await server.get("/index/written")).json.data).toEqual(view);
  });

  test("values are found and shown by what they mean, however they came", async () => {
    const documents = [
      { id: "1", price: "1.299,90", active: "yes", at: "31.12.2023", sizes: "38, 40" },
      { id: "2", price: "49", active: "0", at: "2024-02-29 12:00:00", sizes: "" },
    ];
    // As one short body, and as one that the writing thread reads.
    for (const filler of [0, 3000]) {
      await server.delete("/index/written/documents/all");
      const others = Array.from({ length: filler }, (_, i) => ({ id: `f${i}` }));
      const added = await server.post("/index/written/documents", [...documents, ...others]);
      expect(added.json.data.num_added).toBe(2 + filler);
      await server.post("/index/written/commit");
      const found = await search(
        "written",
        exactly("price:>1000 AND active:true AND at:2023-12-31 AND sizes:40"),
      );
      expect(found.hits.map(({ doc }: ParsedJson) => doc)).toEqual([
        { id: "1", price: 1299.9, active: true, at: "2023-12-31T00:00:00Z", sizes: [38, 40] },
      ]);
      expect(idsOf(await search("written", exactly("active:false AND NOT sizes:*")))).toEqual(["2"]);
    }
  });

  test("what isn't written in a known way is refused", async () => {
    const refused = await server.post("/index/written/documents", [{ id: "3", at: "31/12/2023" }]);
    expectError(refused, 400, "invalid_document");
    expect(refused.json.message).toContain("'[0].at' must be a time");
  });

  test.each([
    [{ a: { type: "u64", format: "1.234,56" } }, "fields.a.format"],
    [{ a: { type: "u64", coerce: "yes" } }, "fields.a.coerce"],
    [{ a: { type: "text", coerce: true, multi: true, separator: "" } }, "fields.a.separator"],
    [{ a: { type: "datetime", coerce: true, format: "x".repeat(65) } }, "fields.a.format"],
  ])("%j is refused", async (bad, place) => {
    const refused = await server.post("/index", { index: { name: "bad", fields: bad } });
    expectError(refused, 400, "invalid_schema");
    expect(refused.json.message).toContain(place);
  });
});

describe("flat facets", () => {
  const documents = [
    { id: "1", maker: "AC/DC", sizes: ["3/4 inch", "1/2 inch"], title: "hose" },
    { id: "2", maker: "O'Neill", sizes: "3/4 inch", title: "tap" },
    { id: "3", maker: "ac/dc", sizes: "", title: "AC adapter" },
    { id: "4", maker: "", sizes: [], title: "nothing" },
  ];

  beforeAll(async () => {
    const index = {
      name: "flat",
      fields: {
        id: { type: "text" },
        title: { type: "text" },
        maker: { type: "facet", hierarchical: false },
        sizes: { type: "facet", hierarchical: false, multi: true },
        section: { type: "facet", hierarchical: true },
      },
      search_fields: ["title", "maker"],
    };
    await server.post("/index", { index });
    await server.post("/index/flat/documents", documents);
    await server.post("/index/flat/commit");
  });

  test("the definition shows what was said of it, and only that", async () => {
    const { fields, search_fields } = (await server.get("/index/flat")).json.data;
    expect(fields.maker).toEqual({
      hierarchical: false,
      indexed: true,
      multi: false,
      required: false,
      stored: true,
      type: "facet",
    });
    expect(fields.section).not.toHaveProperty("hierarchical");
    expect(search_fields).toEqual(["title", "maker"]);
  });

  test("values come back as they went in, and are counted whole", async () => {
    const found = await search("flat", { ...exactly("*"), order_by: ["id:asc"] });
    expect(found.hits.map(({ doc }: ParsedJson) => doc)).toEqual([
      documents[0],
      { ...documents[1], sizes: ["3/4 inch"] },
      { id: "3", maker: "ac/dc", title: "AC adapter" },
      { id: "4", title: "nothing" },
    ]);
    expect(found.facets).toEqual([
      { maker: ["AC/DC", "O'Neill", "ac/dc"].map((path) => ({ path, count: 1 })) },
      {
        sizes: [
          { path: "3/4 inch", count: 2 },
          { path: "1/2 inch", count: 1 },
        ],
      },
      { section: [] },
    ]);
  });

  test("a filter means the whole value, case and all", async () => {
    expect(idsOf(await search("flat", exactly('sizes:"3/4 inch"')))).toEqual(["1", "2"]);
    expect(idsOf(await search("flat", exactly('maker:"AC/DC"')))).toEqual(["1"]);
    expect(idsOf(await search("flat", exactly(`maker:IN ["O'Neill" "ac/dc" "none"]`)))).toEqual(["2", "3"]);
    expect(idsOf(await search("flat", exactly('sizes:"3"')))).toEqual([]);
    expect(idsOf(await search("flat", exactly("maker:*")))).toEqual(["1", "2", "3"]);
  });

  test("a search field is searched by its words, in every mode", async () => {
    expect(idsOf(await search("flat", { query: { fuzzy: { ctx: "oneill" } } }))).toEqual(["2"]);
    expect(idsOf(await search("flat", { query: { dynamic: { ctx: "dc hose" } } }))).toEqual(["1"]);
    expect(idsOf(await search("flat", { ...exactly("dc"), order_by: ["id:asc"] }))).toEqual(["1", "3"]);
    const highlighted = await search("flat", { ...exactly("neill OR o'neill"), highlight: {} });
    expect(highlighted.hits[0].highlights.maker).toEqual(["<em>O</em>&#39;<em>Neill</em>"]);
  });

  test("hits are ordered by it, whatever the case, those without a value last", async () => {
    const ascending = await search("flat", { ...exactly("*"), order_by: ["maker:asc", "id:asc"] });
    expect(idsOf(ascending)).toEqual(["1", "3", "2", "4"]);
    const descending = await search("flat", { ...exactly("*"), order_by: ["maker:desc", "id:asc"] });
    expect(idsOf(descending)).toEqual(["2", "1", "3", "4"]);
    expectError(
      await server.post("/index/flat/search", { ...exactly("*"), order_by: "sizes" }),
      400,
      "invalid_order_by",
    );
  });

  test("its counts can leave out its own filter, but not what was searched in it", async () => {
    const query = [
      { occur: "must", exact: { ctx: 'maker:"AC/DC"' } },
      { occur: "must", fuzzy: { ctx: "dc" } },
    ];
    const found = await search("flat", { query, facets: { maker: { own_filter: false } } });
    expect(found.count).toBe(1);
    expect(found.facets).toEqual([{ maker: ["AC/DC", "ac/dc"].map((path) => ({ path, count: 1 })) }]);
  });

  test("documents are deleted by whole values", async () => {
    const removed = await server.delete("/index/flat/documents", { maker: "ac" });
    expect(removed.json.data.num_removed).toBe(0);
    await server.post("/index/flat/rollback");
  });

  test("a facet of paths is no search field", async () => {
    const refused = await server.patch("/index/flat", { search_fields: ["title", "section"] });
    expectError(refused, 400, "invalid_schema");
    expect((await server.patch("/index/flat", { search_fields: ["title", "sizes"] })).status).toBe(200);
    expect(idsOf(await search("flat", { ...exactly("inch"), order_by: ["id:asc"] }))).toEqual(["1", "2"]);
  });
});
