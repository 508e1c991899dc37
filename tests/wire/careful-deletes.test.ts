// Contract 3.3: a delete removes what it names and nothing else; one that names nothing removes nothing.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { isOnCluster, type ParsedJson, WireServer } from "./wire-server.js";

let server: WireServer;
let ids: readonly string[] = [];
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.post("/index", {
    override_if_exists: true,
    index: {
      name: "books",
      fields: {
        id: { type: "text" },
        title: { type: "text" },
        tags: { type: "text", multi: true },
        note: { type: "text", indexed: false, stored: false },
        kind: { type: "facet", multi: true },
        year: { type: "u64", multi: true },
        code: { type: "i64", indexed: false, multi: true },
        when: { type: "datetime", indexed: false },
      },
    },
  });
  ids = await server.addCommitted("books", [
    {
      id: "1",
      title: "The King of Spain",
      tags: ["red wine", "old"],
      kind: ["/a/b", "/c"],
      year: [1, 2],
      code: [-1, 5],
    },
    {
      id: "2",
      title: "King in Spain",
      tags: ["old red"],
      kind: "/a",
      year: 2,
      note: "The King of Spain",
      when: "2024-01-01",
    },
    { id: "3" },
  ]);
});

const removedBy = async (body: unknown, path = ""): Promise<ParsedJson> => {
  const answer = await server.delete(`/index/books/documents${path}`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.num_removed;
};
const left = async (): Promise<readonly unknown[]> => {
  await server.post("/index/books/commit");
  return (await server.idsOf("books", "*")).toSorted();
};

describe("by a field: nothing is removed by", () => {
  test.each<[object]>([
    [{ id: [] }],
    [{ _id: [] }],
    [{ title: [] }],
    [{ note: [] }],
    [{ id: "" }],
    [{ id: "*" }],
    [{ _id: "" }],
    [{ _id: "*" }],
    [{ title: "" }],
    [{ title: "..." }],
    [{ title: "*" }],
    [{ title: "king spain" }],
    [{ title: "spain king" }],
    [{ title: "of the" }],
    [{ note: "" }],
    [{ note: "*" }],
    [{ tags: "wine old" }],
    [{ kind: "/a/bc" }],
    [{ kind: "/A" }],
    [{ year: 3 }],
    [{ year: "-1" }],
    [{ code: 4 }],
  ])("%j", async (body) => {
    expect(await removedBy(body)).toBe(0);
    expect(await left()).toEqual(["1", "2", "3"]);
  });
});

describe("by a field: exactly what is named", () => {
  test.each<[object, string[]]>([
    [{ id: 3 }, ["1", "2"]],
    [{ id: ["1", 3, true] }, ["2"]],
    [{ title: "KING of spain" }, ["2", "3"]],
    [{ title: "king" }, ["3"]],
    // As in a phrase: no prefix, a character that analysis drops.
    [{ title: "king*" }, ["3"]],
    [{ title: "kin*" }, ["1", "2", "3"]],
    [{ title: ["king in spain", "nothing"] }, ["1", "3"]],
    // A stopword counts, even alone.
    [{ title: "the" }, ["2", "3"]],
    [{ note: "king of" }, ["1", "3"]],
    [{ tags: "red wine" }, ["2", "3"]],
    [{ tags: "red" }, ["3"]],
    [{ kind: "a" }, ["3"]],
    [{ kind: "/a/b" }, ["2", "3"]],
    [{ kind: ["/c", "/x"] }, ["2", "3"]],
    [{ year: 1 }, ["2", "3"]],
    [{ year: ["2.0"] }, ["3"]],
    [{ code: 5 }, ["2", "3"]],
    [{ code: "-1" }, ["2", "3"]],
    [{ when: 1_704_067_200 }, ["1", "3"]],
    [{ when: "2024-01-01T01:00:00+01:00" }, ["1", "3"]],
  ])("%j leaves %j", async (body, remaining) => {
    expect(await removedBy(body)).toBe(3 - remaining.length);
    expect(await left()).toEqual(remaining);
  });

  test("_id takes several, unknown ones among them; num_removed counts each document once", async () => {
    expect(await removedBy({ _id: [ids[0], ids[0], "f".repeat(32), ids[2]] })).toBe(2);
    expect(await removedBy({ _id: ids[0] })).toBe(0);
    expect(await left()).toEqual(["2"]);
  });
});

describe("by query", () => {
  test.each<[unknown]>([
    [{ exact: { ctx: "" } }],
    [{ exact: { ctx: "  " } }],
    [{ exact: { ctx: "the of" } }],
    [{ fuzzy: { ctx: "" } }],
    [{ fuzzy: { ctx: "*" } }],
    [{ dynamic: { ctx: "the" } }],
    ["the"],
    [{ exact: { ctx: "-the" } }],
    [
      [
        { occur: "must", exact: { ctx: "*" } },
        { occur: "must", fuzzy: { ctx: "the" } },
      ],
    ],
    [{ exact: { ctx: "year:[5 TO 1]" } }],
  ])("%j removes nothing", async (query) => {
    expect(await removedBy({ query }, "/query")).toBe(0);
    expect(await left()).toEqual(["1", "2", "3"]);
  });

  test.each<[object]>([
    [{ query: { exact: { ctx: "*" } }, exact: { ctx: "id:1" } }],
    [{ exact: { ctx: "*" }, fuzzy: { ctx: "x" } }],
    [{ exact: {} }],
    [{ query: [] }],
    [{ query: null }],
    [{ limit: 1 }],
  ])("%j: the wrapped query counts, or it is refused", async (body) => {
    const answer = await server.delete("/index/books/documents/query", body);
    if ("query" in body && "exact" in body) expect(answer.json.data.num_removed).toBe(3);
    else expectError(answer, 400, "invalid_request");
    await server.post("/index/books/rollback");
    expect(await left()).toEqual(["1", "2", "3"]);
  });

  test("all matches go, not a page of them, pending ones too", async () => {
    await server.post(
      "/index/books/documents",
      Array.from({ length: 300 }, (_, id) => ({ id: `p${id}`, title: "page" })),
    );
    expect(await removedBy({ query: { exact: { ctx: "page" } }, limit: 1, offset: 5 }, "/query")).toBe(300);
    expect(await left()).toEqual(["1", "2", "3"]);
  });
});

// How long finding takes is the cluster's affair: what is dear here isn't there.
test.skipIf(isOnCluster())(
  "a delete that would hold up all writes for too long deletes nothing, and says so",
  async () => {
    const hurried = await WireServer.start({ searchTimeoutMs: 10 });
    try {
      await hurried.createIndex("long");
      const words = Array.from({ length: 100_000 }, (_, i) => `w${i.toString(36)}`);
      await hurried.addCommitted("long", [{ id: "1", title: words.join(" ") }]);
      const ranges = Array.from({ length: 500 }, (_, i) => `title:[a TO z${i}]`);
      const dear = { query: { exact: { ctx: ranges.join(" ") } } };
      expectError(await hurried.delete("/index/long/documents/query", dear), 400, "search_timeout");
      await hurried.post("/index/long/commit");
      expect((await hurried.get("/index/long/stats")).json.data.document_count).toBe(1);
      // Ten milliseconds may be short for a cheap one, too, on a busy machine.
      const cheap = async (): Promise<unknown> =>
        (await hurried.delete("/index/long/documents", { id: "1" })).json.data.num_removed;
      await expect.poll(cheap).toBe(1);
    } finally {
      await hurried.stopAndRemove();
    }
  },
);
