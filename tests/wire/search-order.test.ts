// `order_by` with several entries: each with its direction, values missing last, ties by the next one.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  const fields = {
    id: { type: "text" },
    title: { type: "text" },
    brand: { type: "text" },
    price: { type: "u64", fast: true },
    slow: { type: "u64", fast: false },
    at: { type: "datetime", fast: true },
  };
  await server.createIndex("goods", { fields, search_fields: ["title"] });
  await server.createIndex("wares", { fields: { ...fields, price: { type: "f64", fast: true } } });
  await server.createIndex("letters", { fields: { id: { type: "text" }, brand: { type: "text" } } });
  await server.addCommitted("goods", [
    { id: "1", title: "pan", brand: "acme", price: 5 },
    { id: "2", title: "pan pan", brand: "Bolt", price: 5 },
    { id: "3", title: "pan and lid", brand: "ACME", price: 7 },
  ]);
  // A second segment, and a tie in everything with a document of the first.
  await server.addCommitted("goods", [
    { id: "4", title: "pan and a lid", brand: "bolt" },
    { id: "5", title: "pan", brand: "Acme", price: 5 },
    { id: "6", title: "pan", price: 5 },
  ]);
  await server.addCommitted("wares", [
    { id: "7", title: "pan", brand: "acme", price: 5.5 },
    { id: "8", title: "pan", brand: "bolt", price: 5 },
  ]);
  await server.addCommitted("letters", [{ id: "9", brand: "acme" }]);
  await server.post("/federation", {
    name: "all",
    index_configurations: [{ name: "letters" }, { name: "wares" }, { name: "goods" }],
  });
});
afterAll(() => server.stopAndRemove());

const search = (body: object, path = "index/goods"): Promise<WireAnswer> =>
  server.post(`/${path}/search`, { query: { exact: { ctx: "pan" } }, ...body }, READ);
async function hits(body: object, path?: string): Promise<ParsedJson[]> {
  const answer = await search(body, path);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data.hits;
}
const ids = async (body: object, path?: string): Promise<string[]> =>
  (await hits(body, path)).map((hit) => hit.doc.id);

describe("order_by as a list", () => {
  test.each<[unknown[], string[]]>([
    [["price"], ["3", "1", "2", "5", "6", "4"]],
    [["price:asc"], ["1", "2", "5", "6", "3", "4"]],
    [
      ["brand:asc", "price:asc"],
      ["1", "5", "3", "2", "4", "6"],
    ],
    [
      ["brand:asc", "price"],
      ["3", "1", "5", "2", "4", "6"],
    ],
    [
      [{ field: "brand" }, { field: "price", sort: "asc" }],
      ["2", "4", "1", "5", "3", "6"],
    ],
    [
      ["price:asc", "brand:desc", "id:desc"],
      ["2", "5", "1", "6", "3", "4"],
    ],
    [
      ["price:asc", "price:desc", "id"],
      ["6", "5", "2", "1", "3", "4"],
    ],
  ])("%j", async (orderBy, expected) => {
    expect(await ids({ order_by: orderBy })).toEqual(expected);
    for (let offset = 0; offset < expected.length; offset += 2) {
      expect(await ids({ order_by: orderBy, offset, limit: 2 })).toEqual(expected.slice(offset, offset + 2));
    }
  });

  test("takes the direction of entries without one from sort; one entry is the plain form; none is no order", async () => {
    expect(await ids({ order_by: ["brand", "price:desc"], sort: "asc" })).toEqual(
      await ids({ order_by: ["brand:asc", "price:desc"] }),
    );
    expect(await hits({ order_by: ["brand"] })).toEqual(await hits({ order_by: "brand" }));
    expect(await hits({ order_by: [] })).toEqual(await hits({}));
  });

  test("scores are 1, unless relevance is an entry", async () => {
    for (const { score } of await hits({ order_by: ["brand", "price"] })) expect(score).toBe(1);
    const relevant = await hits({});
    const scoreOf = new Map(relevant.map((hit) => [hit.doc.id, hit.score]));
    const ordered = await hits({ order_by: ["price:asc", "_score"], explain: true });
    expect(ordered.map((hit) => hit.doc.id)).toEqual(["2", "1", "5", "6", "3", "4"]);
    for (const hit of ordered) {
      expect(hit.score).toBe(scoreOf.get(hit.doc.id));
      expect(hit.explanation.value).toBeCloseTo(hit.score, 5);
    }
    expect(await hits({ order_by: ["_score"] })).toEqual(relevant);
    const worst = await ids({ order_by: [{ field: "_score", sort: "asc" }, "id"] });
    expect(worst.slice(-4)).toEqual(["6", "5", "1", "2"]);
  });

  test("in a federation compares what can be compared, and leaves out what lacks a field", async () => {
    const all = "federation/all";
    expect(await ids({ query: { exact: { ctx: "*" } }, order_by: ["brand:asc"] }, all)).toHaveLength(9);
    const byPrice = await ids({ order_by: ["price:asc", "brand:asc"] }, all);
    expect(byPrice).toEqual(["1", "5", "8", "2", "6", "7", "3", "4"]);
    const scored = await hits({ order_by: ["brand:asc", "_score", "id"] }, all);
    const relevant = new Map((await hits({}, all)).map((hit) => [hit.document_id, hit.score]));
    for (const hit of scored) expect(hit.score).toBe(relevant.get(hit.document_id));
    expect(scored.at(-1).doc.id).toBe("6");
    expect(await ids({ order_by: ["nowhere", "price"] }, all)).toEqual([]);
    expectError(await search({ order_by: ["price", "slow"] }, all), 400, "invalid_order_by");
  });
});

test.each<[unknown, string]>([
  [["nope"], "nope"],
  [["price", "slow"], "slow"],
  ["_score", "_score"],
  [["price:up"], "price:up"],
  [["constructor"], "constructor"],
])("order_by %j is refused", async (orderBy, name) => {
  const answer = await search({ order_by: orderBy });
  expectError(answer, 400, "invalid_order_by");
  expect(answer.json.message).toContain(name);
});
