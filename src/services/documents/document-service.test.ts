import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ServiceHarness } from "../../../tests/kit/service-harness.js";
import { parsedDocument } from "../../contract/document-json.js";
import { memoryUpTo, UnreadBody } from "../../intake/unread-body.js";
import { Authority } from "../authority/authority.js";
import type { DocumentService } from "./document-service.js";

const FIELDS = {
  id: { type: "text", indexed: false },
  title: { type: "text" },
  note: { type: "text", indexed: false },
  tags: { type: "text", multi: true },
  category: { type: "facet" },
  rating: { type: "u64" },
  hidden: { type: "text", stored: false },
  raw: { type: "json" },
};

let harness: ServiceHarness;
let documents: DocumentService;
beforeEach(async () => {
  harness = await ServiceHarness.open();
  documents = harness.services.documents;
  await harness.services.indexes.create(
    { index: { name: "books", fields: FIELDS } },
    Authority.unrestricted(),
  );
});
afterEach(() => harness.close());

async function count(): Promise<number> {
  return (await harness.services.indexes.stats("books")).document_count;
}

describe("adding", () => {
  test("answers ids in order, says what was ignored and waits for the commit", async () => {
    const added = await documents.add("books", [{ id: "1", foo: 1 }, { id: "2" }]);
    expect(added).toEqual({
      success: true,
      detail: "changes accepted; commit or roll back to finish",
      num_added: 2,
      ids: [expect.any(String), expect.any(String)],
      ignored_fields: ["foo"],
    });
    expect(await count()).toBe(0);
    await expect(documents.get("books", added.ids[0] ?? "")).rejects.toMatchObject({
      code: "document_not_found",
    });
    expect(await documents.commit("books")).toBe("commit complete");
    expect(await count()).toBe(2);
    expect((await documents.get("books", added.ids[1] ?? "")).view.doc).toEqual({ id: "2" });
  });

  test("adds nothing where one document is wrong", async () => {
    await expect(documents.add("books", [{ id: "1" }, { rating: -1 }])).rejects.toMatchObject({
      code: "invalid_document",
    });
    await documents.commit("books");
    expect(await count()).toBe(0);
  });

  test("leaves ignored_fields out where there are none", async () => {
    expect(await documents.add("books", { id: "1" })).not.toHaveProperty("ignored_fields");
  });
});

test("reading spreads the stored fields next to the hit, whose members win", async () => {
  await harness.services.indexes.create(
    {
      index: {
        name: "odd",
        fields: { title: { type: "text" }, score: { type: "f64" }, hidden: { type: "text", stored: false } },
      },
    },
    Authority.unrestricted(),
  );
  const { ids } = await documents.add("odd", { title: "T", score: 7, hidden: "x" });
  await documents.commit("odd");
  expect((await documents.get("odd", ids[0] ?? "")).view).toEqual({
    title: "T",
    doc: { title: "T", score: 7 },
    document_id: ids[0],
    score: 1,
    source_index: "odd",
  });
});

