// Properties: text searches over the library's index find, order, filter, mark and count as the server's do; writes are
// checked and brought into shape; whatever has a wrong shape is refused by an error that names the place.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  defineSchema,
  escapeText,
  FindlingError,
  Index,
  MemoryDirectory,
  type TextSearchOptions,
} from "./index.js";

const SCHEMA = defineSchema(
  {
    sku: "keyword",
    title: "text",
    text: "text",
    price: "f64",
    count: "i64",
    genre: { kind: "facet", multi: true },
    shelf: "label",
    added: "datetime",
    extra: "opaque",
  },
  { language: "en" },
);

const DOCUMENTS = [
  {
    sku: "A-1",
    title: "The Third Man",
    text: "A writer in Vienna",
    price: 9.5,
    genre: ["/crime", "/drama/war"],
    shelf: "left/top",
  },
  {
    sku: "a-1",
    title: "A Man Escaped",
    text: "A prisoner plans his escape",
    price: 12,
    genre: ["/drama"],
    added: new Date(0),
  },
  {
    sku: "B-2",
    title: "Red jackets",
    text: "Nothing to do with films",
    count: 2n ** 62n,
    extra: { any: ["thing"] },
  },
];

let index: Index;
let ids: readonly string[];
beforeEach(async () => {
  index = await Index.create(new MemoryDirectory(), SCHEMA, {
    weights: { title: 2 },
    synonyms: { picture: ["film"] },
  });
  ids = await index.add(DOCUMENTS);
  await index.commit();
});
afterEach(() => index.close());

const skus = (text: string, options?: TextSearchOptions): unknown[] =>
  index.search(text, options).hits.map(({ document }) => document["sku"]);

describe("search", () => {
  test.each([
    ["red jacket", {}, ["B-2"]],
    ["thrid man", {}, ["A-1", "a-1"]],
    ["thrid man", { match: "all" }, ["A-1"]],
    ["escaping", {}, ["a-1"]],
    ["vien", { asYouType: true }, ["A-1"]],
    ["picture", {}, ["B-2"]],
    ["title:man AND price:<10", { mode: "exact" }, ["A-1"]],
    ["sku:A-1", { mode: "exact" }, ["A-1"]],
    ["sku:A*", { mode: "exact" }, ["A-1"]],
    ['shelf:"left/top"', { mode: "exact" }, ["A-1"]],
    ["count:4611686018427387904", { mode: "exact" }, ["B-2"]],
    ["added:1970-01-01", { mode: "exact" }, ["a-1"]],
    ["man", { filter: "genre:/drama/war" }, ["A-1"]],
    ["", { filter: "genre:/drama", orderBy: "price:desc" }, ["a-1", "A-1"]],
    ["*", { mode: "exact", orderBy: ["price:asc"], limit: 1, offset: 1 }, ["a-1"]],
    ["man writer", { weights: { title: 0, text: 9 }, limit: 1 }, ["A-1"]],
  ] as const)("%j with %j", (text, options, expected) => {
    expect(skus(text, options)).toEqual(expected);
  });

  test("hits have the fields that are asked for, what matched, and why", () => {
    const { count, hits } = index.search("escape", {
      fields: ["sku"],
      highlight: { preTag: "[", postTag: "]" },
      explain: true,
    });
    expect(count).toBe(1);
    expect(hits[0]!.document).toEqual({ sku: "a-1" });
    expect(hits[0]!.highlights).toEqual({
      title: ["A Man [Escaped]"],
      text: ["A prisoner plans his [escape]"],
    });
    expect(hits[0]!.explanation!.value).toBeCloseTo(hits[0]!.score, 6);
  });

  test("facets are counted if asked for", () => {
    expect(index.search("man").facets).toEqual({});
    expect(index.search("man", { facets: ["genre"] }).facets["genre"]).toMatchObject([
      { path: "/drama", count: 2, children: [{ path: "/drama/war", count: 1 }] },
      { path: "/crime", count: 1 },
    ]);
    expect(Object.keys(index.search("man", { facets: true }).facets)).toEqual(["genre", "shelf"]);
  });

  test("what people type finds itself, once its signs are escaped", async () => {
    const hostile = ["a:b", '"x', "NOT", "c++", "(", "a*b", "-7", "x y", "\\", "[1 TO 2]"];
    await index.add(hostile.map((sku) => ({ sku })));
    await index.commit();
    for (const sku of hostile) expect(skus(`sku:${escapeText(sku)}`, { mode: "exact" })).toEqual([sku]);
  });

  test("queries in the engine's own terms still work", () => {
    const { hits } = index.search({ query: { kind: "term", field: "title", term: "third" } });
    expect(hits.map(({ json }) => (JSON.parse(json) as { sku: string }).sku)).toEqual(["A-1"]);
  });

  test("suggestions complete words, and name documents", () => {
    const { completions, titles } = index.suggest("the thi");
    expect(completions).toEqual(["the third"]);
    expect(titles).toEqual([{ text: "The Third Man", documentId: ids[0] }]);
  });
});

