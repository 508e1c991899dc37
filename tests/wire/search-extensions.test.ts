// What a search body may ask for beyond the specification: nothing of it changes a request that doesn't ask.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/errors/index.js";
import { expectError } from "./expect-error.js";
import { type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("books", {
    language: "en",
    enable_language_stemming: true,
    search_fields: ["title", "text"],
    fields: {
      id: { type: "text" },
      title: { type: "text" },
      text: { type: "text" },
      secret: { type: "text", stored: false },
      pages: { type: "u64" },
      kind: { type: "facet", multi: true },
      shade: { type: "facet" },
      at: { type: "datetime" },
    },
    time_decay_field: "at",
  });
  await server.addCommitted("books", [
    {
      id: "1",
      title: "Connecting <people>",
      text: `${"Lorem ipsum. ".repeat(40)}A connection of two.${" Dolor sit.".repeat(40)}`,
      secret: "connect",
      pages: "18446744073709551615",
      kind: ["/fiction/space/near", "/new"],
      shade: "/red",
    },
    { id: "2", title: "Trains", text: "Connected trains", kind: ["/fiction/crime"], shade: "/red" },
    { id: "3", title: "Planes", text: "They connect", kind: ["/news"], shade: "/blue" },
    { id: "4", title: "Conects", text: "nothing", shade: "/blue", at: "2020-01-01T00:00:00Z" },
  ]);
});
afterAll(() => server.stopAndRemove());

