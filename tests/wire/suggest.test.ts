// GET /index/:index_name/suggest, an extension: ways to go on with what someone types.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ErrorCode } from "../../src/errors/index.js";
import { expectError } from "./expect-error.js";
import { INGEST, type ParsedJson, READ, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("tools", {
    language: "en",
    enable_language_stemming: true,
    search_fields: ["text", "title"],
    weight_multipliers: { title: 3 },
    fields: {
      id: { type: "text" },
      title: { type: "text" },
      text: { type: "text" },
      hidden: { type: "text", stored: false },
    },
  });
  await server.addCommitted("tools", [
    { id: "1", title: "Vim, the text editor", text: "Editing text" },
    { id: "2", title: "Nano, a small editor", text: "edits", hidden: "editorial" },
    { id: "3", title: "Painting", text: "The image editor of painters" },
    { id: "4", title: "x".repeat(300), text: "Übersetzer" },
    { id: "5", title: "Painting", text: "once more" },
  ]);
  await server.createIndex("bare", { fields: { kind: { type: "facet" } } });
});
afterAll(() => server.stopAndRemove());

async function suggest(query: string, index = "tools"): Promise<ParsedJson> {
  const answer = await server.send("GET", `/index/${index}/suggest?${query}`, { key: READ });
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
const completions = async (text: string): Promise<string[]> =>
  (await suggest(`q=${encodeURIComponent(text)}`)).completions;

describe("completions", () => {
  test("are the index's own words as they are written, the most frequent first, behind what was typed", async () => {
    expect(await completions("edi")).toEqual(["editor", "editing", "edits"]);
    expect(await completions("TEXT Edi")).toEqual(["TEXT editing", "TEXT editor"]);
    expect(await completions("über")).toEqual(["übersetzer"]);
  });

  test("correct what is typed wrong, in the last word and in those before", async () => {
    expect(await completions("editro")).toEqual(["editor"]);
    expect((await suggest("q=imgae%20edi")).completions).toEqual(["imgae editor"]);
  });

  test("are none for a word that has ended, no word, or one that nothing begins with", async () => {
    for (const text of ["editor ", "", " ", "&", "zzz"]) expect(await completions(text)).toEqual([]);
  });
});

test("behind a sign go on what documents have behind it", async () => {
  await server.createIndex("drinks", { fields: { id: { type: "text" }, title: { type: "text" } } });
  await server.addCommitted("drinks", [
    { id: "1", title: "Coca-Cola Zero" },
    { id: "2", title: "Coca Colada" },
    { id: "3", title: "Cocaine-Free tea" },
    { id: "4", title: "C++ Primer" },
    { id: "5", title: "Piña from Bora Bora" },
  ]);
  const drinks = async (text: string): Promise<string[]> =>
    (await suggest(`q=${encodeURIComponent(text)}`, "drinks")).completions;
  expect(await drinks("coca-")).toEqual(["coca-cola"]);
  expect(await drinks("cocaine-")).toEqual(["cocaine-free"]);
  expect(await drinks("c++")).toEqual([]);
  expect(await drinks("zero!")).toEqual([]);
  expect(await drinks("coca c")).toEqual(["coca cola", "coca colada"]);
  expect(await drinks("bora b")).toEqual(["bora bora"]);
});

test("titles are those of the best documents, each once, short ones only", async () => {
  const { titles } = await suggest("q=painti");
  expect(titles).toEqual([{ text: "Painting", document_id: expect.any(String) }]);
  expect((await suggest("q=text%20")).titles[0].text).toBe("Vim, the text editor");
  expect((await suggest("q=über".replace("ü", "%C3%BC"))).titles).toEqual([]);
});

describe("what is typed", () => {
  beforeAll(async () => {
    await server.createIndex("shop", {
      fold_diacritics: true,
      fields: { id: { type: "text" }, title: { type: "text" } },
    });
    await server.addCommitted(
      "shop",
      ["iPhone 13 Pro", "Wi-Fi router", "Notebook sleeve", "Phở bò", "Cà phê"].map((title, i) => ({
        id: `${i}`,
        title,
      })),
    );
  });

  test.each([
    ["iphone13", "iPhone 13 Pro"],
    ["iphone13 pr", "iPhone 13 Pro"],
    ["wifi", "Wi-Fi router"],
    ["wi-f", "Wi-Fi router"],
    ["wifi rou", "Wi-Fi router"],
    ["note book", "Notebook sleeve"],
  ])("as '%s' finds the title %s, joined or not", async (text, title) => {
    const { titles } = await suggest(`q=${encodeURIComponent(text)}`, "shop");
    expect(titles[0]?.text).toBe(title);
  });

  test("whole, with other diacritics than documents have, is completed by theirs", async () => {
    const completionsOf = async (text: string) =>
      (await suggest(`q=${encodeURIComponent(text)}`, "shop")).completions;
    expect(await completionsOf("pho")).toEqual(["phở"]);
    expect(await completionsOf("phở")).toEqual([]);
    expect(await completionsOf("ca phe")).toEqual(["ca phê"]);
  });
});

test("a limit counts for both; an index without text has nothing to say", async () => {
  expect((await suggest("q=edi&limit=1")).completions).toEqual(["editor"]);
  expect((await suggest("q=e&limit=2")).titles).toHaveLength(2);
  expect(await suggest("q=e", "bare")).toEqual({ completions: [], titles: [] });
});

test.each<[string, ErrorCode]>([
  ["", "invalid_request"],
  ["q=a&q=b", "invalid_request"],
  [`q=${"x".repeat(201)}`, "invalid_request"],
  ["q=a&limit=0", "invalid_request"],
  ["q=a&limit=x", "invalid_request"],
  ["q=a&limit=1&limit=2", "invalid_request"],
  ["q=a&limit=51", "limit_too_large"],
])("?%s is refused", async (query, code) => {
  expectError(await server.send("GET", `/index/tools/suggest?${query}`, { key: READ }), 400, code);
});

test("needs an index that exists and a key that may search", async () => {
  expectError(await server.send("GET", "/index/absent/suggest?q=a", { key: READ }), 404, "index_not_found");
  expectError(await server.send("GET", "/index/tools/suggest?q=a", {}), 401);
  expect((await server.send("GET", "/index/tools/suggest?q=a", { key: INGEST })).status).toBe(200);
});

test("completions go on with a code as documents do, and with any word of them where none does", async () => {
  await server.createIndex("codes", { fields: { id: { type: "text" }, title: { type: "text" } } });
  await server.addCommitted("codes", [
    { id: "1", title: "0 1 168 192 addresses of 2024" },
    { id: "2", title: "192.168.0.10" },
    { id: "3", title: "AB-1234/56 of 2024, AB 57" },
  ]);
  const of = async (text: string): Promise<string[]> =>
    (await suggest(`q=${encodeURIComponent(text)}`, "codes")).completions;
  expect(await of("192.168.0.1")).toEqual(["192.168.0.10"]);
  expect(await of("AB-1234/5")).toEqual(["AB-1234/56"]);
  expect((await of("1234 ab-5")).toSorted()).toEqual(["1234 ab-57"]);
  // Nothing goes on so; all of the words are in a document all the same.
  expect(await of("2024/5")).toEqual(["2024/56", "2024/57"]);
});

test("completions keep the Armenian letter that Unicode takes for two, and have no dot above an i", async () => {
  await server.createIndex("letters", {
    fold_diacritics: true,
    fields: { id: { type: "text" }, title: { type: "text" } },
  });
  await server.addCommitted("letters", [
    { id: "1", title: "Մինչև այսօր" },
    { id: "2", title: "İstanbul" },
    { id: "3", title: "oﬃce" },
  ]);
  const of = async (text: string): Promise<string[]> =>
    (await suggest(`q=${encodeURIComponent(text)}`, "letters")).completions;
  expect(await of("մին")).toEqual(["մինչև"]);
  expect(await of("ist")).toEqual(["istanbul"]);
  expect(await of("off")).toEqual(["office"]);
});