describe("deleting", () => {
  let ids: readonly (string | null)[] = [];
  beforeEach(async () => {
    const added = await documents.add("books", [
      { id: "1", title: "King of Spain", note: "red", category: "/a/b", rating: 5, tags: ["x", "y"] },
      { id: "12", title: "King in Spain", note: "blue", category: "/a", rating: 6 },
      { id: "2", title: "Spain", note: "red", category: "/ab", rating: 7 },
    ]);
    ids = added.ids;
    await documents.commit("books");
  });

  test.each([
    [{ id: "1" }, ["12", "2"]],
    [{ id: 1 }, ["12", "2"]],
    [{ id: ["1", "2", "3"] }, ["12"]],
    [{ id: [] }, ["1", "12", "2"]],
    [{ title: "King of Spain" }, ["12", "2"]],
    [{ title: "spain" }, []],
    [{ note: "red" }, ["12"]],
    [{ category: "/a" }, ["2"]],
    [{ rating: [5, "7"] }, ["12"]],
    [{ rating: 99, gone: null }, ["1", "12", "2"]],
    [{ tags: "y" }, ["12", "2"]],
  ])("by %j leaves %j", async (body, left) => {
    const { num_removed } = await documents.deleteByField("books", body);
    expect(await count()).toBe(3);
    await documents.commit("books");
    expect(await remainingIds()).toEqual(left);
    expect(num_removed).toBe(3 - left.length);
  });

  test.each([
    [{}, "invalid_request"],
    [[], "invalid_request"],
    [undefined, "invalid_request"],
    ["id", "invalid_request"],
    [{ id: "1", title: "x" }, "invalid_request"],
    [{ id: null }, "invalid_request"],
    [{ id: {} }, "invalid_request"],
    [{ id: [["1"]] }, "invalid_request"],
    [{ titel: "x" }, "unknown_field"],
    [{ constructor: "x" }, "unknown_field"],
    [{ raw: "x" }, "field_not_indexed"],
    [{ rating: "many" }, "invalid_field_value"],
  ])("by %j is refused as %s", async (body, code) => {
    await expect(documents.deleteByField("books", body)).rejects.toMatchObject({ code });
    await documents.commit("books");
    expect(await count()).toBe(3);
  });

  test("by _id as a field, or in the path", async () => {
    expect(await documents.deleteByField("books", { _id: ids[0] })).toMatchObject({ num_removed: 1 });
    expect(await documents.deleteDocument("books", ids[1] ?? "")).toEqual({
      success: true,
      detail: "deletion accepted; commit or roll back to finish",
      num_removed: 1,
    });
    await expect(documents.deleteDocument("books", ids[1] ?? "")).rejects.toMatchObject({
      code: "document_not_found",
    });
    await documents.commit("books");
    expect(await remainingIds()).toEqual(["2"]);
  });

  test.each([
    [{ query: { exact: { ctx: "rating:>5" } } }, ["1"]],
    [{ query: { exact: { ctx: "id:12" } }, limit: -1 }, ["1", "2"]],
    [{ exact: { ctx: "id:12" } }, ["1", "2"]],
    [{ query: [{ exact: { ctx: "rating:5" } }, { exact: { ctx: "rating:7" } }] }, ["12"]],
    [{ query: "" }, ["1", "12", "2"]],
    [{ query: { exact: { ctx: "*" } } }, []],
  ])("by the query %j leaves %j", async (body, left) => {
    expect(await documents.deleteByQuery("books", body)).toMatchObject({ num_removed: 3 - left.length });
    await documents.commit("books");
    expect(await remainingIds()).toEqual(left);
  });

  test.each([
    [{}, "invalid_request"],
    [undefined, "invalid_request"],
    [{ query: [] }, "invalid_request"],
    [{ query: { exact: { ctx: "a AND" } } }, "query_syntax"],
    [{ query: { exact: { ctx: "nope:1" } } }, "unknown_field"],
  ])("by the query %j is refused as %s", async (body, code) => {
    await expect(documents.deleteByQuery("books", body)).rejects.toMatchObject({ code });
  });

  test("everything keeps the index, and reaches pending documents too", async () => {
    await documents.add("books", { id: "3" });
    expect(await documents.deleteAll("books")).toMatchObject({ num_removed: 4 });
    await documents.commit("books");
    expect(await count()).toBe(0);
  });

  test("is undone by a rollback, with what else is pending", async () => {
    await documents.add("books", { id: "3" });
    await documents.deleteAll("books");
    expect(await documents.rollback("books")).toBe("rollback complete");
    await documents.commit("books");
    expect(await count()).toBe(3);
  });
});

test("the index is asked for before the body", async () => {
  for (const work of [
    () => documents.add("films", "nonsense"),
    () => documents.get("films", "x"),
    () => documents.deleteByField("films", "nonsense"),
    () => documents.deleteByQuery("films", "nonsense"),
    () => documents.deleteAll("films"),
    () => documents.deleteDocument("films", "x"),
    () => documents.commit("films"),
    () => documents.rollback("films"),
  ]) {
    await expect(work()).rejects.toMatchObject({ code: "index_not_found" });
  }
});

describe("an unread body", () => {
  const unread = (json: string, memoryMax: number): UnreadBody =>
    new UnreadBody(new TextEncoder().encode(json), { limit: memoryMax, ...memoryUpTo(memoryMax) });

  test("for an index that isn't there is only looked at for what is wrong with its JSON, which comes first", async () => {
    await expect(documents.add("films", unread("[{]", 2 ** 20))).rejects.toMatchObject({
      code: "invalid_json",
    });
    await expect(documents.add("films", unread('[{"rating":-1}]', 2 ** 20))).rejects.toMatchObject({
      code: "index_not_found",
    });
    expect(harness.backend.calls).not.toContain("add");
  });

  test("may take the memory that there is for it, once the index is known to be there", async () => {
    const json = JSON.stringify(
      Array.from({ length: 50 }, (_, n) => ({ id: `${n}`, title: "word ".repeat(99) })),
    );
    await expect(documents.add("books", unread(json, 1))).rejects.toMatchObject({ code: "rate_limited" });
    expect(await documents.add("books", unread(json, 2 ** 24))).toMatchObject({ num_added: 50 });
  });
});

test("a back end that fails is heard, and nothing is added", async () => {
  harness.backend.failNext("add");
  await expect(documents.add("books", { id: "1" })).rejects.toMatchObject({ code: "storage_unavailable" });
  await documents.commit("books");
  expect(await count()).toBe(0);
});

async function remainingIds(): Promise<unknown[]> {
  const all = { query: { exact: { ctx: "*" } } };
  const { hits } = await harness.services.search.search("books", all);
  return hits.map((hit) => parsedDocument(hit.docJson)["id"]);
}
