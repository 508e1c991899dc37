import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { bytesOfJson } from "../../contract/document-json.js";
import { Authority } from "../authority/authority.js";
import { Stopwatch } from "./stopwatch.js";

const ADMIN = Authority.unrestricted();
const FIELDS = { id: { type: "text" }, title: { type: "text" }, category: { type: "facet" } };

let harness: ServiceHarness;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  await harness.services.indexes.create({ index: { name: "books", fields: FIELDS } }, ADMIN);
  await harness.services.documents.add("books", [
    { id: "1", title: "Human World" },
    { id: "2", title: "The World of Tomorrow" },
  ]);
  await harness.services.documents.commit("books");
});
afterEach(() => harness.close());

describe("SearchService", () => {
  test("answers hits with their source, all matches, and a facet element for each facet field", async () => {
    const result = await harness.services.search.search("books", {
      query: { exact: { ctx: "world" } },
      limit: 1,
    });
    expect(result).toEqual({
      hits: [
        {
          docJson: bytesOfJson('{"id":"1","title":"Human World"}'),
          document_id: expect.any(String) as unknown,
          score: expect.closeTo(0.2111, 4),
          source_index: "books",
        },
      ],
      count: 2,
      time_taken: expect.any(Number) as unknown,
      facets: [{ field: "category", nodes: [] }],
    });
    expect(result.time_taken).toBeGreaterThan(0);
  });

  test("leaves facets out where the index has no facet field", async () => {
    await harness.services.indexes.create(
      { index: { name: "plain", fields: { t: { type: "text" } } } },
      ADMIN,
    );
    expect(await harness.services.search.search("plain", { query: "x" })).not.toHaveProperty("facets");
  });

  test("asks for the index before the body, and for the body before the query", async () => {
    const search = async (name: string, body: unknown) => harness.services.search.search(name, body);
    await expect(search("films", "nonsense")).rejects.toMatchObject({ code: "index_not_found" });
    const body = { query: { exact: { ctx: "a AND" } }, limit: 201 };
    await expect(search("books", body)).rejects.toMatchObject({ code: "limit_too_large" });
    await expect(search("books", { ...body, limit: 1 })).rejects.toMatchObject({ code: "query_syntax" });
  });

  test("goes by the settings of now", async () => {
    const the = { query: { exact: { ctx: "the" } } };
    expect((await harness.services.search.search("books", the)).count).toBe(0);
    await harness.services.indexes.patch("books", { exclude_stop_words: false }, ADMIN);
    expect((await harness.services.search.search("books", the)).count).toBe(1);
  });

  test("searches the new storage where the index is replaced under way, and ends where it is deleted", async () => {
    const index = { name: "books", fields: FIELDS };
    let open = () => {};
    harness.backend.gate = new Promise((resolve) => {
      open = resolve;
    });
    const replacing = harness.services.indexes.create({ index, override_if_exists: true }, ADMIN);
    const searching = harness.services.search.search("books", { query: { exact: { ctx: "*" } } });
    open();
    expect((await Promise.all([replacing, searching]))[1].count).toBeOneOf([0, 2]);

    harness.backend.failNext("search");
    const failing = harness.services.search.search("books", { query: "x" });
    await expect(failing).rejects.toMatchObject({ code: "storage_unavailable" });
    harness.backend.failNext("search");
    harness.backend.gate = harness.catalog.deleteIndex("books");
    const orphaned = harness.services.search.search("books", { query: "x" });
    await expect(orphaned).rejects.toMatchObject({ code: "index_not_found" });
  });
});

test("a search whose storage has just been dropped runs again on the new one", async () => {
  const before = harness.catalog.index("books");
  if (before === undefined) throw new Error("the index is missing");
  await harness.backend.createIndex("fresh", before.schema);
  harness.backend.failNext("search");
  harness.backend.gate = harness.catalog.putIndex({ ...before, storageId: "fresh" });
  const result = await harness.services.search.search("books", { query: { exact: { ctx: "*" } } });
  expect(result.count).toBe(0);
});

test("no two figures of the stopwatch in a row are equal, and all are seconds above 0", () => {
  let now = 0;
  const stopwatch = new Stopwatch(() => now);
  const start = stopwatch.start();
  const still = Array.from({ length: 500 }, () => stopwatch.secondsSince(start));
  now = 1_500;
  const later = Array.from({ length: 500 }, () => stopwatch.secondsSince(start));
  expect(new Set([...still, ...later]).size).toBe(1_000);
  expect(Math.min(...still)).toBeGreaterThan(0);
  for (const seconds of later) expect(seconds).toBeCloseTo(1.5, 8);
});

describe("a caller who has gone", () => {
  const gone = { isGone: true, whenGone: () => () => undefined };
  const asked = { query: { exact: { ctx: "world" } }, limit: 1, cursor: true };
  const stopped = { code: "search_timeout" };

  test("ends the search of an index's cursor, and that of each page", async () => {
    const { search } = harness.services;
    await expect(search.search("books", asked, undefined, gone)).rejects.toMatchObject(stopped);
    const { cursor } = await search.search("books", asked);
    await expect(search.search("books", { cursor }, undefined, gone)).rejects.toMatchObject(stopped);
    expect((await search.search("books", { cursor })).hits).toHaveLength(1);
  });

  test("ends the search of a federation's cursor, and that of each page", async () => {
    await harness.services.federations.create(
      { name: "shop", index_configurations: [{ name: "books" }] },
      ADMIN,
    );
    const search = (body: object, caller?: typeof gone) =>
      harness.services.federatedSearch.search("shop", body, ADMIN, {}, caller);
    await expect(search(asked, gone)).rejects.toMatchObject(stopped);
    const { cursor } = await search(asked);
    await expect(search({ cursor }, gone)).rejects.toMatchObject(stopped);
    expect((await search({ cursor })).hits).toHaveLength(1);
  });
});
