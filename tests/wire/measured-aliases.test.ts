// Usage events by an alias are its index's; who may use the alias may tell and ask of it, and not of the index by its own name.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { eventsOnceThere, exportedEvents, measureEvent } from "./measured-events.js";
import { WireServer } from "./wire-server.js";

let server: WireServer;
/** Keys of a caller whose scope has the alias alone, and of one who has the index alone. */
let ofAlias = "";
let ofIndex = "";
beforeAll(async () => {
  server = await WireServer.start();
  for (const name of ["products_v1", "products_v2"]) await server.createIndex(name);
  await server.put("/alias/products", { index: "products_v1" });
  const keyFor = async (name: string): Promise<string> => {
    const answer = await server.post("/auth/key", { permissions: 31, allowed_indexes: [name] });
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data.key;
  };
  ofAlias = await keyFor("products");
  ofIndex = await keyFor("products_v1");
});
afterAll(() => server.stopAndRemove());
beforeEach(() => server.put("/alias/products", { index: "products_v1" }));

const eventOf = (...searchcraft_index_names: string[]): object =>
  measureEvent("search_completed", { searchcraft_index_names });

test("events are told and asked for by the alias, and stay with the index that it stood for", async () => {
  for (const key of [ofAlias, ofIndex])
    expect((await server.post("/measure/event", eventOf("products"), key)).status).toBe(200);
  expectError(await server.post("/measure/event", eventOf("products_v1"), ofAlias), 403, "index_not_allowed");
  expect((await server.post("/measure/event", eventOf("products", "products_v1"))).status).toBe(200);
  await eventsOnceThere(server, 3, "?index_names=products");
  await server.put("/alias/products", { index: "products_v2" });
  expect(await exportedEvents(server, "?index_names=products")).toEqual([]);
  expect(await exportedEvents(server, "?index_names=products_v1")).toHaveLength(3);
});

test("dashboards by the alias count what its index's do, for whom either is in scope", async () => {
  const searches = async (query: string, key?: string): Promise<number> => {
    const answer = await server.get(`/measure/dashboard/usage${query}`, key);
    expect(answer.status, answer.text).toBe(200);
    return answer.json.data.total_searches;
  };
  const all = await searches("?index_names=products_v1");
  expect(all).toBeGreaterThan(0);
  expect(await searches("?index_names=products")).toBe(all);
  for (const key of [ofAlias, ofIndex]) {
    expect(await searches("?index_names=products", key)).toBe(all);
    expect(await searches("", key)).toBe(all);
  }
  expectError(await server.get("/measure/dashboard/usage?index_names=products_v1", ofAlias), 403);
  expectError(await server.get("/measure/export?index_names=products_v1", ofAlias), 403);
});

test("the overview names an index's aliases", async () => {
  const { indexes } = (await server.get("/admin/overview")).json.data;
  expect(indexes.map(({ name, aliases }: { name: string; aliases?: string[] }) => [name, aliases])).toEqual([
    ["products_v1", ["products"]],
    ["products_v2", undefined],
  ]);
});
