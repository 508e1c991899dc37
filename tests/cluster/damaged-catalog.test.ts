/**
 * What of the catalog in a cluster can't be read, as it is damaged or a newer version's, costs what is in it and nothing else:
 * servers start and go on, say what it is, leave it as it is, and read it once it is mended.
 */
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { expectError } from "../wire/expect-error.js";
import { ADMIN, WireServer, type WireSettings } from "../wire/wire-server.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let prefix: string;
  let server: WireServer;
  let node: OpenSearchNode;
  const started: WireServer[] = [];
  const start = async (more: WireSettings): Promise<WireServer> => {
    const one = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
      secretKey: "c0ffee00".repeat(8),
      ...more,
    });
    started.push(one);
    return one;
  };
  const place = (id: string) => `${node.urls[0]}/${prefix}-catalog/_doc/${encodeURIComponent(id)}`;
  const stored = async (id: string) =>
    ((await (await fetch(place(id))).json()) as { readonly _source: { readonly content: string } })._source;
  const store = async (id: string, source: object): Promise<void> => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify(source);
    const answer = await fetch(`${place(id)}?refresh=true`, { method: "PUT", headers, body });
    expect(answer.ok, await answer.text()).toBe(true);
  };
  const problem = async () =>
    (await server.get("/admin/overview")).json.data.health.storage_problem as string | null;

  beforeAll(async () => {
    node = await startOpenSearch();
    prefix = `damaged-${process.pid}`;
    server = await start({});
    for (const name of ["books", "films"]) {
      await server.createIndex(name);
      await server.addCommitted(name, [{ id: "1", title: "tale" }]);
    }
  });

  afterAll(async () => {
    for (const one of started) await one.stopAndRemove();
    if (node !== undefined) await fetch(`${node.urls[0]}/${prefix}-*`, { method: "DELETE" });
    node?.stop();
  });

  const newer = (content: string): string => {
    const [line = "", rest] = content.split("\n");
    const open = line.replace('"format":1', '"format":9').replace(/,"head":.*$/, "");
    const head = createHash("sha256").update(open).digest("hex").slice(0, 16);
    return `${open},"head":"${head}"}\n${rest}\n`;
  };
  const DAMAGES: readonly (readonly [string, (content: string) => object])[] = [
    ["cut", (content) => ({ content: content.slice(0, 60) })],
    ["empty", () => ({ content: "" })],
    ["flipped", (content) => ({ content: content.replace("title", "titlf") })],
    ["a newer version's", (content) => ({ content: newer(content) })],
    ["without members", () => ({ kind: undefined, name: undefined, content: undefined })],
    ["another's", () => ({ name: "films" })],
  ];

  test.each(DAMAGES)("an index's entry that is %s costs that index alone, and stays", async (_, damage) => {
    const before = await stored("index:books");
    const damaged = { ...before, ...damage(before.content) };
    await store("index:books", damaged);
    await expect.poll(problem).toContain("index 'books'");
    const fresh = await start({});
    expect(fresh.logLines.join("\n")).toContain(`${prefix}-catalog/_doc/index:books`);
    for (const each of [server, fresh]) {
      expect(await each.idsOf("films", "tale")).toEqual(["1"]);
      for (const answer of [
        await each.post("/index/books/search", { query: { exact: { ctx: "tale" } } }),
        await each.post("/index/books/documents", [{ title: "late" }]),
        await each.post("/index", { name: "books", fields: { title: { type: "text" } } }),
        await each.delete("/index/books"),
      ]) {
        expectError(answer, 503, "storage_unavailable");
        expect(answer.text).toContain("index 'books'");
      }
    }
    expect(await stored("index:books")).toEqual(JSON.parse(JSON.stringify(damaged)));
    await store("index:books", before);
    for (const each of [server, fresh]) {
      await expect.poll(async () => (await each.get("/index/books")).status).toBe(200);
      expect(await each.idsOf("books", "tale")).toEqual(["1"]);
    }
    expect(await problem()).toBeNull();
  });

  test("damaged keys let nobody in and aren't replaced; aliases cost no index", async () => {
    const made = await server.post("/auth/key", { name: "k", permissions: 63, allowed_indexes: ["*"] });
    const { key } = made.json.data as { readonly key: string };
    const alias = { key: ADMIN, body: { index: "films" } };
    expect((await server.send("PUT", "/alias/movies", alias)).status).toBe(200);
    const keys = await stored("keys:all");
    await store("keys:all", { ...keys, content: keys.content.slice(0, 70) });
    const aliases = await stored("aliases:all");
    await store("aliases:all", { ...aliases, content: "{" });
    await expect.poll(problem).toContain("access keys");
    // the server may have looked between the two
    await expect.poll(problem).toContain("aliases");
    const fresh = await start({ adminKey: undefined, ingestKey: undefined, readKey: undefined });
    expect(fresh.running.createdKeys).toEqual([]);
    for (const each of [server, fresh]) expect((await each.get("/index", key)).status).toBe(401);
    expect(await server.idsOf("films", "tale")).toEqual(["1"]);
    const another = { name: "l", permissions: 1, allowed_indexes: ["*"] };
    expectError(await server.post("/auth/key", another), 503, "storage_unavailable");
    expectError(await server.get("/alias"), 503, "storage_unavailable");
    expectError(await server.delete("/index/films"), 503, "storage_unavailable");
    expectError(await server.post("/index/movies/search", {}), 503, "storage_unavailable");
    expect((await stored("aliases:all")).content).toBe("{");
    await store("keys:all", keys);
    await store("aliases:all", aliases);
    await expect.poll(async () => (await fresh.get("/index", key)).status).toBe(200);
  });

  test("an index's state that can't be read costs that index alone", async () => {
    const states = `${node.urls[0]}/${prefix}-states`;
    const schemaOf = (content: string) => JSON.parse(content).schema.name as string;
    const found = (await (await fetch(`${states}/_search?size=100`)).json()) as {
      readonly hits: {
        readonly hits: readonly { readonly _id: string; readonly _source: { readonly content: string } }[];
      };
    };
    const { _id: id } = found.hits.hits.find(({ _source }) => schemaOf(_source.content) === "films")!;
    await fetch(`${states}/_doc/${id}?refresh=true`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ content: "{}" }),
    });
    const fresh = await start({});
    expect(await fresh.idsOf("books", "tale")).toEqual(["1"]);
    expectError(
      await fresh.post("/index/films/search", { query: { exact: { ctx: "tale" } } }),
      500,
      "storage_corrupt",
    );
  });
});
