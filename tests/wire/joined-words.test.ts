// Words written as two or as one, with stems and without, in one index and in a federation, shown with highlighting.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isOnCluster, WireServer } from "./wire-server.js";

const DOCUMENTS = [
  { id: "cola", title: "Cola" },
  { id: "drink", title: "Red Bull energy drink" },
  { id: "can", title: "a can of redbull" },
  { id: "apart", title: "a bull in a red field" },
  { id: "laptop", title: "Notebook with a large screen" },
  { id: "paper", title: "a book to note in" },
  { id: "server", title: "Node.js server" },
  { id: "cotton", title: "T-shirt of cotton" },
  { id: "wireless", title: "Wi-Fi router" },
  { id: "access", title: "Login page" },
  { id: "phone", title: "iPhone 15 case" },
  { id: "kiosk", title: "Mega store sale" },
  { id: "korean", title: "스마트 폰" },
  { id: "country", title: "Made in the U.S.A." },
  { id: "space", title: "N.A.S.A. launches" },
  { id: "learning", title: "A.I. on a chip" },
  { id: "reader", title: "E-book shelf" },
  { id: "paper-notes", title: "Note book of paper" },
  { id: "apple", title: "MacBookPro 14" },
  { id: "screw", title: "AB-1234-XY screw" },
  { id: "novel", title: "novel 9783161484100" },
  { id: "toys", title: "Toys R Us" },
  { id: "rock", title: "Rock 'n' roll music" },
  { id: "agents", title: "S.H.I.E.L.D. agents" },
  { id: "relative", title: "Mother-in-law" },
  { id: "book", title: "a book, ISBN 978-3-16-148410-0" },
  { id: "walk", title: "10,000 steps a day" },
  { id: "tablet", title: "2in1 tablet" },
  { id: "city", title: "Köln am Rhein" },
  { id: "town", title: "Aarhus by night" },
  { id: "sign", title: "हिंदी साहित्य" },
  { id: "letter", title: "हिन्दी कविता" },
  { id: "headphones", title: "WH-1000XM4 headphones" },
  { id: "graphics", title: "RTX 3080 Ti" },
  { id: "older-graphics", title: "RTX 3080" },
  { id: "singer", title: "Pink in concert" },
  { id: "band", title: "Ke$ha and A$AP" },
];

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const [name, stemming] of [
    ["plain", false],
    ["stemmed", true],
  ] as const) {
    await server.createIndex(name, {
      language: "en",
      enable_language_stemming: stemming,
      search_fields: ["title", "note"],
      fields: { id: { type: "text" }, title: { type: "text" }, note: { type: "text" } },
    });
    const documents = DOCUMENTS.map(({ id, title }, i) =>
      i % 2 === 0 ? { id, title } : { id, note: title },
    );
    // Several segments.
    await server.addCommitted(name, documents.slice(0, 5));
    await server.addCommitted(name, documents.slice(5));
  }
  const made = await server.post("/federation", {
    name: "both",
    index_configurations: [{ name: "plain" }, { name: "stemmed" }],
  });
  expect(made.text).toContain('"status":200');
});
afterAll(() => server.stopAndRemove());

async function find(target: string, clause: object): Promise<readonly string[]> {
  const answer = await server.post(`/${target}/search`, { query: { fuzzy: clause }, limit: 50 });
  expect(answer.text).toContain('"status":200');
  return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
}

const CASES = [
  ["redbull", "can"],
  ["redbull", "drink"],
  ["red bull", "can"],
  ["note book", "laptop"],
  ["notebooks", "laptop"],
  ["nodejs", "server"],
  ["tshirt", "cotton"],
  ["t shirt", "cotton"],
  ["wifi", "wireless"],
  ["wifi router", "wireless"],
  ["log in", "access"],
  ["iphone15", "phone"],
  ["mega store", "kiosk"],
  ["megastore", "kiosk"],
  ["스마트폰", "korean"],
  ["usa", "country"],
  ["u.s.a.", "country"],
  ["made in usa", "country"],
  ["nasa", "space"],
  ["a.i.", "learning"],
  ["ai", "learning"],
  ["ebook", "reader"],
  ["mac book pro", "apple"],
  ["ab1234xy", "screw"],
  ["978-3-16-148410-0", "novel"],
  ["9783161484100", "book"],
  ["10000", "walk"],
  ["10000 steps", "walk"],
  ["2-in-1", "tablet"],
  ["2 in 1", "tablet"],
  ["2 in 1 tablet", "tablet"],
  ["koeln", "city"],
  ["århus", "town"],
  ["toysrus", "toys"],
  ["rocknroll", "rock"],
  ["rocknroll music", "rock"],
  ["shield", "agents"],
  ["motherinlaw", "relative"],
  ["हिंदी", "letter"],
  ["हिन्दी", "sign"],
  ["हिंदी कविता", "letter"],
  ["wh1000 xm4", "headphones"],
  ["wh-1000 xm4", "headphones"],
  ["P!nk", "singer"],
  ["P!nk concert", "singer"],
  ["kesha", "band"],
] as const;

test("a code in parts comes before one that lacks the last", async () => {
  for (const ctx of ["rtx 3080ti", "rtx3080ti", "rtx3080 ti"])
    expect(await find("federation/both", { ctx })).toMatchObject({ 0: "graphics", 1: "graphics" });
});

/** Found in an index with stems. */
const OF_STEMS = [
  ["ebooks", "reader"],
  ["tshirts", "cotton"],
  ["notebooks", "paper-notes"],
] as const;

