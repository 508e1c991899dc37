// Contract 5.1, 5.2, 5.4, 5.6, 5.7: analysis, modes, stopwords, combining and ordering, seen from outside.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { type ParsedJson, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

let count = 0;
let name = "";

/** A new index with one document for each text, whose `id` is the text. */
async function indexOf(texts: readonly string[], settings: Record<string, unknown> = {}): Promise<void> {
  name = `modes-${++count}`;
  await server.createIndex(name, settings);
  await server.addCommitted(
    name,
    texts.map((title) => ({ id: title, title })),
  );
}

async function search(body: object): Promise<ParsedJson> {
  const answer = await server.post(`/index/${name}/search`, { limit: 200, ...body });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}

/** The ids of the hits, best first. */
async function ranked(query: unknown, more: object = {}): Promise<string[]> {
  return (await search({ query, ...more })).hits.map((hit: { doc: { id: string } }) => hit.doc.id);
}

async function found(query: unknown, more: object = {}): Promise<string[]> {
  return (await ranked(query, more)).toSorted();
}

const fuzzy = (ctx: string) => ({ fuzzy: { ctx } });
const exact = (ctx: string) => ({ exact: { ctx } });
const dynamic = (ctx: string) => ({ dynamic: { ctx } });
const must = (clause: object) => ({ occur: "must", ...clause });

describe("5.1 text analysis", () => {
  test.each([
    ["letters, marks and digits of any script", "Привет мир42", ["привет", "МИР42"], ["мир"]],
    ["lower case by Unicode", "GROẞE ΣΊΣΥΦΟΣ", ["große", "σίσυφος"], []],
    ["NFC on both sides", "Cafe\u0301 noir", ["caf\u00e9", "cafe\u0301"], ["cafe"]],
    ["no accent folding", "naïve", ["naïve"], ["naive"]],
    ["anything else separates", "b-c_d.e/f@g", ["b", "c", "d", "e", "f", "g"], ["bc"]],
    ["emoji are no tokens", "sun 😀 moon", ["sun", "moon"], []],
    ["scripts without spaces", "東京都に住む", ["東京"], ["京東"]],
  ])("%s", async (_rule, text, matching, others) => {
    await indexOf([text]);
    for (const word of matching) expect(await found(exact(`"${word}"`)), word).toEqual([text]);
    for (const word of others) expect(await found(exact(`"${word}"`)), word).toEqual([]);
  });

  test("a token over 255 bytes is dropped and the rest of the text is found", async () => {
    const text = `front ${"x".repeat(256)} behind ${"y".repeat(255)}`;
    await indexOf([text]);
    expect(await found(exact("front"))).toEqual([text]);
    expect(await found(exact("y".repeat(255)))).toEqual([text]);
    expect(await found(exact("x".repeat(256)))).toEqual([]);
    expect(await found(fuzzy("x".repeat(256)))).toEqual([]);
  });
});

