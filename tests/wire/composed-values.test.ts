// What looks the same is the same: whole values are found, counted and ordered in NFC, and come back as they were sent.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { WireServer } from "./wire-server.js";

const COMPOSED = "éclair";
const DECOMPOSED = "e\u0301clair";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
});
afterAll(() => server.stopAndRemove());

const FIELDS = {
  id: { type: "text" },
  title: { type: "text" },
  path: { type: "facet" },
  flat: { type: "facet", hierarchical: false },
};
const create = (more: object = {}) =>
  server.post("/index", { override_if_exists: true, index: { name: "sweets", fields: FIELDS, ...more } });
beforeEach(async () => {
  await create();
});
const documentsIn = async (order?: string) => {
  const body = { query: { exact: { ctx: "*" } }, ...(order && { order_by: order, sort: "asc" }) };
  const { json } = await server.post("/index/sweets/search", body);
  return json.data.hits.map(({ doc }: { doc: object }) => doc);
};

test("texts of one look are ordered side by side, however long what they have in common", async () => {
  const begin = "a".repeat(63);
  for (const before of ["", begin, `${begin}a`]) {
    await create();
    const titles = [`${before}${COMPOSED}`, `${before}zebra`, `${before}${DECOMPOSED}`, `${before}eclair`];
    // A segment of its own for some, so that they are merged.
    for (const some of [titles.slice(0, 2), titles.slice(2)])
      await server.addCommitted(
        "sweets",
        some.map((title) => ({ title })),
      );
    expect(await documentsIn("title")).toEqual([3, 1, 0, 2].map((place) => ({ title: titles[place] })));
  }
});

test("identifiers and facets are found in either form, and shown as they were sent", async () => {
  const sent = [
    { id: DECOMPOSED, path: `/${DECOMPOSED}/x`, flat: DECOMPOSED },
    { id: `${COMPOSED}2`, path: `/${COMPOSED}`, flat: COMPOSED },
  ];
  await server.addCommitted("sweets", sent);
  expect(await documentsIn("id")).toEqual(sent);
  for (const form of [COMPOSED, DECOMPOSED]) {
    expect(await server.idsOf("sweets", `id:${form}`)).toEqual([DECOMPOSED]);
    expect(await server.idsOf("sweets", `id:${form}*`)).toEqual([DECOMPOSED, `${COMPOSED}2`]);
    expect(await server.idsOf("sweets", `path:/${form}`)).toHaveLength(2);
    expect(await server.idsOf("sweets", `flat:${form}`)).toHaveLength(2);
  }
  const { json } = await server.post("/index/sweets/search", { query: { exact: { ctx: "*" } } });
  expect(json.data.facets).toEqual([
    { path: [{ path: `/${COMPOSED}`, count: 2, children: [{ path: `/${COMPOSED}/x`, count: 1 }] }] },
    { flat: [{ path: COMPOSED, count: 2 }] },
  ]);
  const removed = await server.delete("/index/sweets/documents", { id: COMPOSED });
  expect(removed.json.data.num_removed).toBe(1);
});

test("a primary key is one in both forms; an error names the form that was sent", async () => {
  for (const key of ["id", "title"]) {
    await create({ primary_key: key });
    await server.addCommitted("sweets", [{ [key]: DECOMPOSED, flat: "old" }]);
    const { json } = await server.post("/index/sweets/documents", [{ [key]: COMPOSED, flat: "new" }]);
    expect(json.data).toMatchObject({ num_added: 0, num_replaced: 1 });
    await server.post("/index/sweets/commit");
    expect(await documentsIn()).toEqual([{ [key]: COMPOSED, flat: "new" }]);
    const changed = await server.patch("/index/sweets/documents", { [key]: DECOMPOSED, flat: "newer" });
    expect(changed.status, changed.text).toBe(200);
    await server.post("/index/sweets/commit");
    expect(await documentsIn()).toEqual([{ [key]: DECOMPOSED, flat: "newer" }]);
    const path = `/index/sweets/documents/by-key/${encodeURIComponent(COMPOSED)}`;
    expect((await server.get(path)).json.data.flat).toBe("newer");
    const missing = await server.patch("/index/sweets/documents", { [key]: `${DECOMPOSED}s`, flat: "x" });
    expectError(missing, 404, "document_not_found");
    expect(missing.json.message).toContain(`'${DECOMPOSED}s'`);
  }
});
