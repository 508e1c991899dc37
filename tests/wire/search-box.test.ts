// A search box: typos in every word while the last one is still being typed, all words first, then fewer slips.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  const text = { type: "text" };
  await server.createIndex("shop", {
    search_fields: ["title", "body"],
    fields: { id: text, title: text, body: text },
  });
  await server.addCommitted("shop", [
    { id: "jacket", title: "Leather Jacket", body: "for cold days" },
    { id: "jack", title: "Leather belt by Jack", body: "brown" },
    { id: "belt", title: "Leather belt leather strap", body: "leather" },
    { id: "wool", title: "Wool jacket", body: "warm jacket, a real jacket" },
    { id: "weather", title: "Weather jacket", body: "against rain" },
    { id: "strat", title: "Stratocaster", body: "a guitar" },
    { id: "strategy", title: "Strategy games", body: "for two" },
    { id: "statistics", title: "Statistical statistics", body: "statistically" },
    { id: "they", title: "Theory of colours", body: "thermal" },
  ]);
});
afterAll(() => server.stopAndRemove());

async function find(clause: object, mode = "fuzzy"): Promise<readonly string[]> {
  const answer = await server.post("/index/shop/search", { query: { [mode]: clause }, limit: 50 });
  expect(answer.text).toContain('"status":200');
  return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
}
const typed = (ctx: string): Promise<readonly string[]> => find({ ctx, as_you_type: true });

describe("fuzzy, as you type", () => {
  test("finds a beginning behind a typo, documents with both words first", async () => {
    const found = await typed("leahter jack");
    expect(found.slice(0, 2).toSorted()).toEqual(["jack", "jacket"]);
    expect(found).toContain("belt");
  });

  test("a word that is there counts more than one that begins so, that more than a misspelt beginning", async () => {
    expect(await typed("leather jack")).toEqual(expect.arrayContaining(["jack", "jacket"]));
    expect((await typed("strat"))[0]).toMatch(/^strat/);
    const found = await typed("strat");
    expect(found.indexOf("statistics")).toBeGreaterThan(found.indexOf("strategy"));
  });

  test("whole words are found with typos while they are being typed, too", async () => {
    expect(await typed("jackte")).toEqual(expect.arrayContaining(["jacket", "wool"]));
    expect(await typed("wol")).toContain("wool");
  });

  test("the word being typed is no stopword; once a space follows, it is one", async () => {
    expect(await typed("the")).toEqual(["they"]);
    expect(await typed("the ")).toEqual([]);
    expect(await typed("leather for")).toContain("jacket");
  });

  test("of words that begin so, the one that stands behind the word before in more documents comes first", async () => {
    const text = { type: "text" };
    await server.createIndex("modules", { search_fields: ["title"], fields: { id: text, title: text } });
    await server.addCommitted("modules", [
      { id: "core", title: "Core Perl modules" },
      { id: "time", title: "Perl module for the time of day" },
      { id: "mail", title: "Perl module for mail that is sent" },
      { id: "dates", title: "Perl module for dates and times" },
      { id: "kernel", title: "Kernel modules, modules, modules" },
    ]);
    const query = { fuzzy: { ctx: "perl modu", as_you_type: true } };
    const { json } = await server.post("/index/modules/search", { query });
    const found = json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
    expect(found.slice(0, 3).toSorted()).toEqual(["dates", "mail", "time"]);
    expect(found.slice(3)).toEqual(["core", "kernel"]);
  });

  test("of one word, a field that is that word comes first, as typed, misspelt and behind its end", async () => {
    const text = { type: "text" };
    await server.createIndex("films", {
      search_fields: ["title", "plot"],
      fields: { id: text, title: text, plot: text },
    });
    await server.addCommitted("films", [
      { id: "twice", title: "Together Together", plot: "together, together, and once more together" },
      { id: "alone", title: "Together alone", plot: "two who live together" },
      { id: "whole", title: "Together", plot: "a house in Stockholm in the year 1975, where people live" },
      { id: "begun", title: "Togethers", plot: "none" },
      { id: "none", title: "Apart", plot: "none" },
    ]);
    const found = async (clause: object): Promise<readonly string[]> => {
      const { json } = await server.post("/index/films/search", { query: { fuzzy: clause } });
      return json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
    };
    for (const clause of [
      { ctx: "together" },
      { ctx: "Together", as_you_type: true },
      { ctx: "together ", as_you_type: true },
      { ctx: "togetehr" },
      { ctx: "together", match: "all" },
    ])
      expect([clause, (await found(clause))[0]]).toEqual([clause, "whole"]);
    // A word that only begins so is none.
    expect((await found({ ctx: "togeth", as_you_type: true }))[0]).toBe("twice");
    // Two words are told by where they stand.
    expect((await found({ ctx: "together alone" }))[0]).toBe("alone");
    const { json } = await server.post("/index/films/search", {
      query: { fuzzy: { ctx: "together" } },
      explain: true,
      limit: 1,
    });
    expect(JSON.stringify(json.data.hits[0].explanation)).toContain("nothing but the word");
  });

  test("a beginning of hundreds of words behind a misspelling of as many is still answered", async () => {
    const text = { type: "text" };
    await server.createIndex("beginnings", {
      search_fields: ["title", "body"],
      fields: { title: text, body: text },
    });
    const letters = [..."abcdefghijklmnopqrstuvwxyz"];
    const documents = letters.flatMap((one) =>
      letters.map((two) => ({ title: `gar${one}en mod${one}${two}`, body: `gar${two}en mod${two}${one}` })),
    );
    await server.addCommitted("beginnings", documents);
    const query = { fuzzy: { ctx: "gar0en mod", as_you_type: true } };
    const { json } = await server.post("/index/beginnings/search", { query, limit: 1 });
    expect(json).toMatchObject({ status: 200, data: { count: documents.length } });
  });

  test("white space ends the last word", async () => {
    expect(await typed("jacke")).toContain("jacket");
    expect(await typed("stra ")).not.toContain("strategy");
  });
});