describe("writing", () => {
  test("members are changed and taken away, under the same id", async () => {
    await index.update(ids[1]!, { price: 7, genre: null });
    expect(index.get(ids[1]!)).toMatchObject({ price: 12 });
    await index.commit();
    expect(index.get(ids[1]!)).toEqual({
      sku: "a-1",
      title: "A Man Escaped",
      text: "A prisoner plans his escape",
      price: 7,
      added: "1970-01-01T00:00:00Z",
    });
    await expect(index.update("0".repeat(32), { price: 1 })).rejects.toMatchObject({
      code: "document_not_found",
    });
  });

  test("documents give way to others of their key, and are deleted by what finds them", async () => {
    await index.replace("sku", { sku: "B-2", title: "Blue jackets" });
    await index.commit();
    expect(index.search("jackets").hits.map(({ document }) => document["title"])).toEqual(["Blue jackets"]);
    expect(await index.deleteByQuery("genre:/drama AND price:<10")).toBe(1);
    await index.rollback();
    expect(await index.deleteByQuery("-genre:/drama")).toBe(1);
    await index.commit();
    expect(skus("*", { mode: "exact" })).toEqual(["A-1", "a-1"]);
  });
});

describe("opening", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "findling-library-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test("what isn't there is made, what is there is opened, and another schema is refused", async () => {
    const place = join(folder, "films");
    const first = await Index.openOrCreate(place, { title: "text" });
    await first.add({ title: "kept" });
    await first.commit();
    await first.close();
    const second = await Index.openOrCreate(place, { title: "text" });
    expect(second.search("kept").count).toBe(1);
    await second.close();
    for (const [schema, problem] of [
      [{ title: "text", year: "u64" }, "it has no field 'year'"],
      [{ title: "keyword" }, "its field 'title' is"],
      [defineSchema({ title: "text" }, { language: "de" }), "its text was analysed otherwise"],
    ] as const)
      await expect(Index.openOrCreate(place, schema)).rejects.toThrow(problem);
    await expect(Index.open(place, { weights: { titel: 1 } })).rejects.toThrow("did you mean 'title'?");
    // Nothing of that has left the folder locked.
    await (await Index.open(place)).close();
    await expect(Index.open(join(folder, "none"))).rejects.toMatchObject({
      code: /index_not_found|storage_unavailable/,
    });
  });
});

