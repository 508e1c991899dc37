// Stems beside words, and Korean nouns with their particles, over HTTP.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ParsedJson, READ, WireServer } from "./wire-server.js";

const DOCUMENTS = [
  { id: "1", title: "International organization" },
  { id: "2", title: "Organize the settings of trail running shoes" },
  { id: "3", title: "A setting for T-shirts" },
  { id: "4", title: "network sharngs" },
  { id: "5", title: "one shares" },
  { id: "6", title: "one sharing" },
];

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  const fields = { id: { type: "text" }, title: { type: "text" }, kept: { type: "text", indexed: false } };
  await server.createIndex("stems", { language: "en", enable_language_stemming: true, fields });
  await server.addCommitted("stems", DOCUMENTS);
  await server.createIndex("korean", { fields });
  await server.addCommitted("korean", [
    { id: "1", title: "학교에서 만나요" },
    { id: "2", title: "스마트폰을 샀다" },
  ]);
  await server.createIndex("gone", { language: "en", enable_language_stemming: true, fields });
});
afterAll(() => server.stopAndRemove());

async function search(index: string, query: object, more: object = {}): Promise<ParsedJson> {
  const answer = await server.post(`/index/${index}/search`, { query, ...more }, READ);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
const ids = async (index: string, query: object): Promise<string[]> =>
  (await search(index, query)).hits.map(({ doc }: ParsedJson) => doc.id);
const marked = async (index: string, query: object): Promise<string[]> =>
  (await search(index, query, { highlight: true })).hits.map(
    ({ highlights }: ParsedJson) => highlights.title[0],
  );

describe("with stemming", () => {
  test.each([
    [{ exact: { ctx: "organizati*" } }, ["1"]],
    [{ exact: { ctx: "organizati", as_you_type: true } }, ["1"]],
    [{ dynamic: { ctx: "t-shirts", as_you_type: true } }, ["3"]],
    [{ exact: { ctx: '"trail runn"*' } }, ["2"]],
    [{ exact: { ctx: '"trails run"' } }, ["2"]],
    [{ fuzzy: { ctx: "organizaton" } }, ["1"]],
    [{ exact: { ctx: "title:<a" } }, []],
  ])("%j finds %j", async (query, expected) => {
    expect((await ids("stems", query)).toSorted()).toEqual(expected);
  });

  test("the word as it is written comes first, then its stem, then what is misspelt", async () => {
    expect(await ids("stems", { exact: { ctx: "shares" } })).toEqual(["5", "6"]);
    expect(await ids("stems", { exact: { ctx: "sharing" } })).toEqual(["6", "5"]);
    expect(await ids("stems", { fuzzy: { ctx: "sharing" } })).toEqual(["6", "5", "4"]);
  });

  test.each([
    [{ exact: { ctx: "organizing" } }, ["<em>Organize</em>", "International <em>organization</em>"]],
    [{ exact: { ctx: "organizati*" } }, ["International <em>organization</em>"]],
    [{ fuzzy: { ctx: "organizaton" } }, ["International <em>organization</em>"]],
    [{ dynamic: { ctx: "t-shirts", as_you_type: true } }, ["A setting for <em>T</em>-<em>shirts</em>"]],
  ])("%j marks whole words", async (query, expected) => {
    const fragments = (await marked("stems", query)).join("\n");
    for (const fragment of expected) expect(fragments).toContain(fragment);
    expect(fragments).not.toContain("\u0001");
  });

  test("explanations show stems without what they are marked with", async () => {
    const query = { exact: { ctx: 'settings "trail running"' } };
    const answer = JSON.stringify(await search("stems", query, { explain: true }));
    expect(answer).toContain("stem 'set'");
    expect(answer).not.toMatch(/\\u0001/);
  });

  test("a delete by text takes all forms of it, indexed or only kept", async () => {
    await server.addCommitted("gone", [
      { id: "1", title: "red shoes" },
      { id: "2", kept: "blue shoe laces" },
      { id: "3", title: "shoehorn", kept: "horn" },
    ]);
    for (const field of ["title", "kept"]) {
      const body = { [field]: "shoes" };
      const answer = await server.delete("/index/gone/documents", body);
      expect(answer.status, answer.text).toBe(200);
    }
    expect((await server.post("/index/gone/commit")).status).toBe(200);
    expect(await ids("gone", { exact: { ctx: "*" } })).toEqual(["3"]);
  });
});

describe("Korean", () => {
  test.each([
    [{ exact: { ctx: "학교" } }, "<em>학교에서</em> 만나요"],
    [{ fuzzy: { ctx: "스마트폰" } }, "<em>스마트폰을</em> 샀다"],
    [{ dynamic: { ctx: "스마트포", as_you_type: true } }, "<em>스마트폰을</em> 샀다"],
    [{ exact: { ctx: "스마트포*" } }, "<em>스마트폰을</em> 샀다"],
    [{ exact: { ctx: "스맡", as_you_type: true } }, "<em>스마트폰을</em> 샀다"],
    [{ fuzzy: { ctx: "스맡", as_you_type: true } }, "<em>스마트폰을</em> 샀다"],
    [{ dynamic: { ctx: "학ㄱ", as_you_type: true } }, "<em>학교에서</em> 만나요"],
    [{ exact: { ctx: '"학교 만나"*' } }, "<em>학교에서</em> <em>만나요</em>"],
  ])("%j", async (query, expected) => {
    expect(await marked("korean", query)).toEqual([expected]);
  });
});
