// Words that differ in accents alone, or in letters that folding makes one, in indexes that don't fold: nearer than a typo.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WireServer } from "./wire-server.js";

/** By index: its titles, of which each document is one. */
const INDEXES = {
  spelt: ["case", "café", "cafes", "cave", "strasze", "straße", "strasbe", "şirin", "sirir", "ёлка", "едка"],
  both: ["cafe", "café", "case", "resumes", "resume", "résumé", "resumed"],
  pairs: [
    "Case Paris",
    "Café Paris",
    "Cafe Berlin",
    "Cafe Rome",
    "José García",
    "Rose Garcia",
    "Jose Garcia",
  ],
  far: ["Łódź", "Lodge", "Été", "Eta", "École", "Elcol", "Český Krumlov", "Cesky Brod", "Pâté", "Pata"],
  begun: ["Cafétéria", "cafeteria", "caféteria", "cafeseria", "case"],
};

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  for (const [name, titles] of Object.entries(INDEXES)) {
    await server.createIndex(name, { fields: { id: { type: "text" }, title: { type: "text" } } });
    const documents = titles.map((title) => ({ id: title, title }));
    // Several segments.
    await server.addCommitted(name, documents.slice(0, 3));
    await server.addCommitted(name, documents.slice(3));
  }
  const made = await server.post("/federation", {
    name: "all",
    index_configurations: [{ name: "spelt" }, { name: "both" }],
  });
  expect(made.text).toContain('"status":200');
});
afterAll(() => server.stopAndRemove());

async function find(target: string, mode: string, clause: object): Promise<readonly string[]> {
  const answer = await server.post(`/${target}/search`, { query: { [mode]: clause }, limit: 50 });
  expect(answer.text).toContain('"status":200');
  return answer.json.data.hits.map((hit: { doc: { id: string } }) => hit.doc.id);
}

describe("what differs in accents alone", () => {
  test.each([
    ["cafe", "café"],
    ["cafés", "cafes"],
    ["strasse", "straße"],
    ["sirin", "şirin"],
    ["елка", "ёлка"],
  ])("comes before a typo: %s", async (ctx, first) => {
    expect((await find("index/spelt", "fuzzy", { ctx }))[0]).toBe(first);
    expect((await find("federation/all", "fuzzy", { ctx: `${ctx} zzzzz` }))[0]).toBe(
      ctx === "cafe" ? "cafe" : first,
    );
  });

  test.each(["fuzzy", "dynamic"])(
    "comes behind what is written as typed, as it is typed, too (%s)",
    async (mode) => {
      const asTyped = { as_you_type: true };
      expect((await find("index/both", mode, { ctx: "resume", ...asTyped })).slice(0, 1)).toEqual(["resume"]);
      expect(await find("index/both", "fuzzy", { ctx: "cafe", ...asTyped })).toEqual([
        "cafe",
        "café",
        "case",
      ]);
      expect(await find("index/both", "fuzzy", { ctx: "café" })).toEqual(["café", "cafe"]);
      expect((await find("index/both", "fuzzy", { ctx: "resume" })).slice(0, 2)).toEqual([
        "resume",
        "résumé",
      ]);
    },
  );

  test("holds a word of several, before typos, however many words differ so", async () => {
    expect((await find("index/pairs", "fuzzy", { ctx: "cafe paris" })).slice(0, 2)).toEqual([
      "Café Paris",
      "Case Paris",
    ]);
    expect((await find("index/pairs", "fuzzy", { ctx: "jose garcia" })).slice(0, 3)).toEqual([
      "Jose Garcia",
      "José García",
      "Rose Garcia",
    ]);
  });

  test("begins so before what begins with a typo", async () => {
    const found = await find("index/begun", "fuzzy", { ctx: "cafete", as_you_type: true });
    expect(found.slice(0, 1)).toEqual(["cafeteria"]);
    expect(found.indexOf("cafeseria")).toBe(found.length - 1);
    const single = await find("index/begun", "dynamic", { ctx: "cafete", as_you_type: true });
    expect(single[0]).toBe("cafeteria");
    expect(single.indexOf("caféteria")).toBeLessThan(single.indexOf("cafeseria"));
  });

  test("is found however many letters it changes, and as it is typed", async () => {
    for (const [ctx, first] of [
      ["lodz", "Łódź"],
      ["ete", "Été"],
      ["ecole", "École"],
      ["pate", "Pâté"],
      ["cesky krumlov", "Český Krumlov"],
    ] as const)
      expect((await find("index/far", "fuzzy", { ctx }))[0]).toBe(first);
    for (const [ctx, first] of [
      ["lod", "Lodge"],
      ["lodz", "Łódź"],
      ["ecol", "École"],
      ["cesky kru", "Český Krumlov"],
    ] as const)
      expect((await find("index/far", "fuzzy", { ctx, as_you_type: true }))[0]).toBe(first);
    const marked = await server.post("/index/far/search", {
      query: { fuzzy: { ctx: "lodz" } },
      highlight: { fields: ["title"] },
    });
    expect(marked.text).toMatch(/<(\w+)>Łódź<\/\1>/);
    const suggested = await server.get("/index/far/suggest?q=ecol");
    expect(suggested.text).toContain("école");
  });

  test("is what is marked where a text has a typo of the word as well", async () => {
    await server.addCommitted("begun", [{ id: "texts", title: "a case in a café" }]);
    const answer = await server.post("/index/begun/search", {
      query: { fuzzy: { ctx: "cafe" } },
      highlight: { fields: ["title"] },
    });
    expect(answer.text).toMatch(/a case in a <(\w+)>café</);
  });
});
