// What the public clients send, from the first key to the last search, as their sources have it: the TypeScript and the
// PHP client, the MCP server for the API, and the browser SDK on a site that a CMS plugin keeps.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN, INGEST, type ParsedJson, READ, type WireAnswer, WireServer } from "./wire-server.js";

let server: WireServer;
beforeAll(async () => {
  server = await WireServer.start({ putCreates: true });
});
afterAll(() => server.stopAndRemove());

const JSON_TYPE = "application/json";

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** Always with a content type, also where there is no body. */
async function send(
  method: string,
  path: string,
  key: string | undefined,
  sent: Sent = {},
): Promise<WireAnswer> {
  const answer = await server.send(method, path, {
    key,
    ...("body" in sent && { body: sent.body }),
    headers: { "content-type": JSON_TYPE, ...sent.headers },
  });
  expect(answer.text.length, `${method} ${path}`).toBeGreaterThan(0);
  return answer;
}

/** The body of an answer that the client takes for a success. */
async function done(
  method: string,
  path: string,
  key: string | undefined,
  sent: Sent = {},
): Promise<ParsedJson> {
  const answer = await send(method, path, key, sent);
  expect([answer.status, answer.json?.status], `${method} ${path}: ${answer.text}`).toEqual([200, 200]);
  return answer.json;
}

const FIELDS = {
  id: { type: "text", required: true, stored: true, indexed: true },
  title: { type: "text", stored: true, indexed: true },
  category: { type: "facet", stored: true },
  price: { type: "f64", stored: true, fast: true },
  created: { type: "datetime", stored: true, fast: true, indexed: true },
};
const PRODUCTS = [
  { id: "1", title: "Gaming laptop", category: "/electronics/laptops", price: 1299.5, sku: "x" },
  { id: "2", title: "Office laptop", category: "/electronics/laptops", price: 800 },
  { id: "3", title: "Laptop sleeve", category: "/accessories", price: 20 },
  { id: "4", title: "Desk lamp", category: "/furniture/desk, small", price: 45 },
];
const idsOf = (json: ParsedJson): string[] => json.data.hits.map((hit: ParsedJson) => hit.doc.id);