describe("wrong shapes are named", () => {
  const memory = (): MemoryDirectory => new MemoryDirectory();
  const wrong = (value: unknown): never => value as never;

  test.each<[string, () => unknown, string]>([
    ["a place", () => Index.create(wrong(7), SCHEMA), "not in a number"],
    ["a schema", () => Index.create(memory(), wrong("text")), "a schema's fields must be an object by name"],
    ["no field", () => Index.create(memory(), {}), "a schema needs at least one field"],
    [
      "a field",
      () => Index.create(memory(), wrong({ a: 7 })),
      "field 'a' must be a kind or an object with a kind, not a number",
    ],
    ["a kind", () => Index.create(memory(), wrong({ a: "string" })), "field 'a': there is no kind 'string'"],
    [
      "a member of a field",
      () => Index.create(memory(), wrong({ a: { kind: "text", mutli: true } })),
      "did you mean 'multi'?",
    ],
    [
      "a flag of a field",
      () => Index.create(memory(), wrong({ a: { kind: "text", multi: "yes" } })),
      "'multi' must be true or false, not a string",
    ],
    ["an analysis", () => defineSchema({ a: "text" }, wrong({ langauge: "en" })), "did you mean 'language'?"],
    ["an option", () => Index.create(memory(), SCHEMA, wrong({ wieghts: {} })), "did you mean 'weights'?"],
    [
      "a weight",
      () => Index.create(memory(), SCHEMA, { weights: { title: -1 } }),
      "weights.title must be a number of at least 0",
    ],
    [
      "synonyms",
      () => Index.create(memory(), SCHEMA, wrong({ synonyms: { a: "b" } })),
      "synonyms.a must be a list of texts",
    ],
    [
      "a search field",
      () => Index.create(memory(), SCHEMA, { searchFields: ["titel"] }),
      "there is no field 'titel', did you mean 'title'?",
    ],
    [
      "documents",
      () => index.add(wrong("text")),
      "documents must be an object, or a list of them, not a string",
    ],
    ["a document", () => index.add(wrong([7])), "'[0]' must be an object, not a number"],
    ["a value", () => index.add([{ sku: "x" }, { price: "dear" }]), "'[1].price' must be"],
    [
      "a field of a document",
      () => index.add({ titel: "x" }),
      "'titel' is in no field of the schema, did you mean 'title'?",
    ],
    ["a date", () => index.add({ added: new Date(Number.NaN) }), "'added'"],
    ["a change", () => index.update(ids[0]!, wrong([])), "what is to be changed must be an object"],
    [
      "a text",
      () => index.search(wrong(7)),
      "a search takes a text, or an object with 'query', not a number",
    ],
    ["a query", () => index.search(wrong({ text: "x" })), "'query' must be an object with a 'kind'"],
    [
      "a query's kind",
      () => index.search(wrong({ query: { kind: "trem" } })),
      "there is no query of kind 'trem'",
    ],
    ["an option of a search", () => index.search("x", wrong({ limt: 1 })), "did you mean 'limit'?"],
    [
      "a mode",
      () => index.search("x", wrong({ mode: "fuzy" })),
      "mode must be one of fuzzy, exact, dynamic, not 'fuzy'",
    ],
    ["a limit", () => index.search("x", { limit: -1 }), "limit must be a whole number of at least 0, not -1"],
    [
      "facets",
      () => index.search("x", wrong({ facets: "genre" })),
      "facets must be a list of texts, not a string",
    ],
    [
      "a facet",
      () => index.search("x", { facets: ["gener"] }),
      "there is no field 'gener', did you mean 'genre'?",
    ],
    ["an order", () => index.search("x", { orderBy: "text:up" }), "order_by 'text:up'"],
    [
      "highlighting",
      () => index.search("x", { highlight: wrong({ tag: "b" }) }),
      "the options of highlight have no 'tag'",
    ],
    [
      "a filter",
      () => index.search("x", { filter: "gener:/a" }),
      "has no field 'gener', did you mean 'genre'?",
    ],
    ["what is typed", () => index.suggest(wrong(null)), "what is typed must be text, not null"],
    ["a deletion", () => index.deleteByQuery("price:<"), "query syntax error at character 8"],
  ])("%s", async (_, attempt, message) => {
    const error: unknown = await (async () => attempt())().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(FindlingError);
    expect((error as FindlingError).message).toContain(message);
  });
});