describe("5.2 fuzzy", () => {
  test.each([
    ["one or two letters: none", "ox", ["ox"], ["on", "oxen", "xo"]],
    [
      "three to five: one edit",
      "horse",
      ["horse", "hors", "horsey", "house", "hosre", "hxorse"],
      ["hore5s", "hrs"],
    ],
    ["three is the least for one", "cat", ["cat", "at", "cart", "bat", "act"], ["bar", "c"]],
    ["six and more: two edits", "planet", ["planet", "plane", "plan3t", "plan", "palnte"], ["pla", "plxyzt"]],
    ["all digits: none", "12345", ["12345"], ["12346", "1234"]],
  ])("%s", async (_rule, word, matching, others) => {
    await indexOf([...matching, ...others]);
    expect(await found(fuzzy(word))).toEqual(matching.toSorted());
  });

  test("length counts code points: five letters beyond the basic plane allow one edit", async () => {
    await indexOf(["𐐨𐐩𐐪𐐫𐐬", "𐐨𐐩𐐪𐐫", "𐐨𐐩𐐪"]);
    expect(await found(fuzzy("𐐨𐐩𐐪𐐫𐐬"))).toEqual(["𐐨𐐩𐐪𐐫", "𐐨𐐩𐐪𐐫𐐬"].toSorted());
  });

  test("any token in any search field; no prefixes; the first letter may differ", async () => {
    await indexOf(["galaxy map", "milky way", "galactical"]);
    expect(await found(fuzzy("galaxy way"))).toEqual(["galaxy map", "milky way"]);
    expect(await found(fuzzy("gala"))).toEqual([]);
    expect(await found(fuzzy("balaxy"))).toEqual(["galaxy map"]);
  });

  test("the query language means nothing and is never an error", async () => {
    await indexOf(["red fish", "blue fish"]);
    for (const ctx of [
      "title:red",
      "red AND",
      "(red",
      '"red',
      "red -blue^2",
      "[red TO",
      "red\\",
      "*",
      "red*",
    ]) {
      const hits = await found(fuzzy(ctx));
      if (ctx === "*") expect(hits).toEqual([]);
      else expect(hits, ctx).toContain("red fish");
    }
    expect(await found(fuzzy("red -blue"))).toEqual(["blue fish", "red fish"]);
  });

  test("the exact word ranks first and scores fall with each edit, whatever is rare or long or weighted", async () => {
    const long = `planet ${"filler words of all kinds ".repeat(40)}`;
    await indexOf([
      "planet",
      "planet planet",
      long,
      "planex",
      "planexx",
      "planet and more",
      "plamet plamet plamet",
    ]);
    const order = await ranked(fuzzy("planet"));
    const isExact = order.map((text) => /\bplanet\b/.test(text));
    expect(isExact.toSorted().toReversed()).toEqual(isExact);
    expect(order).toHaveLength(7);
    expect(order.at(-1)).toBe("planexx");
  });

  test("count is all matches of all variants", async () => {
    const variants = [..."abcdefghijklmnopqrstuvwxyz"].flatMap((a) =>
      [..."abcdefghijklmnopqrstuvwxyz"].map((b) => `p${a}an${b}t`),
    );
    await indexOf(variants);
    expect((await search({ query: fuzzy("planet"), limit: 0 })).count).toBe(26 * 26);
  });
});