test("the TypeScript client: an index by PUT, documents, queries of its builder, deletes, dictionaries, federations", async () => {
  await done("GET", "/healthcheck", READ);
  const index = {
    name: "products",
    search_fields: ["title"],
    fields: FIELDS,
    auto_commit_delay: 1,
    weight_multipliers: { title: 2 },
  };
  await done("PUT", "/index/products", ADMIN, { body: { index } });
  expect((await done("GET", "/index", READ)).data.index_names).toContain("products");

  // A delay of up to a second: committed with the request.
  const added = await done("POST", "/index/products/documents", INGEST, { body: PRODUCTS });
  expect(added.data).toMatchObject({ success: true, num_added: 4, ignored_fields: ["sku"] });
  const shown = await done("GET", `/index/products/documents/${added.data.ids[0]}`, INGEST);
  expect([shown.id, shown.title, shown.data.doc.id]).toEqual(["1", "Gaming laptop", "1"]);
  expect((await done("GET", "/index/products/stats", INGEST)).data).toEqual({ document_count: 4 });

  const search = (body: object) => done("POST", "/index/products/search", READ, { body });
  const fuzzy = await search({ query: { fuzzy: { ctx: "latpop" } }, limit: 10, offset: 0 });
  expect(idsOf(fuzzy).toSorted()).toEqual(["1", "2", "3"]);
  expect(fuzzy.data.count).toBe(3);
  expect(Object.keys(fuzzy.data.facets[0])).toEqual(["category"]);
  expect(fuzzy.data.time_taken).toBeGreaterThan(0);
  const exact = await search({
    query: [
      { occur: "must", exact: { ctx: "title:laptop AND price:[500 TO *]" } },
      { fuzzy: { ctx: "office" } },
    ],
    order_by: "price",
    sort: "asc",
  });
  expect(idsOf(exact)).toEqual(["2", "1"]);
  const escaped = await search({ query: { exact: { ctx: "category:/furniture/desk\\,\\ small" } } });
  expect(idsOf(escaped)).toEqual(["4"]);
  const none = await search({ query: { exact: { ctx: "*" } }, limit: 0 });
  expect(none.data).toMatchObject({ hits: [], count: 4 });

  const removed = await done("DELETE", "/index/products/documents", INGEST, { body: { id: ["3", "4"] } });
  expect(removed.data).toMatchObject({ success: true, num_removed: 2, detail: expect.any(String) });
  await done("DELETE", "/index/products/documents/query", INGEST, {
    body: { query: { exact: { ctx: "id:2" } } },
  });
  expect(typeof (await done("POST", "/index/products/commit", INGEST)).data).toBe("string");
  await done("POST", "/index/products/rollback", INGEST);
  expect(idsOf(await search({ query: { exact: { ctx: "*" } } }))).toEqual(["1"]);

  await done("POST", "/index/products/synonyms", INGEST, {
    body: ["notebook:laptop", "pc,computer:laptop,desk top"],
  });
  const synonyms = await done("GET", "/index/products/synonyms", READ);
  expect(synonyms.notebook).toEqual(["laptop"]);
  expect(idsOf(await search({ query: { fuzzy: { ctx: "computer" } } }))).toEqual(["1"]);
  await done("DELETE", "/index/products/synonyms", INGEST, { body: ["notebook:laptop", "pc"] });
  await done("POST", "/index/products/stopwords", INGEST, { body: ["gaming"] });
  expect((await done("GET", "/index/products/stopwords", READ)).data).toContain("gaming");
  expect(idsOf(await search({ query: { fuzzy: { ctx: "gaming" } } }))).toEqual([]);
  await done("DELETE", "/index/products/stopwords/all", INGEST);
  await done("DELETE", "/index/products/synonyms/all", INGEST);

  await done("PUT", "/index/articles", ADMIN, { body: { index: { ...index, name: "articles" } } });
  await done("POST", "/index/articles/documents", INGEST, { body: { id: "a", title: "On a laptop" } });
  const federation = {
    name: "everything",
    friendly_name: "Everything",
    index_configurations: [
      { name: "products", weight_multiplier: 1 },
      { name: "articles", weight_multiplier: 2 },
    ],
  };
  expect((await done("POST", "/federation", ADMIN, { body: federation })).data.name).toBe("everything");
  const found = await done("POST", "/federation/everything/search", READ, { body: { query: "laptop" } });
  expect(found.data.hits.map((hit: ParsedJson) => [hit.source_index, hit.doc.id])).toEqual([
    ["articles", "a"],
    ["products", "1"],
  ]);
  expect((await done("GET", "/federation/everything/stats", ADMIN)).num_docs).toBe(2);
  await done("PATCH", "/index/products", ADMIN, { body: { weight_multipliers: { title: 1 } } });
  await done("DELETE", "/federation/everything", ADMIN);
  for (const name of ["products", "articles"]) await done("DELETE", `/index/${name}`, ADMIN);

  // Errors are told apart by their status, and by the message at the top.
  const missing = await send("POST", "/index/products/search", READ, { body: { query: "x" } });
  expect([missing.status, typeof missing.json.message]).toEqual([404, "string"]);
  expect((await send("DELETE", "/index/products", READ)).status).toBe(403);
  expect((await send("GET", "/index", "wrong")).status).toBe(401);
});

