// Contract 3.7: the eight endpoints of synonyms and stopwords; 5.4: what custom stopwords do at once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { INGEST, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ dictionaryEntriesPerRequest: 50 });
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  await server.createIndex("books");
});

const synonyms = async (): Promise<unknown> => (await server.get("/index/books/synonyms", READ)).json.data;
const stopwords = async (): Promise<readonly string[]> =>
  (await server.get("/index/books/stopwords", READ)).json.data;

describe("synonyms", () => {
  test("gives the map of the contract's example, mirrored", async () => {
    const entries = [
      "ny:new york,nyc",
      "lotr:lord of the rings",
      "iphone,android,phone:android,phone,iphone",
    ];
    const added = await server.post("/index/books/synonyms", entries, INGEST);
    expect(added.json).toEqual({ status: 200, data: "synonyms added" });
    const lists = {
      ny: ["new york", "nyc"],
      lotr: ["lord of the rings"],
      iphone: ["android", "phone"],
      android: ["phone", "iphone"],
      phone: ["android", "iphone"],
    };
    const { json } = await server.get("/index/books/synonyms", READ);
    expect(json).toEqual({ status: 200, data: lists, ...lists });
  });

  test("merges with what is there, in input order, each term once, a key never its own", async () => {
    await server.post("/index/books/synonyms", ["a:b,a", "a:a"]);
    await server.post("/index/books/synonyms", ["a:c,b,d", "e:e"]);
    expect(await synonyms()).toEqual({ a: ["b", "c", "d"] });
  });

  test("takes escaped commas and colons, spaces, and names of every kind", async () => {
    await server.post("/index/books/synonyms", ["a\\:b,c\\,d: x\\\\ y ", "__proto__:status", "data:\\d"]);
    expect((await server.get("/index/books/synonyms")).text).toContain('"__proto__":["status"]');
    const { data } = (await server.get("/index/books/synonyms")).json;
    expect(Object.entries(data)).toEqual([
      ["a:b", [" x\\ y "]],
      ["c,d", [" x\\ y "]],
      ["__proto__", ["status"]],
      ["data", ["\\d"]],
    ]);
    await server.delete("/index/books/synonyms", ["a\\:b", "__proto__:status"]);
    expect(Object.keys((await synonyms()) as object)).toEqual(["c,d", "data"]);
  });

  test.each([
    [["a"]],
    [["a:b:c"]],
    [["a:"]],
    [[":b"]],
    [[""]],
    [[" :b"]],
    [["ok:fine", ",:b"]],
    [[1]],
    [{}],
    ["a:b"],
  ])("refuses %j and changes nothing", async (body) => {
    expectError(await server.post("/index/books/synonyms", JSON.stringify(body)), 400, "invalid_request");
    expect(await synonyms()).toEqual({});
  });

  test("deletes keys, pairs and all; what is not there is fine", async () => {
    await server.post("/index/books/synonyms", ["a:b,c", "d:e", "f:g"]);
    const deleted = await server.delete("/index/books/synonyms", ["a:b", "d", "nope", "a:nope", "x:y:z", ""]);
    expect(deleted.json.data).toBe("synonyms deleted");
    expect(await synonyms()).toEqual({ a: ["c"], f: ["g"] });
    await server.delete("/index/books/synonyms", ["a:c"]);
    expect(await synonyms()).toEqual({ f: ["g"] });
    expect((await server.delete("/index/books/synonyms/all")).json.data).toBe("all synonyms deleted");
    expect(await synonyms()).toEqual({});
  });

  test("holds to its limits, before pairs are made of an entry", async () => {
    const many = Array.from({ length: 51 }, (_, i) => `k${i}:t`);
    expectError(await server.post("/index/books/synonyms", many), 400, "invalid_request");
    const side = Array.from({ length: 20_000 }, (_, i) => `t${i}`).join(",");
    expectError(await server.post("/index/books/synonyms", [`${side}:${side}`]), 400, "invalid_request");
    expectError(await server.post("/index/books/synonyms", [`k:${side}`]), 400, "invalid_request");
    expect(await synonyms()).toEqual({});
  });

  test("of changes at once none is lost, and all outlive the server", async () => {
    const folder = server.folder;
    const names = Array.from({ length: 30 }, (_, i) => `k${i}`);
    await Promise.all([
      ...names.map((name) => server.post("/index/books/synonyms", [`${name}:x`])),
      ...names.map((name) => server.post("/index/books/stopwords", [name])),
      server.patch("/index/books", { weight_multipliers: { title: 3 } }),
    ]);
    await server.stop();
    server = await WireServer.start({}, { folder });
    expect(Object.keys((await synonyms()) as object).toSorted()).toEqual(names.toSorted());
    expect(await stopwords()).toEqual(expect.arrayContaining(names));
    expect((await server.get("/index/books")).json.data.weight_multipliers).toEqual({ title: 3 });
  });

  test("stay where the index is replaced, and go where it is deleted", async () => {
    await server.post("/index/books/synonyms", ["a:b"]);
    const index = { name: "books", fields: { title: { type: "text" } } };
    await server.put("/index/books", { index });
    await server.post("/index", { index, override_if_exists: true });
    expect(await synonyms()).toEqual({ a: ["b"] });
    await server.delete("/index/books");
    expectError(await server.get("/index/books/synonyms"), 404, "index_not_found");
    await server.createIndex("books");
    expect(await synonyms()).toEqual({});
  });
});