describe("5.2 dynamic", () => {
  test("no word: nothing; one word: exact", async () => {
    await indexOf(["planet earth", "planex"]);
    for (const ctx of ["the", "&", "the & of", "..."]) expect(await found(dynamic(ctx))).toEqual([]);
    expect(await found(dynamic("planet"))).toEqual(["planet earth"]);
    expect(await found(dynamic("planex"))).toEqual(["planex"]);
    expect(await found(dynamic("planey"))).toEqual([]);
  });

  test("two words: the first exactly, the second with typos, both of them", async () => {
    await indexOf(["red planet", "red planex", "rod planet", "red sun", "planet"]);
    expect(await found(dynamic("red planet"))).toEqual(["red planet", "red planex"]);
    expect(await ranked(dynamic("red planet"))).toEqual(["red planet", "red planex"]);
    // Stopwords, and words without a token, do not count.
    expect(await found(dynamic("the red & planet"))).toEqual(["red planet", "red planex"]);
    expect(await found(dynamic("rad planet"))).toEqual([]);
  });

  test("three words: the first two must match if they occur in the index, the third may", async () => {
    await indexOf(["red planet rising", "red planet", "red sun rising", "planet rising", "rising"]);
    expect(await found(dynamic("red planet rising"))).toEqual(["red planet", "red planet rising"]);
    expect(await found(dynamic("rad planet rising"))).toEqual([
      "planet rising",
      "red planet",
      "red planet rising",
    ]);
    expect(await found(dynamic("rad planit risng"))).toEqual(
      ["planet rising", "red planet", "red planet rising", "red sun rising", "rising"].toSorted(),
    );
  });

  test("three words with id among the search fields: its values count as words of the index, and no others", async () => {
    const settings = { search_fields: ["id", "title"] };
    await indexOf(["red planet rising", "red sun", "planet"], settings);
    expect(await found(dynamic("rad planet rising"))).toEqual(["planet", "red planet rising"]);
    expect(await found(dynamic("rad planit rising"))).toEqual(["planet", "red planet rising", "red sun"]);
    await server.addCommitted(name, [{ id: "rad", title: "a" }]);
    expect(await found(dynamic("rad planit rising"))).toEqual(["rad"]);
    expect(await found(dynamic("rad planet rising"))).toEqual([]);
  });

  test("three words: what occurs in deleted or pending documents only does not occur", async () => {
    await indexOf(["red planet rising", "planet", "rad"]);
    await server.delete(`/index/${name}/documents`, { id: "rad" });
    await server.post(`/index/${name}/commit`);
    await server.post(`/index/${name}/documents`, { id: "new", title: "rad" });
    expect(await found(dynamic("rad planet rising"))).toEqual(["planet", "red planet rising"]);
  });

  test("four and more: one fuzzy search of the whole", async () => {
    await indexOf(["red planet", "mars", "blue"]);
    expect(await found(dynamic("rad planit risng mors"))).toEqual(["mars", "red planet"]);
  });

  test("the expansion is one clause with the clause's own occur", async () => {
    await indexOf(["red planet", "red sun", "green"]);
    expect(await found([must(dynamic("red planet")), exact("green")])).toEqual(["red planet"]);
    expect(await found([must(exact("red")), dynamic("red planet")])).toEqual(["red planet", "red sun"]);
    expect(await found([dynamic("red planet"), exact("green")], { minimum_number_should_match: 1 })).toEqual([
      "green",
      "red planet",
    ]);
    expect(await found([dynamic("red planet"), exact("green")], { minimum_number_should_match: 2 })).toEqual(
      [],
    );
    const refused = await server.post(`/index/${name}/search`, {
      query: dynamic("red planet"),
      minimum_number_should_match: 2,
    });
    expectError(refused, 400, "minimum_should_match_too_large");
  });

  test("plain text too: no syntax, no errors", async () => {
    await indexOf(["red planet"]);
    for (const ctx of ["title:red", "red AND (", '"', "red planet\\", "( ) ["]) await found(dynamic(ctx));
    expect(await found(dynamic('"red" (planet'))).toEqual(["red planet"]);
  });
});

describe("5.4 stopwords", () => {
  test("fuzzy and dynamic drop them", async () => {
    await indexOf(["the house", "the of and", "house"]);
    expect(await found(fuzzy("the house"))).toEqual(["house", "the house"]);
    expect(await found(dynamic("the house"))).toEqual(["house", "the house"]);
    for (const ctx of ["the", "The OF and"]) {
      expect(await found(fuzzy(ctx))).toEqual([]);
      expect(await found(dynamic(ctx))).toEqual([]);
    }
  });

  test("exact drops them among words and in fielded values, in phrases they keep their place", async () => {
    await indexOf(["lord of the rings", "lord rings", "of the", "lord in no rings"]);
    expect(await found(exact("of the"))).toEqual([]);
    expect(await found(exact("title:the"))).toEqual([]);
    expect(await found(exact("title:the AND title:of"))).toEqual([]);
    expect(await found(exact("title:the AND lord"))).toEqual([
      "lord in no rings",
      "lord of the rings",
      "lord rings",
    ]);
    expect(await found(exact('"lord of the rings"'))).toEqual(["lord in no rings", "lord of the rings"]);
    expect(await found(exact('"lord rings"'))).toEqual(["lord rings"]);
    expect(await found(exact('"of the"'))).toEqual([]);
    expect(await found(exact("lord -the"))).toEqual(["lord in no rings", "lord of the rings", "lord rings"]);
    expect(await found(exact("-the"))).toEqual([]);
  });

  test("values of id, facet, number, date and bool fields never are", async () => {
    name = `modes-${++count}`;
    await server.createIndex(name, {
      fields: { id: { type: "text" }, title: { type: "text" }, kind: { type: "facet" } },
    });
    await server.addCommitted(name, [{ id: "the", title: "the", kind: "/the" }]);
    expect(await found(exact("id:the"))).toEqual(["the"]);
    expect(await found(exact("kind:/the"))).toEqual(["the"]);
    expect(await found(exact("kind:the"))).toEqual(["the"]);
  });

  test("a clause of stopwords alone empties the result as must, adds nothing as should, and counts", async () => {
    await indexOf(["house", "tree"]);
    expect(await found([must(exact("house")), must(fuzzy("the"))])).toEqual([]);
    expect(await found([must(exact("house")), fuzzy("the")])).toEqual(["house"]);
    expect(await found([exact("house"), fuzzy("the")], { minimum_number_should_match: 1 })).toEqual([
      "house",
    ]);
    expect(await found([exact("house"), fuzzy("the")], { minimum_number_should_match: 2 })).toEqual([]);
    expect(await found([exact("house"), exact("")], { minimum_number_should_match: 2 })).toEqual([]);
  });

  test("switched off they are words like any other, at once", async () => {
    await indexOf(["the house", "house"]);
    await server.patch(`/index/${name}`, { exclude_stop_words: false });
    expect(await found(exact("the"))).toEqual(["the house"]);
    expect(await found(fuzzy("the"))).toEqual(["the house"]);
    await server.patch(`/index/${name}`, { exclude_stop_words: true });
    expect(await found(exact("the"))).toEqual([]);
  });

  test("a language without a dictionary has none", async () => {
    await indexOf(["the house"], { language: "xx" });
    expect(await found(exact("the"))).toEqual(["the house"]);
  });
});