test("the PHP client: a schema nested twice, empty arrays for objects, bare queries, errors with their reasons", async () => {
  const headers = { accept: JSON_TYPE };
  const index = { search_fields: ["title"], weight_multipliers: [], fields: FIELDS };
  await done("POST", "/index", ADMIN, {
    headers,
    body: { index: { name: "shop", index: { name: "shop", ...index } } },
  });
  await done("POST", "/index/shop/documents", INGEST, { headers, body: PRODUCTS });
  await done("POST", "/index/shop/commit", INGEST, { headers });
  const schema = (await done("GET", "/index/shop", INGEST, { headers })).data;
  await done("PATCH", "/index/shop", INGEST, {
    headers,
    body: { weight_multipliers: schema.weight_multipliers },
  });
  const search = (body: object) => done("POST", "/index/shop/search", READ, { headers, body });
  expect(
    idsOf(
      await search({
        query: { exact: { ctx: "laptop" } },
        occur: "must",
        order_by: "price",
        sort: "price:asc",
      }),
    ),
  ).toEqual(["3", "2", "1"]);
  expect(
    (
      await done("DELETE", "/index/shop/documents/query", INGEST, {
        headers,
        body: { exact: { ctx: "id:3" } },
      })
    ).data.num_removed,
  ).toBe(1);
  await done("POST", "/index/shop/rollback", INGEST, { headers });
  await done("POST", "/index/shop/commit", INGEST, { headers });
  expect(idsOf(await search({ query: { exact: { ctx: "id:3" } } }))).toEqual(["3"]);
  await done("POST", "/federation", ADMIN, {
    headers,
    body: { name: "one", index_configurations: [{ name: "shop", weight_multiplier: 1.5 }] },
  });
  const put = await done("PUT", "/federation/one", ADMIN, {
    headers,
    body: { friendly_name: "One", index_configurations: [{ name: "shop" }] },
  });
  expect(put.data).toMatchObject({ name: "one", friendly_name: "One" });
  const refused = await send("POST", "/index/shop/search", READ, {
    headers,
    body: { query: { exact: { ctx: "nowhere:1" } } },
  });
  expect([refused.status, refused.json.status, refused.json.data.error]).toEqual([
    400,
    400,
    refused.json.message,
  ]);
  expect(["string", "undefined"]).toContain(typeof refused.json.data.details);
  // Replacing an index removes its documents.
  await done("PUT", "/index/shop", ADMIN, { headers, body: { index: { name: "shop", ...index } } });
  expect((await search({ query: { exact: { ctx: "*" } } })).data.count).toBe(0);
  await done("DELETE", "/federation/one", ADMIN, { headers });
  await done("DELETE", "/index/shop", ADMIN, { headers });
});

test("the MCP server: keys, sets of facets, documents posted to commit, numbers as text, synonyms the other way", async () => {
  await done("GET", "//healthcheck", undefined);
  const created = await done("POST", "/auth/key", ADMIN, {
    body: {
      name: "site",
      permissions: 15,
      status: "active",
      allowed_indexes: ["movies"],
      organization_id: "7",
      application_id: "8",
    },
  });
  const { key } = created;
  expect(key).toMatch(/^[A-Za-z0-9]{10,}$/);
  await done("POST", "/index", ADMIN, {
    body: { override_if_exists: true, index: { name: "movies", search_fields: ["title"], fields: FIELDS } },
  });
  const documents = [
    { id: "1", title: "A space opera", category: "/film/space", price: "1.0" },
    { id: "2", title: "A space western", category: "/film/western", price: "2" },
    { id: "3", title: "A horse opera", category: "/series", price: 3 },
  ];
  await done("POST", "/index/movies/documents", key, { body: documents });
  await done("POST", "/index/movies/commit", key, { body: documents });
  expect((await done("GET", "/index/movies/stats", key)).data).toEqual({ document_count: 3 });
  const sent = {
    query: [
      { occur: "must", exact: { ctx: "category: IN [/film/space /series]" } },
      { occur: "should", fuzzy: { ctx: "opera" } },
    ],
    order_by: "price",
    sort: "desc",
  };
  expect(idsOf(await done("POST", "/index/movies/search", key, { body: sent }))).toEqual(["3", "1"]);
  await done("POST", "/index/movies/synonyms", key, { body: ["film:opera,western"] });
  const film = await done("POST", "/index/movies/search", key, {
    body: { query: { fuzzy: { ctx: "film" } } },
  });
  expect(idsOf(film).toSorted()).toEqual(["1", "2", "3"]);
  const empty = await send("POST", "/index/movies/search", key, { body: { query: [] } });
  expect(empty.status).toBe(400);
  await done("POST", "/index", ADMIN, {
    body: { override_if_exists: true, index: { name: "movies", search_fields: ["title"], fields: FIELDS } },
  });
  expect((await done("GET", "/index/movies/stats", key)).data).toEqual({ document_count: 0 });
  await done("DELETE", `/auth/key/${key}`, ADMIN);
  expect((await send("GET", "/index/movies/stats", key)).status).toBe(401);
  await done("DELETE", "/index/movies", ADMIN);
});