const search = (body: unknown): Promise<WireAnswer> => server.post("/index/books/search", body, READ);
async function data(body: unknown) {
  const answer = await search(body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
const exact = (ctx: string) => ({ query: { exact: { ctx } } });
const byId = (hits: ParsedJson[], id: string): ParsedJson => hits.find((hit) => hit.doc.id === id);

test("a request that asks for nothing gets nothing", async () => {
  const { hits, ...rest } = await data(exact("connect"));
  expect(Object.keys(rest)).toEqual(["count", "time_taken", "facets"]);
  for (const hit of hits) expect(Object.keys(hit)).toEqual(["doc", "document_id", "score", "source_index"]);
  const off = await data({
    ...exact("connect"),
    highlight: false,
    fields: null,
    facets: true,
    explain: false,
  });
  expect({ ...off, time_taken: 0 }).toEqual({ hits, ...rest, time_taken: 0 });
});

describe("highlight", () => {
  test("marks what matched in the fields that are searched, under stemming, safe as HTML, in fragments", async () => {
    const { hits } = await data({ ...exact("connect"), highlight: true });
    const { title, text, ...others } = byId(hits, "1")!.highlights;
    expect(others).toEqual({});
    expect(title).toEqual(["<em>Connecting</em> &lt;people&gt;"]);
    expect(text).toHaveLength(1);
    expect(text[0]).toContain("A <em>connection</em> of two.");
    expect(text[0].length).toBeLessThan(180);
    expect(byId(hits, "2")!.highlights).toEqual({ text: ["<em>Connected</em> trains"] });
  });

  test("takes fields, tags, a size and a number of fragments; {} is true", async () => {
    const highlight = { fields: ["text"], pre_tag: "[", post_tag: "]", fragment_size: 0, fragments: 1 };
    const { hits } = await data({ ...exact("connect"), highlight });
    expect(byId(hits, "3")!.highlights).toEqual({ text: ["They [connect]"] });
    expect(byId(hits, "1")!.highlights.text[0].length).toBeGreaterThan(500);
    const plain = await data({ ...exact("connect"), highlight: {} });
    expect(byId(plain.hits, "3")!.highlights).toEqual({ text: ["They <em>connect</em>"] });
  });

  test("marks typos in fuzzy mode and whole phrases only", async () => {
    const fuzzy = await data({ query: { fuzzy: { ctx: "conects" } }, highlight: true });
    expect(byId(fuzzy.hits, "4")!.highlights).toEqual({ title: ["<em>Conects</em>"] });
    const phrase = await data({ ...exact('"connected trains"'), highlight: true });
    expect(phrase.hits[0].highlights).toEqual({ text: ["<em>Connected</em> <em>trains</em>"] });
  });
});

describe("fields", () => {
  test("are the stored fields that doc shows, numbers to the last digit", async () => {
    const { hits } = await data({ ...exact("id:1"), fields: ["pages", "id", "secret", "shade"] });
    expect(hits[0].doc.id).toBe("1");
    expect(Object.keys(hits[0].doc).sort()).toEqual(["id", "pages", "shade"]);
    const answer = await search({ ...exact("id:1"), fields: ["pages"] });
    expect(answer.text).toContain("18446744073709551615");
    expect((await data({ ...exact("id:1"), fields: [] })).hits[0].doc).toEqual({});
  });

  test("highlighting doesn't depend on them", async () => {
    const { hits } = await data({ ...exact("connect"), fields: ["id"], highlight: true });
    expect(byId(hits, "3")).toMatchObject({
      doc: { id: "3" },
      highlights: { text: ["They <em>connect</em>"] },
    });
  });
});

describe("facets", () => {
  test("can be left out, or some of them", async () => {
    expect(await data({ ...exact("*"), facets: false })).not.toHaveProperty("facets");
    expect(await data({ ...exact("*"), facets: {} })).not.toHaveProperty("facets");
    const { facets } = await data({ ...exact("*"), facets: ["shade"] });
    expect(facets).toEqual([
      {
        shade: [
          { path: "/blue", count: 2 },
          { path: "/red", count: 2 },
        ],
      },
    ]);
  });

  test("are cut to a depth and a size, with counts of the whole", async () => {
    const { facets } = await data({ ...exact("*"), facets: { kind: { depth: 2, size: 1 } } });
    expect(facets).toEqual([
      { kind: [{ path: "/fiction", count: 2, children: [{ path: "/fiction/crime", count: 1 }] }] },
    ]);
  });

  test("count without their own filter where several values are to choose from", async () => {
    const query = [
      { exact: { ctx: "shade:/red" }, occur: "must" },
      { exact: { ctx: "connect" }, occur: "must" },
    ];
    const { count, facets } = await data({ query, facets: { kind: {}, shade: { own_filter: false } } });
    expect(count).toBe(2);
    const [{ kind }, { shade }] = facets;
    expect(shade).toEqual([
      { path: "/red", count: 2 },
      { path: "/blue", count: 1 },
    ]);
    expect(kind.map(({ path }: { path: string }) => path)).toEqual(["/fiction", "/new"]);
    const inOne = await data({
      ...exact("connect AND shade:/red"),
      facets: { shade: { own_filter: false } },
    });
    expect(inOne.facets).toEqual([{ shade }]);
  });
});

test("explain gives a tree whose root is the score, decay included", async () => {
  const { hits } = await data({ query: { fuzzy: { ctx: "conects trains" } }, explain: true });
  expect(hits.length).toBeGreaterThan(2);
  for (const { score, explanation } of hits) {
    expect(explanation.value).toBeCloseTo(score, 5);
    expect(explanation.description).toMatch(/./);
  }
  expect(JSON.stringify(byId(hits, "4")!["explanation"])).toContain("age in days");
  const ordered = await data({ ...exact("connect"), order_by: "title", explain: true });
  expect(ordered.hits[0]).not.toHaveProperty("explanation");
});

describe("as_you_type", () => {
  const typed = (mode: "exact" | "dynamic", ctx: string) => ({
    query: { [mode]: { ctx, as_you_type: true } },
  });
  const found = async (mode: "exact" | "dynamic", ctx: string): Promise<string[]> =>
    (await data(typed(mode, ctx))).hits.map((hit: ParsedJson) => hit.doc.id).toSorted();

  test("makes the last word a beginning, typos allowed in longer ones", async () => {
    for (const mode of ["exact", "dynamic"] as const) {
      expect(await found(mode, "trai")).toEqual(["2"]);
      expect(await found(mode, "trian")).toEqual(["2"]);
      expect(await found(mode, "trxi")).toEqual([]);
      expect(await found(mode, "connecti")).toEqual(["1", "2", "3"]);
      expect(await found(mode, "trai ")).toEqual([]);
    }
    expect((await data({ query: { exact: { ctx: "trai" } } })).count).toBe(0);
  });

  test("leaves the words before it as they are", async () => {
    expect(await found("exact", "connect AND tra")).toEqual(["2"]);
    expect(await found("exact", "text:pla OR title:pla")).toEqual(["3"]);
    expect(await found("exact", "(connect) AND shade:/red")).toEqual(["1", "2"]);
    expect(await found("exact", '"connected tra"')).toEqual([]);
    expect(await found("dynamic", "connect tra")).toEqual(["2"]);
    expect(await found("dynamic", "they connect pla")).toContain("3");
  });

  test("shows the word itself first, and marks what begins like it", async () => {
    const { hits } = await data({ ...typed("dynamic", "plane"), highlight: true });
    expect(hits.map((hit: ParsedJson) => hit.highlights)).toEqual([{ title: ["<em>Planes</em>"] }]);
  });
});

test.each<[unknown, ErrorCode, string]>([
  [{ highlight: "yes" }, "invalid_request", "highlight"],
  [{ highlight: { fields: "title" } }, "invalid_request", "highlight.fields"],
  [{ highlight: { fields: ["gone"] } }, "unknown_field", "gone"],
  [{ highlight: { fields: ["secret"] } }, "invalid_request", "secret"],
  [{ highlight: { fields: ["pages"] } }, "invalid_request", "pages"],
  [{ highlight: { fields: ["id"] } }, "invalid_request", "id"],
  [{ highlight: { pre_tag: 5 } }, "invalid_request", "highlight.pre_tag"],
  [{ highlight: { pre_tag: "x".repeat(201) } }, "invalid_request", "highlight.pre_tag"],
  [{ highlight: { fragment_size: -1 } }, "invalid_request", "highlight.fragment_size"],
  [{ highlight: { fragments: 0 } }, "invalid_request", "highlight.fragments"],
  [{ fields: "id" }, "invalid_request", "fields"],
  [{ fields: [1] }, "invalid_request", "fields[0]"],
  [{ fields: ["gone"] }, "unknown_field", "gone"],
  [{ facets: 1 }, "invalid_request", "facets"],
  [{ facets: ["title"] }, "invalid_request", "title"],
  [{ facets: { gone: {} } }, "unknown_field", "gone"],
  [{ facets: { __proto__x: {} } }, "unknown_field", "__proto__x"],
  [{ facets: { kind: { depth: 0 } } }, "invalid_request", "facets.kind.depth"],
  [{ facets: { kind: { own_filter: 1 } } }, "invalid_request", "facets.kind.own_filter"],
  [{ facets: { kind: "all" } }, "invalid_request", "facets.kind"],
  [{ explain: 1 }, "invalid_request", "explain"],
  [{ query: { exact: { ctx: "a", as_you_type: 1 } } }, "invalid_request", "query.exact.as_you_type"],
  [{ query: { fuzzy: { ctx: "a", as_you_type: 1 } } }, "invalid_request", "query.fuzzy.as_you_type"],
])("%j is refused", async (extension, code, place) => {
  const answer = await search({ ...exact("a"), ...(extension as object) });
  expectError(answer, 400, code);
  expect(answer.json.message).toContain(place);
});