describe("stopwords", () => {
  test("are the dictionary and the custom words, lower case, sorted, unique", async () => {
    const dictionary = await stopwords();
    expect(dictionary).toContain("the");
    const added = await server.post("/index/books/stopwords", ["GmbH", "Inc", "the", "inc"], INGEST);
    expect(added.json).toEqual({ status: 200, data: "stopwords added" });
    expect(await stopwords()).toEqual([...dictionary, "gmbh", "inc"].toSorted());
    await server.patch("/index/books", { exclude_stop_words: false });
    expect(await stopwords()).toEqual(["gmbh", "inc", "the"]);
  });

  test("can be deleted: custom ones, and words of the dictionary, until they are added again", async () => {
    const dictionary = await stopwords();
    await server.post("/index/books/stopwords", ["gmbh", "inc", "the"]);
    const deleted = await server.delete("/index/books/stopwords", ["INC", "The", "nope", "of"]);
    expect(deleted.json.data).toBe("stopwords deleted");
    const rest = dictionary.filter((word) => word !== "the" && word !== "of");
    expect(await stopwords()).toEqual([...rest, "gmbh"].toSorted());
    await server.post("/index/books/stopwords", ["of"]);
    expect(await stopwords()).toEqual([...rest, "gmbh", "of"].toSorted());
    expect((await server.delete("/index/books/stopwords/all")).json.data).toBe("all stopwords deleted");
    expect(await stopwords()).toEqual(dictionary);
  });

  test("a word of the dictionary that was deleted is searched for at once, and after a restart", async () => {
    const folder = server.folder;
    await server.stop();
    server = await WireServer.start({}, { folder });
    await server.addCommitted("books", [{ id: "1", title: "The Who" }]);
    const count = async (): Promise<number> =>
      (await server.post("/index/books/search", { query: "who" })).json.data.count;
    expect(await count()).toBe(0);
    await server.delete("/index/books/stopwords", ["who"]);
    expect(await count()).toBe(1);
    await server.stop();
    server = await WireServer.start({}, { folder });
    expect(await count()).toBe(1);
    await server.delete("/index/books/stopwords/all");
    expect(await count()).toBe(0);
  });

  test.each([[[1]], [{ a: "b" }], [[""]], [["fine", " "]], ["gmbh"]])(
    "refuses %j and changes nothing",
    async (body) => {
      const before = await stopwords();
      expectError(await server.post("/index/books/stopwords", JSON.stringify(body)), 400, "invalid_request");
      expect(await stopwords()).toEqual(before);
    },
  );

  test("are limited in number, and what is over the limit changes nothing", async () => {
    const roomy = await WireServer.start({ dictionaryEntriesPerRequest: 100_000 });
    try {
      await roomy.createIndex("books");
      const words = Array.from({ length: 100_000 }, (_, i) => `word${i}`);
      const add = (entries: readonly string[]) => roomy.post("/index/books/stopwords", entries);
      expect((await add(words)).status).toBe(200);
      expectError(await add(["word99999", "another"]), 400, "invalid_request");
      expect((await add(["word0", "WORD1"])).status).toBe(200);
      expect((await roomy.get("/index/books/stopwords")).json.data).not.toContain("another");
    } finally {
      await roomy.stopAndRemove();
    }
  });

  test("are in force at once, without a commit", async () => {
    await server.addCommitted("books", [{ id: "1", title: "Acme GmbH" }]);
    const count = async (): Promise<number> =>
      (await server.post("/index/books/search", { query: "gmbh" })).json.data.count;
    expect(await count()).toBe(1);
    await server.post("/index/books/stopwords", ["gmbh"]);
    expect(await count()).toBe(0);
    await server.delete("/index/books/stopwords", ["gmbh"]);
    expect(await count()).toBe(1);
  });
});
