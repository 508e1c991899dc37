// Fields whose names are paths within objects: everywhere the dotted name, and documents as they came.
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectError } from "./expect-error.js";
import { type ParsedJson, WireServer } from "./wire-server.js";

const FIELDS = {
  sku: { type: "text" },
  name: { type: "text" },
  "attributes.color": { type: "text" },
  "attributes.size": { type: "u64" },
  "attributes.note": { type: "text", stored: false },
  "variants.shade": { type: "facet", hierarchical: false, multi: true },
  "variants.units": { type: "u64", multi: true },
};
const SHIRT = {
  sku: "a",
  name: "shirt",
  attributes: { color: "dark red", size: 40, note: "worn" },
  variants: [{ shade: "red", units: 3 }, { shade: "blue" }, { units: [4, 5] }],
};
const HAT = { sku: "b", name: "hat", attributes: { color: "green", size: 9 }, variants: [{ shade: "red" }] };
/** What hits show of it. */
const SHOWN_SHIRT = { ...SHIRT, attributes: { color: "dark red", size: 40 } };

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start();
  await server.createIndex("shop", { fields: FIELDS, primary_key: "sku" });
  await server.addCommitted("shop", [SHIRT, HAT]);
});
afterAll(() => server.stopAndRemove());

async function search(body: object, index = "shop"): Promise<ParsedJson> {
  const answer = await server.post(`/index/${index}/search`, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json.data;
}
const exact = (ctx: string): object => ({ query: { exact: { ctx } } });
const docsOf = ({ hits }: ParsedJson): object[] => hits.map(({ doc }: { doc: object }) => doc);

describe("the dotted name", () => {
  test("is asked for in queries of every mode, and documents come as they went in", async () => {
    expect(docsOf(await search(exact("attributes.color:dark")))).toEqual([SHOWN_SHIRT]);
    expect(docsOf(await search(exact("attributes.note:worn")))).toEqual([SHOWN_SHIRT]);
    expect(docsOf(await search(exact("attributes.size:>10 OR variants.units:5")))).toEqual([SHOWN_SHIRT]);
    expect(docsOf(await search(exact("variants.shade:blue")))).toEqual([SHOWN_SHIRT]);
    expect(docsOf(await search({ query: { fuzzy: { ctx: "gren" } } }))).toEqual([HAT]);
    expect(docsOf(await search(exact("variants.shade:IN [blue]")))).toEqual([SHOWN_SHIRT]);
  });

  test("orders, counts facets, highlights and picks", async () => {
    expect(docsOf(await search({ ...exact("*"), order_by: ["attributes.size:asc"] }))).toEqual([
      HAT,
      SHOWN_SHIRT,
    ]);
    const found = await search({
      ...exact("red"),
      highlight: true,
      fields: ["attributes.size", "variants.shade"],
    });
    expect(found.hits[0].highlights).toEqual({ "attributes.color": ["dark <em>red</em>"] });
    expect(docsOf(found)).toEqual([
      { attributes: { size: 40 }, variants: [{ shade: "red" }, { shade: "blue" }, {}] },
    ]);
    const { facets } = await search({ ...exact("*"), facets: ["variants.shade"] });
    expect(JSON.stringify(facets)).toContain("variants.shade");
  });

  test("weighs, and is a search field, by settings", async () => {
    const patched = await server.patch("/index/shop", {
      search_fields: ["name", "attributes.color"],
      weight_multipliers: { "attributes.color": 2 },
    });
    expect(patched.status, patched.text).toBe(200);
    expect((await search(exact("green"))).count).toBe(1);
  });

  test("deletes", async () => {
    await server.addCommitted("shop", [{ sku: "c", "attributes.color": "violet" }]);
    const deleted = await server.delete("/index/shop/documents", { "attributes.color": "violet" });
    expect(deleted.json.data.num_removed).toBe(1);
    await server.post("/index/shop/commit");
  });
});

test("a document by its key, and by its id, is as it came", async () => {
  const byKey = await server.get("/index/shop/documents/by-key/a");
  expect(byKey.json.data.doc).toEqual(SHOWN_SHIRT);
  expect(byKey.json.data.attributes).toEqual(SHOWN_SHIRT.attributes);
});

test("pages by cursor, and a federation, show the same", async () => {
  const first = await search({ ...exact("*"), cursor: true, limit: 1 });
  const second = await search({ cursor: first.cursor });
  expect([...docsOf(first), ...docsOf(second)]).toHaveLength(2);
  const index_configurations = [{ name: "shop", weight_multiplier: 1 }];
  await server.post("/federation", { name: "all", index_configurations });
  const answer = await server.post("/federation/all/search", exact("hat"));
  expect(answer.status, answer.text).toBe(200);
  expect(docsOf(answer.json.data)).toEqual([HAT]);
});

describe("a change", () => {
  const changed = async (change: object): Promise<ParsedJson> => {
    const answer = await server.patch("/index/shop/documents", [{ sku: "b", ...change }]);
    expect(answer.status, answer.text).toBe(200);
    await server.post("/index/shop/commit");
    return (await server.get("/index/shop/documents/by-key/b")).json.data.doc;
  };

  test("of an object is one of what it names; lists of objects are replaced whole", async () => {
    expect(await changed({ attributes: { color: "lime" } })).toEqual({
      ...HAT,
      attributes: { color: "lime", size: 9 },
    });
    expect(await changed({ "attributes.size": 10 })).toMatchObject({
      attributes: { color: "lime", size: 10 },
    });
    expect(await changed({ variants: [{ units: 1 }, { shade: "grey" }] })).toMatchObject({
      variants: [{ units: 1 }, { shade: "grey" }],
    });
    expect(await changed({ name: "cap" })).toMatchObject({
      name: "cap",
      variants: [{ units: 1 }, { shade: "grey" }],
    });
    expect(await changed({ "variants.shade": ["white", "black"] })).toMatchObject({
      variants: { units: [1], shade: ["white", "black"] },
    });
    expect(await changed({ variants: null, attributes: null })).toEqual({ sku: "b", name: "cap" });
    expect(await changed(HAT)).toEqual(HAT);
  });

  test("is bound to the version that hits show", async () => {
    const { hits } = await search({ ...exact("sku:b"), version: true, fields: ["attributes.color"] });
    expect(hits[0].doc).toEqual({ attributes: { color: "green" } });
    const change = { sku: "b", attributes: { color: "olive" }, _version: hits[0].version };
    expect((await server.patch("/index/shop/documents", [change])).status).toBe(200);
    expectError(await server.patch("/index/shop/documents", [change]), 409, "version_conflict");
    await server.post("/index/shop/rollback");
  });
});

test("a key may be the member of an object", async () => {
  await server.createIndex("keyed", {
    fields: { "ids.sku": { type: "text" }, "ids.count": { type: "u64" } },
    primary_key: "ids.sku",
  });
  await server.addCommitted("keyed", [{ ids: { sku: "x", count: 1 } }]);
  await server.addCommitted("keyed", [{ "ids.sku": "x", ids: { count: 2 } }]);
  const change = [{ ids: { sku: "x" }, "ids.count": 3 }];
  expect((await server.patch("/index/keyed/documents", change)).json.data.num_updated).toBe(1);
  await server.post("/index/keyed/commit");
  expect(docsOf(await search(exact("*"), "keyed"))).toEqual([{ ids: { sku: "x", count: 3 } }]);
});

test("CSV and lines of JSON have them by their names", async () => {
  await server.createIndex("rows", { fields: { id: { type: "text" }, "size.width": { type: "f64" } } });
  const send = (type: string, body: string): Promise<{ readonly status: number }> =>
    server.send("POST", "/index/rows/documents", {
      key: "admin-key-of-the-tests",
      body,
      headers: { "content-type": type },
    });
  expect((await send("text/csv", "id,size.width\n1,2.5\n")).status).toBe(200);
  expect((await send("application/x-ndjson", '{"id":"2","size":{"width":3}}\n')).status).toBe(200);
  await server.post("/index/rows/commit");
  expect(docsOf(await search({ ...exact("*"), order_by: "size.width" }, "rows"))).toEqual(
    expect.arrayContaining([
      { id: "1", size: { width: 2.5 } },
      { id: "2", size: { width: 3 } },
    ]),
  );
});

test("flat and nested spelling of the same documents give the same answers", async () => {
  const word = fc.constantFrom("red", "green", "blue");
  const document = fc.record(
    {
      name: word,
      attributes: fc.record({ color: word, size: fc.nat(20) }, { requiredKeys: [] }),
    },
    { requiredKeys: ["name"] },
  );
  for (const name of ["flat", "nested"]) await server.createIndex(name, { fields: FIELDS });
  await fc.assert(
    fc.asyncProperty(fc.array(document, { minLength: 1, maxLength: 6 }), word, async (documents, ctx) => {
      const nested = documents.map((each, i) => ({ sku: String(i), ...each }));
      const flat = nested.map(({ attributes = {}, ...rest }) => ({
        ...rest,
        ...Object.fromEntries(
          Object.entries(attributes).map(([name, value]) => [`attributes.${name}`, value]),
        ),
      }));
      for (const [index, sent] of [
        ["flat", flat],
        ["nested", nested],
      ] as const) {
        await server.delete(`/index/${index}/documents/all`);
        await server.addCommitted(index, sent);
      }
      for (const body of [
        exact(ctx),
        { query: { fuzzy: { ctx: `${ctx}d` } } },
        {
          ...exact(`attributes.color:${ctx} OR attributes.size:>5`),
          order_by: ["attributes.size:desc"],
          highlight: true,
        },
      ]) {
        const answers = await Promise.all(["flat", "nested"].map((index) => search(body, index)));
        const [one, other] = answers.map(({ hits, count, facets }) => ({
          count,
          facets,
          hits: hits.map(({ document_id: _, source_index: __, ...hit }: ParsedJson) => hit),
        }));
        expect(one).toEqual(other);
      }
    }),
    { numRuns: 8 },
  );
});