describe("5.6 combining clauses", () => {
  test("should alone: at least one; with must: only score", async () => {
    await indexOf(["a1 b1", "a1", "b1", "c1"]);
    expect(await found([exact("a1"), exact("b1")])).toEqual(["a1", "a1 b1", "b1"]);
    expect(await ranked([must(exact("a1")), exact("b1")])).toEqual(["a1 b1", "a1"]);
    expect(await found([must(exact("a1")), must(exact("b1"))])).toEqual(["a1 b1"]);
  });

  test("the minimum overrides; 0 lifts it but widens nothing", async () => {
    await indexOf(["a1 b1", "a1", "b1", "c1 a1 b1"]);
    const clauses = [exact("a1"), exact("b1"), must(exact("c1"))];
    expect(await found(clauses)).toEqual(["c1 a1 b1"]);
    expect(await found([must(exact("a1")), exact("b1")], { minimum_number_should_match: 1 })).toEqual([
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await found([exact("a1"), exact("b1")], { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "b1",
      "c1 a1 b1",
    ]);
    expect(await found([must(exact("a1")), exact("b1")], { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
    expect(await found(exact("a1"), { minimum_number_should_match: 0 })).toEqual(["a1", "a1 b1", "c1 a1 b1"]);
    expect(await found(exact("a1"), { minimum_number_should_match: 1 })).toEqual(["a1", "a1 b1", "c1 a1 b1"]);
    expect(await found(must(exact("a1")), { minimum_number_should_match: 0 })).toEqual([
      "a1",
      "a1 b1",
      "c1 a1 b1",
    ]);
  });

  test("a fuzzy clause counts when it matches by edits", async () => {
    await indexOf(["planex blue", "planet", "blue"]);
    expect(await found([fuzzy("planet"), exact("blue")], { minimum_number_should_match: 2 })).toEqual([
      "planex blue",
    ]);
  });

  test("the score is the sum of the matching clauses' scores", async () => {
    await indexOf(["a1 b1", "a1 x", "b1 y"]);
    const scoreOf = async (query: unknown) =>
      (await search({ query })).hits.find((hit: ParsedJson) => hit.doc.id === "a1 b1").score as number;
    const both = await scoreOf([exact("a1"), exact("b1")]);
    expect(both).toBeCloseTo((await scoreOf(exact("a1"))) + (await scoreOf(exact("b1"))), 5);
    expect(await scoreOf([must(exact("a1")), must(exact("a1"))])).toBeCloseTo(
      2 * (await scoreOf(exact("a1"))),
      5,
    );
  });
});

describe("5.7 scoring and ordering", () => {
  test("weights multiply unfielded searches and not field:term", async () => {
    name = `modes-${++count}`;
    await server.createIndex(name, {
      fields: { id: { type: "text" }, title: { type: "text" }, body: { type: "text" } },
      weight_multipliers: { title: 5 },
    });
    await server.addCommitted(name, [
      { id: "title", title: "star", body: "other" },
      { id: "body", title: "other", body: "star" },
    ]);
    const scores = async (ctx: string) =>
      Object.fromEntries(
        (await search({ query: exact(ctx) })).hits.map((hit: ParsedJson) => [hit.doc.id, hit.score]),
      );
    const { title, body } = await scores("star");
    expect(title).toBeCloseTo(5 * body, 5);
    expect((await scores("title:star"))["title"]).toBeCloseTo(title / 5, 5);
    await server.patch(`/index/${name}`, { weight_multipliers: { title: 0 } });
    expect((await scores("star"))["title"]).toBe(0);
  });

  test("filters score a constant 1", async () => {
    name = `modes-${++count}`;
    await server.createIndex(name, {
      fields: {
        id: { type: "text" },
        kind: { type: "facet" },
        on: { type: "bool" },
        year: { type: "u64" },
        at: { type: "datetime" },
        title: { type: "text" },
      },
    });
    await server.addCommitted(name, [{ id: "1", kind: "/a", on: true, year: 1, at: 0, title: "x1 y1" }]);
    for (const ctx of [
      "*",
      "id:1",
      "kind:/a",
      "on:true",
      "year:1",
      "year:[0 TO 2]",
      "at:0",
      "title:IN [x1]",
      "title:[x TO z]",
      "year:*",
    ]) {
      expect((await search({ query: exact(ctx) })).hits[0]?.score, ctx).toBeCloseTo(1, 6);
    }
  });

  test("equal scores and equal values keep the order of insertion, also over commits and merges", async () => {
    name = `modes-${++count}`;
    await server.createIndex(name, { fields: { id: { type: "text" }, n: { type: "u64" } } });
    for (let round = 0; round < 5; round++) {
      await server.addCommitted(name, [
        { id: `${round}a`, n: 1 },
        { id: `${round}b`, n: 1 },
        { id: `${round}c` },
      ]);
    }
    const inserted = Array.from({ length: 5 }, (_, round) => [`${round}a`, `${round}b`, `${round}c`]).flat();
    expect(await ranked(exact("*"))).toEqual(inserted);
    const withValue = inserted.filter((id) => !id.endsWith("c"));
    const without = inserted.filter((id) => id.endsWith("c"));
    for (const sort of ["asc", "desc"]) {
      expect(await ranked(exact("*"), { order_by: "n", sort })).toEqual([...withValue, ...without]);
    }
  });

  test("text orders case-insensitively by code points, numbers, dates and bools by value", async () => {
    name = `modes-${++count}`;
    await server.createIndex(name, {
      fields: {
        id: { type: "text" },
        title: { type: "text" },
        i: { type: "i64" },
        f: { type: "f64" },
        at: { type: "datetime" },
        on: { type: "bool" },
      },
    });
    await server.addCommitted(name, [
      { id: "1", title: "banana", i: -5, f: 0.5, at: "2024-01-01", on: true },
      { id: "2", title: "Apple", i: 10, f: -1e300, at: "1969-01-01", on: false },
      { id: "3", title: "Éclair", i: 9, f: 1e300, at: "2024-01-02" },
      { id: "4", title: "cherry 10", i: 0, f: 0 },
      { id: "5", title: "Cherry 9" },
    ]);
    const by = (order_by: string) => ranked(exact("*"), { order_by, sort: "asc" });
    expect(await by("title")).toEqual(["2", "1", "4", "5", "3"]);
    expect(await by("id")).toEqual(["1", "2", "3", "4", "5"]);
    expect(await by("i")).toEqual(["1", "4", "3", "2", "5"]);
    expect(await by("f")).toEqual(["2", "4", "1", "3", "5"]);
    expect(await by("at")).toEqual(["2", "1", "3", "4", "5"]);
    expect(await by("on")).toEqual(["2", "1", "3", "4", "5"]);
  });
});
