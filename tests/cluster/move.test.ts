/**
 * `findling move` from a data folder, on which a server goes on with its searches, to a cluster and back to another
 * folder: documents with ids and order, fields that hits don't return, settings, dictionaries, secrets, federations,
 * aliases and keys; and exports of one imported into the other.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { ADMIN, WireServer, type WireSettings } from "../wire/wire-server.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;
const MAIN = join(import.meta.dirname, "../../dist/cli/main.js");
const DOCUMENTS = 1_200;
const SECRET_KEY = "c0ffee00".repeat(8);
/** Without configured access keys, so that there are stored ones to be moved. */
const STORED_KEYS: WireSettings = {
  secretKey: SECRET_KEY,
  adminKey: undefined,
  ingestKey: undefined,
  readKey: undefined,
};

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  const root = mkdtempSync(join(tmpdir(), "findling-move-test-"));
  const prefix = `move-${process.pid}`;

  beforeAll(async () => {
    node = await startOpenSearch();
  });
  const running: WireServer[] = [];
  const started = async (...parameters: Parameters<typeof WireServer.start>): Promise<WireServer> => {
    const server = await WireServer.start(...parameters);
    running.push(server);
    return server;
  };
  afterAll(async () => {
    for (const server of running) await server.stop();
    if (node !== undefined) await fetch(`${node.urls[0]}/${prefix}*`, { method: "DELETE" });
    node?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  const place = (name = prefix) => `opensearch://${node.urls[0]!.slice("http://".length)}/${name}`;
  const cli = async (...parameters: readonly string[]) => {
    const env = { ...process.env, FINDLING_SECRET_KEY: SECRET_KEY };
    const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...parameters, "--json"], { env });
    return JSON.parse(stdout);
  };
  const onCluster = (folder: string): WireSettings => ({
    ...STORED_KEYS,
    backend: "opensearch",
    opensearchUrl: node.urls,
    opensearchPrefix: prefix,
    opensearchReplicas: 0,
    dataDir: folder,
  });

  /** All that a caller can see, by the key that the first server made. */
  async function contentsOf(server: WireServer, key: string): Promise<Record<string, unknown>> {
    const answers: Record<string, unknown> = {};
    const read = async (name: string, method: string, path: string, body?: unknown) => {
      const answer = await server.send(method, path, { key, ...(body !== undefined && { body }) });
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
      answers[name] = answer.json.data;
    };
    await read("indexes", "GET", "/index");
    await read("keys", "GET", "/auth/key");
    // Reading is a use.
    for (const each of answers["keys"] as { last_used_at?: string }[]) delete each.last_used_at;
    await read("aliases", "GET", "/alias");
    await read("federations", "GET", "/federation");
    for (const name of ["books", "films"]) {
      await read(`${name} settings`, "GET", `/index/${name}`);
      await read(`${name} stopwords`, "GET", `/index/${name}/stopwords`);
      await read(`${name} synonyms`, "GET", `/index/${name}/synonyms`);
      const searched = { query: { exact: { ctx: "title:tale" } }, limit: 200, order_by: "year" };
      const answer = await server.send("POST", `/index/${name}/search`, { key, body: searched });
      answers[`${name} hits`] = answer.json.data.hits.map((hit: { document_id: string; doc: unknown }) => [
        hit.document_id,
        hit.doc,
      ]);
    }
    // Of a field that hits don't return.
    const hidden = { query: { exact: { ctx: "secret:hidden7" } } };
    const found = await server.send("POST", "/index/books/search", { key, body: hidden });
    answers["hidden"] = found.json.data.hits.map(({ document_id: id }: { document_id: string }) => id);
    return answers;
  }

  test("everything arrives, there and back, while a server reads", async () => {
    const [first, second] = [join(root, "first"), join(root, "second")];
    const server = await started({ ...STORED_KEYS, dataDir: first }, { folder: first });
    const { key } = server.running.createdKeys.find(({ permissions }) => permissions === 127)!;
    const send = async (method: string, path: string, body: unknown) => {
      const answer = await server.send(method, path, { key, body });
      expect(answer.status, `${path}: ${answer.text}`).toBe(200);
    };
    const fields = {
      id: { type: "text" },
      title: { type: "text" },
      secret: { type: "text", stored: false },
      year: { type: "u64" },
    };
    for (const name of ["books", "films"]) {
      await send("POST", "/index", {
        index: { name, fields, language: "en", search_fields: ["title"] },
      });
    }
    const documents = Array.from({ length: DOCUMENTS }, (_, i) => ({
      id: String(i),
      title: `tale ${i}`,
      secret: `hidden${i}`,
      year: i,
    }));
    for (let i = 0; i < DOCUMENTS; i += 400) {
      await send("POST", "/index/books/documents", documents.slice(i, i + 400));
      await send("POST", "/index/books/commit", undefined);
    }
    await send("DELETE", "/index/books/documents/query", { query: { exact: { ctx: "year:<5" } } });
    await send("POST", "/index/books/commit", undefined);
    await send("POST", "/index/films/documents", [{ id: "1", title: "tale", year: 1 }]);
    await send("POST", "/index/films/commit", undefined);
    await send("POST", "/index/films/stopwords", ["zum"]);
    await send("POST", "/index/books/synonyms", ["tale:story"]);
    await send("POST", "/federation", {
      name: "all",
      index_configurations: [{ name: "books" }, { name: "films" }],
    });
    await send("PUT", "/alias/library", { index: "books" });
    const before = await contentsOf(server, key);

    const there = await cli("move", "--from", first, "--to", place());
    expect(there.indexes.map(({ name, documents: count }: never) => [name, count])).toEqual([
      ["books", DOCUMENTS - 5],
      ["films", 1],
    ]);
    await expect(cli("move", "--from", first, "--to", place())).rejects.toMatchObject({ code: 1 });
    // Pending writes change nothing of what is committed; the server has been there all the time.
    expect(await contentsOf(server, key)).toEqual(before);
    await server.stop();

    const cluster = await started(onCluster(first), { folder: first });
    expect(await contentsOf(cluster, key)).toEqual(before);
    // A document that has been changed is another one in the cluster, with the same id.
    const [id] = (before["books hits"] as [string, unknown][])[0]!;
    const change = [{ _id: id, title: "a changed tale" }];
    const patched = await cluster.send("PATCH", "/index/books/documents", { key, body: change });
    expect(patched.status, patched.text).toBe(200);
    expect((await cluster.send("POST", "/index/books/commit", { key })).status).toBe(200);
    const changed = await contentsOf(cluster, key);
    expect(changed).not.toEqual(before);

    const back = await cli("move", "--from", place(), "--to", second);
    expect(back.indexes[0]).toMatchObject({ name: "books", documents: DOCUMENTS - 5, has_changed: false });
    expect(back.indexes[1]).toEqual(there.indexes[1]);
    await cluster.stop();
    const again = await started({ ...STORED_KEYS, dataDir: second }, { folder: second });
    expect(await contentsOf(again, key)).toEqual(changed);
    await again.stop();
  });

  test("an export of one is imported into the other", async () => {
    const folder = mkdtempSync(join(root, "export-"));
    const [embedded, cluster] = [
      await WireServer.start({}),
      await WireServer.start({ ...onCluster(folder), adminKey: ADMIN, opensearchPrefix: `${prefix}-export` }),
    ];
    try {
      const fields = { id: { type: "text" }, title: { type: "text" } };
      for (const server of [embedded, cluster]) {
        await server.createIndex("from", { fields });
        await server.createIndex("to", { fields });
        await server.addCommitted("from", [
          { id: "1", title: "tale" },
          { id: "2", title: "a tale of tales" },
        ]);
      }
      for (const [from, to] of [
        [embedded, cluster],
        [cluster, embedded],
      ] as const) {
        const file = join(folder, `${from === embedded ? "there" : "back"}.ndjson`);
        await cli("export", "from", "--url", from.running.url, "--key", ADMIN, "--out", file);
        await cli("import", file, "--index", "to", "--url", to.running.url, "--key", ADMIN);
        expect((await to.idsOf("to", "title:tale")).toSorted()).toEqual(["1", "2"]);
      }
    } finally {
      await embedded.stopAndRemove();
      await cluster.stopAndRemove();
    }
  });
});