const BEGUN = [
  ["redbul", "drink"],
  ["note boo", "laptop"],
  ["tshi", "cotton"],
  ["megastor sal", "kiosk"],
  ["ab1234x", "screw"],
  ["978-3-16-1484", "novel"],
  ["rocknro", "rock"],
  ["rocknrol", "rock"],
  ["motherinla", "relative"],
  ["हिन", "sign"],
  ["हिन्", "sign"],
  ["हिं", "letter"],
  ["हिंद", "letter"],
] as const;

describe.each(["index/plain", "index/stemmed", "federation/both"])("%s", (target) => {
  test.each(CASES)("%s finds %s", async (ctx, id) => {
    expect(await find(target, { ctx })).toContain(id);
    expect(await find(target, { ctx, as_you_type: true })).toContain(id);
    expect(await find(target, { ctx, match: "all" })).toContain(id);
  });

  test.each(target === "index/plain" ? [] : OF_STEMS)("%s finds %s by its stem", async (ctx, id) => {
    expect(await find(target, { ctx })).toContain(id);
    expect(await find(target, { ctx, match: "all" })).toContain(id);
  });

  test.each(BEGUN)("%s finds %s as it is typed", async (ctx, id) => {
    expect(await find(target, { ctx, as_you_type: true })).toContain(id);
  });

  test("what is written so comes first", async () => {
    const joined = [...new Set(await find(target, { ctx: "redbull" }))];
    expect(joined.slice(0, 2)).toEqual(["can", "drink"]);
    const apart = [...new Set(await find(target, { ctx: "red bull" }))];
    expect(apart.slice(0, 3)).toEqual(["drink", "apart", "can"]);
    expect([...new Set(await find(target, { ctx: "red bull drink" }))].at(0)).toBe("drink");
    const [best] = await find(target, { ctx: "redbull energy drink" });
    expect(best).toBe("drink");
  });
});

test("the halves and the joined word are marked", async () => {
  const marked = async (ctx: string): Promise<string> => {
    const answer = await server.post("/index/plain/search", {
      query: { fuzzy: { ctx } },
      highlight: { fields: ["title", "note"] },
      limit: 20,
    });
    return answer.text;
  };
  expect(await marked("redbull")).toMatch(/<(\w+)>Red<.\1> <\1>Bull<.\1> energy/);
  expect(await marked("toysrus")).toMatch(/<(\w+)>Toys<.\1> <\1>R<.\1> <\1>Us/);
  expect(await marked("note book")).toMatch(/<(\w+)>Notebook<.\1> with/);
});

test("an abbreviation is found without its full stops, behind what is written so", async () => {
  const name = "abbreviations";
  await server.createIndex(name, { fields: { id: { type: "text" }, title: { type: "text" } } });
  await server.addCommitted(name, [
    { id: "dots", title: "U.S.A. and U.K." },
    { id: "none", title: "USA and UK" },
    { id: "apart", title: "k a s u" },
  ]);
  expect(await find(`index/${name}`, { ctx: "usa" })).toEqual(["none", "dots"]);
  expect(await find(`index/${name}`, { ctx: "u.s.a." })).toEqual(["dots", "apart", "none"]);
  expect((await find(`index/${name}`, { ctx: "uk", match: "all" })).slice(0, 2)).toEqual(["none", "dots"]);
});

test("what is written in parts comes before other codes, and before whole fields two edits away", async () => {
  const name = "codes";
  await server.createIndex(name, { fields: { id: { type: "text" }, title: { type: "text" } } });
  await server.addCommitted(name, [
    { id: "other", title: "wh1000xm5" },
    { id: "one", title: "Headphones WH-1000XM4, black" },
    { id: "older", title: "GTX1080" },
    { id: "card", title: "a card RTX 3080" },
  ]);
  expect(await find(`index/${name}`, { ctx: "wh1000xm4" })).toEqual(["one", "other"]);
  expect(await find(`index/${name}`, { ctx: "wh1000xm4", as_you_type: true })).toEqual(["one", "other"]);
  expect(await find(`index/${name}`, { ctx: "rtx3080" })).toEqual(["card", "older"]);
});

test("exact mode takes words as they are", async () => {
  const answer = await server.post("/index/plain/search", { query: { exact: { ctx: "nodejs" } } });
  expect(answer.json.data.count).toBe(0);
});

test.skipIf(isOnCluster())("an explanation tells a slip", async () => {
  const answer = await server.post("/index/plain/search", {
    query: { fuzzy: { ctx: "nodejs" } },
    explain: true,
  });
  expect(answer.text).toContain("written in two or as one");
});

test("under fold_diacritics both spellings of nasals are found and marked in all modes", async () => {
  await server.createIndex("folded", {
    fold_diacritics: true,
    fields: { id: { type: "text" }, title: { type: "text" } },
  });
  await server.addCommitted("folded", DOCUMENTS);
  const ids = async (query: object): Promise<readonly string[]> => {
    const answer = await server.post("/index/folded/search", { query });
    return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id).sort();
  };
  for (const ctx of ["हिंदी", "हिन्दी", "हिन*", "हिंद*"])
    expect(await ids({ exact: { ctx } })).toEqual(["letter", "sign"]);
  for (const ctx of ["हिंदी", "हिन्दी"]) {
    expect(await ids({ dynamic: { ctx } })).toEqual(["letter", "sign"]);
    expect(await ids({ fuzzy: { ctx } })).toEqual(["letter", "sign"]);
  }
  expect(await ids({ exact: { ctx: '"हिंदी कविता"' } })).toEqual(["letter"]);
  const answer = await server.post("/index/folded/search", {
    query: { exact: { ctx: "हिंदी" } },
    highlight: { fields: ["title"] },
  });
  expect(answer.text).toMatch(/<(\w+)>हिन्दी<.\1> कविता/);
});