describe("a few words", () => {
  test("stand as in the query first, a beginning of two letters too", async () => {
    await server.createIndex("near", { fields: { id: { type: "text" }, title: { type: "text" } } });
    await server.addCommitted("near", [
      { id: "away", title: "War star" },
      { id: "star", title: "A warm way, water, a star" },
      { id: "wars", title: "The long story of the star wars" },
    ]);
    const { json } = await server.post("/index/near/search", {
      query: { fuzzy: { ctx: "star wa", as_you_type: true } },
    });
    expect(json.data.hits[0].doc.id).toBe("wars");
  });

  test("documents with all of them come first, then those with fewer slips", async () => {
    const found = await find({ ctx: "leather jacket" });
    expect(found.slice(0, 2)).toEqual(["jacket", "weather"]);
    expect(found).toEqual(expect.arrayContaining(["belt", "wool"]));
  });

  test("a stopword finds nothing, and documents come first in which it stands beside the word", async () => {
    await server.createIndex("stopwords", { fields: { id: { type: "text" }, title: { type: "text" } } });
    await server.addCommitted("stopwords", [
      { id: "midnight", title: "Midnight" },
      { id: "after", title: "After Midnight" },
      { id: "before", title: "Midnight after" },
      { id: "stopword", title: "After" },
    ]);
    const { json } = await server.post("/index/stopwords/search", {
      query: { fuzzy: { ctx: "after midnight" } },
    });
    const ids = json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
    expect(ids).toEqual(["after", "before", "midnight"]);
    const alone = await server.post("/index/stopwords/search", { query: { fuzzy: { ctx: "midnight" } } });
    expect(alone.json.data.count).toBe(json.data.count);
  });

  test("a word that nothing holds does not keep the others from counting", async () => {
    expect((await find({ ctx: "leather jacket xqzzyxqzzy" }))[0]).toBe("jacket");
  });

  test("match all needs every word", async () => {
    expect(await find({ ctx: "leather jacket", match: "all" })).toEqual(["jacket", "weather", "jack"]);
    expect(await find({ ctx: "leather jacket xqzzyxqzzy", match: "all" })).toEqual([]);
    expect((await find({ ctx: "leather jack", match: "all", as_you_type: true })).toSorted()).toEqual([
      "jack",
      "jacket",
      "weather",
    ]);
    expect(await find({ ctx: "jacket", match: "all" })).toEqual(await find({ ctx: "jacket" }));
  });

  test("among many documents what merely looks like a word that occurs doesn't hold it, unless all are needed", async () => {
    await server.createIndex("many", { fields: { id: { type: "text" }, title: { type: "text" } } });
    const others = Array.from({ length: 1_000 }, (_, n) => ({ id: `other-${n}`, title: `thing ${n}` }));
    await server.addCommitted("many", [
      ...others,
      { id: "both", title: "a leather jacket" },
      { id: "slip", title: "a weather jacket" },
      { id: "one", title: "leather" },
    ]);
    const asked = async (fuzzy: object): Promise<{ id: string; holdsAll: boolean }[]> => {
      const { json } = await server.post("/index/many/search", { query: { fuzzy }, explain: true });
      return json.data.hits.map((hit: { doc: { id: string }; explanation: object }) => ({
        id: hit.doc.id,
        holdsAll: JSON.stringify(hit.explanation).includes("holds all words"),
      }));
    };
    const [best, ...rest] = await asked({ ctx: "leather jacket" });
    expect(best).toEqual({ id: "both", holdsAll: true });
    expect(rest.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual([
      { id: "one", holdsAll: false },
      { id: "slip", holdsAll: false },
    ]);
    const needed = await asked({ ctx: "leather jacket", match: "all" });
    expect(needed.map(({ id }) => id)).toEqual(["both", "slip"]);
  });

  test.each([
    [{ fuzzy: { ctx: "a", match: "some" } }, "query.fuzzy.match"],
    [{ exact: { ctx: "a", match: "all" } }, "query.exact.match"],
    [{ dynamic: { ctx: "a", match: "all" } }, "query.dynamic.match"],
    [{ fuzzy: { ctx: "a", as_you_type: 1 } }, "query.fuzzy.as_you_type"],
  ])("refuses %j", async (query, path) => {
    const answer = await server.post("/index/shop/search", { query });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain(path);
  });

  test("an explanation adds up to the score", async () => {
    const answer = await server.post("/index/shop/search", {
      query: { fuzzy: { ctx: "leahter jack", as_you_type: true } },
      explain: true,
    });
    for (const { score, explanation } of answer.json.data.hits) {
      const sum = explanation.details.reduce(
        (total: number, part: { value: number }) => total + part.value,
        0,
      );
      expect(explanation.value).toBe(score);
      expect(Math.abs(sum - score)).toBeLessThan(score * 1e-6);
    }
  });
});