describe("the browser SDK on a site of the CMS plugin", () => {
  const DEFINITION = {
    name: "site",
    search_fields: ["title"],
    fields: FIELDS,
    language: "en",
    exclude_stop_words: true,
  };
  let ingest: string;
  let read: string;

  test("the plugin keeps the index, comparing definitions byte for byte, and sends everything again", async () => {
    const keyOf = async (permissions: number): Promise<string> =>
      (
        await done("POST", "/auth/key", ADMIN, {
          body: { name: `site ${permissions}`, permissions, allowed_indexes: ["site"] },
        })
      ).key;
    ingest = await keyOf(15);
    read = await keyOf(1);
    await done("POST", "/index", ADMIN, { body: { index: DEFINITION } });
    await done("POST", "/index/site/documents", ingest, { body: [{ id: "old", title: "old" }] });
    await done("POST", "/index/site/commit", ingest);
    const before = (await done("GET", "/index/site", ingest)).data;
    const fields = { ...before.fields, excerpt: { type: "text", stored: true } };
    await done("PUT", "/index/site", ingest, { body: { index: { ...before, fields } } });
    const after = (await done("GET", "/index/site", ingest)).data;
    for (const name of Object.keys(before.fields))
      expect(JSON.stringify(after.fields[name])).toBe(JSON.stringify(before.fields[name]));
    await done("DELETE", "/index/site/documents/all", ingest);
    await done("POST", "/index/site/documents", ingest, { body: PRODUCTS });
    await done("POST", "/index/site/commit", ingest);
    expect((await done("GET", "/index/stats", ingest)).data.total_document_count).toBe(4);
  });

  test("the browser asks first whether it may, then searches with facets, quotes and all", async () => {
    const preflight = await server.send("OPTIONS", "/index/site/search", {
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type,x-sc-session-id,x-sc-user-id",
      },
    });
    expect(preflight.status).toBeLessThan(300);
    expect(preflight.headers["access-control-allow-origin"]).toBeDefined();
    const headers = {
      origin: "https://shop.example",
      "x-sc-user-id": "u",
      "x-sc-session-id": "s",
      "x-sc-user-type": "anonymous",
    };
    const search = (body: object) => done("POST", "/index/site/search", read, { headers, body });
    const first = await search({
      query: [{ occur: "must", fuzzy: { ctx: "laptop" } }],
      limit: 20,
      offset: 0,
    });
    expect(idsOf(first).toSorted()).toEqual(["1", "2", "3"]);
    const [{ category }] = first.data.facets;
    expect(category.map(({ path, count }: ParsedJson) => [path, count])).toEqual([
      ["/electronics", 2],
      ["/accessories", 1],
    ]);
    const narrowed = await search({
      query: [
        { occur: "must", fuzzy: { ctx: "laptop" } },
        { occur: "must", exact: { ctx: "category: IN [/electronics/laptops]" } },
      ],
      limit: 1,
      offset: 1,
    });
    expect([narrowed.data.count, narrowed.data.hits.length]).toEqual([2, 1]);
    expect(narrowed.data.time_taken).not.toBe(first.data.time_taken);
    const quoted = await search({
      query: [{ occur: "must", exact: { ctx: '"the "gaming laptop""' } }],
      limit: 5,
    });
    expect(quoted.data.count).toBeGreaterThanOrEqual(0);
    // A read key may not report events, unless the server is told so: the browser only logs it.
    const event = {
      event_name: "search_requested",
      properties: { searchcraft_index_names: ["site"] },
      user: { user_id: "u" },
    };
    expect((await send("POST", "/measure/batch", read, { headers, body: { items: [event] } })).status).toBe(
      403,
    );
    expect(typeof (await done("GET", "/measure/status", undefined)).enabled).toBe("boolean");
  });

  test("the plugin takes its keys back, the last one with itself", async () => {
    await done("DELETE", `/auth/key/${read}`, ADMIN);
    await done("DELETE", `/auth/key/${ingest}`, ingest);
    for (const key of [read, ingest]) expect((await send("GET", "/index/site/stats", key)).status).toBe(401);
    await done("DELETE", "/index/site", ADMIN);
  });
});
