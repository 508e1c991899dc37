// Contract 5.3: what synonyms find, in which modes, and where they rank.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());
beforeEach(async () => {
  await server.delete("/index/books");
  await server.createIndex("books", { search_fields: ["title"] });
  await server.addCommitted(
    "books",
    Object.entries(TITLES).map(([id, title]) => ({ id, title })),
  );
});

const TITLES = {
  city: "A walk through New York City",
  nyc: "Best of NYC",
  reversed: "York, the new guide",
  lotr: "LOTR: the complete trilogy",
  lord: "Lord of the Rings",
  rings: "Rings for lords",
  laptop: "Laptop repair",
  notebook: "Notebook repair",
  laptpo: "Laptpo misprint",
  who: "Pete Townshend and Roger Daltrey",
};

async function find(query: unknown, others: object = {}): Promise<readonly string[]> {
  const answer = await server.post("/index/books/search", { query, limit: 50, ...others });
  expect(answer.text).toContain('"status":200');
  return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
}
const fuzzily = (ctx: string): Promise<readonly string[]> => find({ fuzzy: { ctx } });
const synonyms = (...entries: string[]): Promise<unknown> => server.post("/index/books/synonyms", entries);

describe("fuzzy", () => {
  test("a document that matches every word through synonyms comes before one that matches fewer", async () => {
    await synonyms("computer:laptop", "mending:repair");
    expect((await fuzzily("computer mending"))[0]).toBe("laptop");
    await server.addCommitted("books", [{ id: "partly", title: "Computer computer computer" }]);
    expect((await fuzzily("computer mending")).slice(0, 2)).toEqual(["laptop", "partly"]);
  });

  test("a key that can never apply is refused, and nothing of the request done", async () => {
    const answer = await server.post("/index/books/synonyms", ["tv:television", "+ +:plus"]);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("holds no word");
    expect((await server.get("/index/books/synonyms")).json.data).toEqual({});
  });

  test("one-way: the key finds its terms, a term does not find its key", async () => {
    await synonyms("nyc:new york");
    expect(await fuzzily("nyc")).toEqual(["nyc", "city"]);
    expect(await fuzzily("york")).not.toContain("nyc");
    await synonyms("laptop:notebook");
    expect(await fuzzily("notebook")).toEqual(["notebook"]);
  });

  test("keys and terms of several words, in any spelling that analysis makes the same", async () => {
    expect(await fuzzily("New-York")).not.toContain("nyc");
    await synonyms("new york:NYC");
    for (const query of ["New-York", "NEW  YORK", "hotels in new york!"]) {
      expect(await fuzzily(query), query).toContain("nyc");
    }
    for (const query of ["york new", "new in york", "new", "york"]) {
      expect(await fuzzily(query), query).not.toContain("nyc");
    }
    expect((await fuzzily("new york"))[0]).toBe("city");
  });

  test("a term of several words is a phrase, and takes no typos", async () => {
    await synonyms("apple:new york", "pear:notebok");
    expect(await fuzzily("apple")).toEqual(["city"]);
    expect(await fuzzily("pear")).toEqual([]);
  });

  test("keys that hold stopwords work, also those of nothing else", async () => {
    await synonyms("lord of the rings:lotr", "the who:roger daltrey");
    const found = await fuzzily("lord of the rings");
    expect([...found].toSorted()).toEqual(["lord", "lotr", "rings"]);
    expect(found[0]).toBe("lord");
    expect(await fuzzily("lord rings")).not.toContain("lotr");
    expect(await fuzzily("the who")).toEqual(["who"]);
    expect(await fuzzily("the")).toEqual([]);
  });

  test("the word itself first, then synonyms, then misspellings", async () => {
    await synonyms("laptop:notebook");
    expect(await fuzzily("laptop")).toEqual(["laptop", "notebook", "laptpo"]);
    await server.patch("/index/books", { weight_multipliers: { title: 0 } });
    expect(await fuzzily("laptop")).toEqual(["laptop", "notebook", "laptpo"]);
  });

  test("stems are compared where the index stems", async () => {
    await server.patch("/index/books", { language: "en", enable_language_stemming: true });
    await synonyms("printers:repairing", "laptops:notebooks");
    expect([...(await fuzzily("printer"))].toSorted()).toEqual(["laptop", "notebook"]);
    expect(await fuzzily("laptop")).toContain("notebook");
  });

  test("take effect and end at once, for the next search", async () => {
    await synonyms("apple:laptop");
    expect(await fuzzily("apple")).toEqual(["laptop"]);
    await server.delete("/index/books/synonyms", ["apple"]);
    expect(await fuzzily("apple")).toEqual([]);
  });
});

describe("other modes and clauses", () => {
  test("exact knows no synonyms; dynamic does in its fuzzy parts", async () => {
    await synonyms("lord of the rings:lotr", "rings:lotr", "apple:laptop", "a b c d:notebook");
    expect(await find({ exact: { ctx: "apple" } })).toEqual([]);
    expect(await find({ dynamic: { ctx: "apple" } })).toEqual([]);
    expect(await find({ dynamic: { ctx: "complete rings" } })).toEqual(["lotr"]);
    expect(await find({ dynamic: { ctx: "buy the lord of the rings now" } })).toContain("lotr");
    expect(await find({ dynamic: { ctx: "the of" } })).toEqual([]);
  });

  test("a clause counts once towards the minimum, however it matches", async () => {
    await synonyms("laptop:notebook,repair,laptpo");
    const query = [{ fuzzy: { ctx: "laptop" } }, { exact: { ctx: "repair" } }];
    const found = await find(query, { minimum_number_should_match: 2 });
    expect([...found].toSorted()).toEqual(["laptop", "notebook"]);
  });

  test("a document with word and synonym scores as its better half", async () => {
    await server.addCommitted("books", [
      { id: "a1", title: "zebra crossing" },
      { id: "a2", title: "zebra crossing" },
    ]);
    const scoreOf = async (id: string): Promise<number> => {
      const { json } = await server.post("/index/books/search", { query: "zebra", limit: 50 });
      return json.data.hits.find((hit: { doc: { id: string } }) => hit.doc.id === id).score;
    };
    await synonyms("zebra:unheard of");
    const before = await scoreOf("a1");
    await server.delete("/index/books/synonyms/all");
    await synonyms("zebra:crossing");
    expect(await scoreOf("a1")).toBeCloseTo(before, 5);
  });
});
