// Contract 5.1, 5.2, 5.4: analysis, modes and stopwords, seen from outside.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { dynamic, exact, fuzzy, must, TextIndexes } from "./text-indexes.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const texts = new TextIndexes(() => server);

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
    await texts.of([text]);
    for (const word of matching) expect(await texts.found(exact(`"${word}"`)), word).toEqual([text]);
    for (const word of others) expect(await texts.found(exact(`"${word}"`)), word).toEqual([]);
  });

  test("a token over 255 bytes is dropped and the rest of the text is found", async () => {
    const text = `front ${"x".repeat(256)} behind ${"y".repeat(255)}`;
    await texts.of([text]);
    expect(await texts.found(exact("front"))).toEqual([text]);
    expect(await texts.found(exact("y".repeat(255)))).toEqual([text]);
    expect(await texts.found(exact("x".repeat(256)))).toEqual([]);
    expect(await texts.found(fuzzy("x".repeat(256)))).toEqual([]);
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
    await texts.of([...matching, ...others]);
    expect(await texts.found(fuzzy(word))).toEqual(matching.toSorted());
  });

  test("length counts code points: five letters beyond the basic plane allow one edit", async () => {
    await texts.of(["𐐨𐐩𐐪𐐫𐐬", "𐐨𐐩𐐪𐐫", "𐐨𐐩𐐪"]);
    expect(await texts.found(fuzzy("𐐨𐐩𐐪𐐫𐐬"))).toEqual(["𐐨𐐩𐐪𐐫", "𐐨𐐩𐐪𐐫𐐬"].toSorted());
  });

  test("any token in any search field; no prefixes; the first letter may differ", async () => {
    await texts.of(["galaxy map", "milky way", "galactical"]);
    expect(await texts.found(fuzzy("galaxy way"))).toEqual(["galaxy map", "milky way"]);
    expect(await texts.found(fuzzy("gala"))).toEqual([]);
    expect(await texts.found(fuzzy("balaxy"))).toEqual(["galaxy map"]);
  });

  test("the query language means nothing and is never an error", async () => {
    await texts.of(["red fish", "blue fish"]);
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
      const hits = await texts.found(fuzzy(ctx));
      if (ctx === "*") expect(hits).toEqual([]);
      else expect(hits, ctx).toContain("red fish");
    }
    expect(await texts.found(fuzzy("red -blue"))).toEqual(["blue fish", "red fish"]);
  });

  test("the exact word ranks first and scores fall with each edit, whatever is rare or long or weighted", async () => {
    const long = `planet ${"filler words of all kinds ".repeat(40)}`;
    await texts.of([
      "planet",
      "planet planet",
      long,
      "planex",
      "planexx",
      "planet and more",
      "plamet plamet plamet",
    ]);
    const order = await texts.ranked(fuzzy("planet"));
    const isExact = order.map((text) => /\bplanet\b/.test(text));
    expect(isExact.toSorted().toReversed()).toEqual(isExact);
    expect(order).toHaveLength(7);
    expect(order.at(-1)).toBe("planexx");
  });

  test("count is all matches of all variants", async () => {
    const variants = [..."abcdefghijklmnopqrstuvwxyz"].flatMap((a) =>
      [..."abcdefghijklmnopqrstuvwxyz"].map((b) => `p${a}an${b}t`),
    );
    await texts.of(variants);
    expect((await texts.search({ query: fuzzy("planet"), limit: 0 })).count).toBe(26 * 26);
  });
});

