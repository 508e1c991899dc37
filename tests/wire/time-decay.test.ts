// Contract 5.7: with `time_decay_field` a score is multiplied by exp(-0.01 × age in days), the age
// being at least 0 and counted from the request; a document without a value keeps its score.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

const SECONDS_PER_DAY = 86_400;

const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  created_at: { type: "datetime" },
  other_at: { type: "datetime" },
};

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("news", { fields: FIELDS, time_decay_field: "created_at" });
  await server.addCommitted("news", [
    { id: "a year", title: "story", created_at: daysAgo(365) },
    { id: "a month", title: "story", created_at: daysAgo(30), other_at: daysAgo(3000) },
    { id: "half a day", title: "story", created_at: daysAgo(0.5) },
    { id: "now", title: "story", created_at: daysAgo(0) },
    { id: "in a week", title: "story", created_at: daysAgo(-7) },
    { id: "timeless", title: "story" },
  ]);
});
afterAll(() => server.stopAndRemove());

function daysAgo(days: number): number {
  return Math.round(Date.now() / 1000 - days * SECONDS_PER_DAY);
}

/** Scores by id, as shares of the undecayed document's. */
async function shares(body: object): Promise<Record<string, number>> {
  const answer = await server.post("/index/news/search", body);
  expect(answer.status, answer.text).toBe(200);
  const hits = answer.json.data.hits as readonly { doc: { id: string }; score: number }[];
  const full = hits.find(({ doc }) => doc.id === "timeless")?.score ?? 1;
  return Object.fromEntries(hits.map(({ doc, score }) => [doc.id, score / full]));
}

describe("time decay", () => {
  test.each([
    ["exact", { query: { exact: { ctx: "story" } } }],
    ["fuzzy", { query: { fuzzy: { ctx: "stori" } } }],
    ["dynamic", { query: { dynamic: { ctx: "story" } } }],
    ["filters that score a constant 1", { query: { exact: { ctx: "*" } } }],
  ])("takes 0.74 of the score at 30 days and 0.026 at 365: %s", async (_mode, body) => {
    const found = await shares(body);
    expect(found["a month"]).toBeCloseTo(0.74, 2);
    expect(found["a year"]).toBeCloseTo(0.026, 3);
    expect(found["half a day"]).toBeCloseTo(Math.exp(-0.005), 4);
    expect(found["now"]).toBeCloseTo(1, 4);
    expect(found["in a week"]).toBe(1);
    expect(Object.keys(found).slice(-3)).toEqual(["half a day", "a month", "a year"]);
  });

  test("leaves an order by a field, counts and matches alone", async () => {
    const answer = await server.post("/index/news/search", {
      query: { exact: { ctx: "story" } },
      order_by: "created_at",
    });
    expect(answer.json.data.count).toBe(6);
    expect(answer.json.data.hits.map(({ score }: { score: number }) => score)).toEqual(Array(6).fill(1));
  });

  test("follows the setting at once, and ends when it is cleared", async () => {
    const body = { query: { exact: { ctx: "story" } } };
    expect((await server.patch("/index/news", { time_decay_field: "other_at" })).status).toBe(200);
    const byOther = await shares(body);
    expect(byOther["a month"]).toBeCloseTo(Math.exp(-30), 15);
    expect(byOther["a year"]).toBe(1);
    expect((await server.patch("/index/news", { time_decay_field: null })).status).toBe(200);
    expect(new Set(Object.values(await shares(body)))).toEqual(new Set([1]));
    expectError(await server.patch("/index/news", { time_decay_field: "title" }), 400, "invalid_schema");
  });
});