describe("5.2 dynamic", () => {
  test("no word: nothing; one word: exact", async () => {
    await texts.of(["planet earth", "planex"]);
    for (const ctx of ["the", "&", "the & of", "..."]) expect(await texts.found(dynamic(ctx))).toEqual([]);
    expect(await texts.found(dynamic("planet"))).toEqual(["planet earth"]);
    expect(await texts.found(dynamic("planex"))).toEqual(["planex"]);
    expect(await texts.found(dynamic("planey"))).toEqual([]);
  });

  test("two words: the first exactly, the second with typos, both of them", async () => {
    await texts.of(["red planet", "red planex", "rod planet", "red sun", "planet"]);
    expect(await texts.found(dynamic("red planet"))).toEqual(["red planet", "red planex"]);
    expect(await texts.ranked(dynamic("red planet"))).toEqual(["red planet", "red planex"]);
    // Stopwords, and words without a token, do not count.
    expect(await texts.found(dynamic("the red & planet"))).toEqual(["red planet", "red planex"]);
    expect(await texts.found(dynamic("rad planet"))).toEqual([]);
  });

  test("three words: the first two must match if they occur in the index, the third may", async () => {
    await texts.of(["red planet rising", "red planet", "red sun rising", "planet rising", "rising"]);
    expect(await texts.found(dynamic("red planet rising"))).toEqual(["red planet", "red planet rising"]);
    expect(await texts.found(dynamic("rad planet rising"))).toEqual([
      "planet rising",
      "red planet",
      "red planet rising",
    ]);
    expect(await texts.found(dynamic("rad planit risng"))).toEqual(
      ["planet rising", "red planet", "red planet rising", "red sun rising", "rising"].toSorted(),
    );
  });

  test("three words with id among the search fields: its values count as words of the index, and no others", async () => {
    const settings = { search_fields: ["id", "title"] };
    await texts.of(["red planet rising", "red sun", "planet"], settings);
    expect(await texts.found(dynamic("rad planet rising"))).toEqual(["planet", "red planet rising"]);
    expect(await texts.found(dynamic("rad planit rising"))).toEqual([
      "planet",
      "red planet rising",
      "red sun",
    ]);
    await texts.add([{ id: "rad", title: "a" }]);
    expect(await texts.found(dynamic("rad planit rising"))).toEqual(["rad"]);
    expect(await texts.found(dynamic("rad planet rising"))).toEqual([]);
  });

  test("three words: what occurs in deleted or pending documents only does not occur", async () => {
    await texts.of(["red planet rising", "planet", "rad"]);
    await server.delete(`/index/${texts.name}/documents`, { id: "rad" });
    await server.post(`/index/${texts.name}/commit`);
    await server.post(`/index/${texts.name}/documents`, { id: "new", title: "rad" });
    expect(await texts.found(dynamic("rad planet rising"))).toEqual(["planet", "red planet rising"]);
  });

  test("four and more: one fuzzy search of the whole", async () => {
    await texts.of(["red planet", "mars", "blue"]);
    expect(await texts.found(dynamic("rad planit risng mors"))).toEqual(["mars", "red planet"]);
  });

  test("the expansion is one clause with the clause's own occur", async () => {
    await texts.of(["red planet", "red sun", "green"]);
    expect(await texts.found([must(dynamic("red planet")), exact("green")])).toEqual(["red planet"]);
    expect(await texts.found([must(exact("red")), dynamic("red planet")])).toEqual(["red planet", "red sun"]);
    expect(
      await texts.found([dynamic("red planet"), exact("green")], { minimum_number_should_match: 1 }),
    ).toEqual(["green", "red planet"]);
    expect(
      await texts.found([dynamic("red planet"), exact("green")], { minimum_number_should_match: 2 }),
    ).toEqual([]);
    const refused = await server.post(`/index/${texts.name}/search`, {
      query: dynamic("red planet"),
      minimum_number_should_match: 2,
    });
    expectError(refused, 400, "minimum_should_match_too_large");
  });

  test("plain text too: no syntax, no errors", async () => {
    await texts.of(["red planet"]);
    for (const ctx of ["title:red", "red AND (", '"', "red planet\\", "( ) ["])
      await texts.found(dynamic(ctx));
    expect(await texts.found(dynamic('"red" (planet'))).toEqual(["red planet"]);
  });
});

describe("5.4 stopwords", () => {
  test("fuzzy and dynamic drop them", async () => {
    await texts.of(["the house", "the of and", "house"]);
    expect(await texts.found(fuzzy("the house"))).toEqual(["house", "the house"]);
    expect(await texts.found(dynamic("the house"))).toEqual(["house", "the house"]);
    for (const ctx of ["the", "The OF and"]) {
      expect(await texts.found(fuzzy(ctx))).toEqual([]);
      expect(await texts.found(dynamic(ctx))).toEqual([]);
    }
  });

  test("exact drops them among words and in fielded values, in phrases they keep their place", async () => {
    await texts.of(["lord of the rings", "lord rings", "of the", "lord in no rings"]);
    expect(await texts.found(exact("of the"))).toEqual([]);
    expect(await texts.found(exact("title:the"))).toEqual([]);
    expect(await texts.found(exact("title:the AND title:of"))).toEqual([]);
    expect(await texts.found(exact("title:the AND lord"))).toEqual([
      "lord in no rings",
      "lord of the rings",
      "lord rings",
    ]);
    expect(await texts.found(exact('"lord of the rings"'))).toEqual([
      "lord in no rings",
      "lord of the rings",
    ]);
    expect(await texts.found(exact('"lord rings"'))).toEqual(["lord rings"]);
    expect(await texts.found(exact('"of the"'))).toEqual([]);
    expect(await texts.found(exact("lord -the"))).toEqual([
      "lord in no rings",
      "lord of the rings",
      "lord rings",
    ]);
    expect(await texts.found(exact("-the"))).toEqual([]);
  });

  test("one of several words is one where its words stand in a row, in every mode", async () => {
    await texts.of(["bay", "cách bay", "cách", "xa"], { language: "xx" });
    await server.post(`/index/${texts.name}/stopwords`, ["một cách"]);
    for (const mode of [fuzzy, dynamic, exact]) {
      expect(await texts.found(mode("một cách"))).toEqual([]);
      expect(await texts.found(mode("MỘT  cách!"))).toEqual([]);
      expect(await texts.found(mode("bay một cách"))).toEqual(["bay", "cách bay"]);
      expect(await texts.found(mode("cách"))).toEqual(["cách", "cách bay"]);
    }
    // They do not count: two words are left, the second with typos.
    expect(await texts.found(dynamic("cách một cách bayy"))).toEqual(["cách bay"]);
    expect(await texts.found(dynamic("cách bay một-cách"))).toEqual(["cách bay"]);
    expect(await texts.found(dynamic("một bay cách"))).toEqual(["bay", "cách bay"]);
    expect(await texts.found(exact("title:một cách OR xa"))).toEqual(["xa"]);
    expect(await texts.found(exact("title:(xa một cách)"))).toEqual(["xa"]);
    expect(await texts.found(exact("một bay cách"))).toEqual(["bay", "cách", "cách bay"]);
    expect(await texts.found(exact("một OR cách"))).toEqual(["cách", "cách bay"]);
    // A prefix is never a stopword, and neither is a part of one.
    expect(await texts.found(exact("một cách*"))).toEqual(["cách", "cách bay"]);
    await server.post(`/index/${texts.name}/stopwords`, ["bay xa", "c"]);
    expect(await texts.found(dynamic("cách bay xa"))).toEqual(["cách", "cách bay"]);
    expect(await texts.found(exact("cách bay xa"))).toEqual(["cách", "cách bay"]);
    // What is no word of its own stays beside them, as it does without them.
    await texts.add([{ id: "c++", title: "c++" }]);
    expect(await texts.found(exact("xa c++"))).toEqual(["c++", "xa"]);
  });

  test("values of id, facet, number, date and bool fields never are", async () => {
    await texts.create({
      fields: { id: { type: "text" }, title: { type: "text" }, kind: { type: "facet" } },
    });
    await texts.add([{ id: "the", title: "the", kind: "/the" }]);
    expect(await texts.found(exact("id:the"))).toEqual(["the"]);
    expect(await texts.found(exact("kind:/the"))).toEqual(["the"]);
    expect(await texts.found(exact("kind:the"))).toEqual(["the"]);
  });

  test("a clause of stopwords alone empties the result as must, adds nothing as should, and counts", async () => {
    await texts.of(["house", "tree"]);
    expect(await texts.found([must(exact("house")), must(fuzzy("the"))])).toEqual([]);
    expect(await texts.found([must(exact("house")), fuzzy("the")])).toEqual(["house"]);
    expect(await texts.found([exact("house"), fuzzy("the")], { minimum_number_should_match: 1 })).toEqual([
      "house",
    ]);
    expect(await texts.found([exact("house"), fuzzy("the")], { minimum_number_should_match: 2 })).toEqual([]);
    expect(await texts.found([exact("house"), exact("")], { minimum_number_should_match: 2 })).toEqual([]);
  });

  test("switched off they are words like any other, at once", async () => {
    await texts.of(["the house", "house"]);
    await server.patch(`/index/${texts.name}`, { exclude_stop_words: false });
    expect(await texts.found(exact("the"))).toEqual(["the house"]);
    expect(await texts.found(fuzzy("the"))).toEqual(["the house"]);
    await server.patch(`/index/${texts.name}`, { exclude_stop_words: true });
    expect(await texts.found(exact("the"))).toEqual([]);
  });

  test("a language without a dictionary has none", async () => {
    await texts.of(["the house"], { language: "xx" });
    expect(await texts.found(exact("the"))).toEqual(["the house"]);
  });
});
