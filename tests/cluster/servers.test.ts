/**
 * What was one process's: several servers before one cluster have the same keys, commit by themselves what another has
 * left, share limits, and refuse what would be one server's alone; the way to the cluster may be encrypted and guarded.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster } from "../../src/adapters/opensearch/cluster.js";
import { LiveServers } from "../../src/adapters/opensearch/live-servers.js";
import { OwnedIndices } from "../../src/adapters/opensearch/owned-index.js";
import { loadConfiguration } from "../../src/server.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { WireServer, type WireSettings } from "../wire/wire-server.js";
import { ADMIN_KEY, ServerProcess } from "./server-process.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;
const SECRET_KEY = "c0ffee00".repeat(8);
const NO_KEYS: WireSettings = { adminKey: undefined, ingestKey: undefined, readKey: undefined };

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let settings: WireSettings;
  let count = 0;
  const started: WireServer[] = [];

  beforeAll(async () => {
    node = await startOpenSearch();
  });
  afterAll(async () => {
    for (const server of started) await server.stopAndRemove();
    if (node !== undefined) await fetch(`${node.urls[0]}/servers-${process.pid}-*`, { method: "DELETE" });
    node?.stop();
  });

  const ownPrefix = () => `servers-${process.pid}-${count++}`;
  const start = async (more: WireSettings): Promise<WireServer> => {
    const server = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchReplicas: 0,
      secretKey: SECRET_KEY,
      ...more,
    });
    started.push(server);
    return server;
  };

  test("of servers that start first together one makes the keys, and all let them in", async () => {
    settings = { ...NO_KEYS, opensearchPrefix: ownPrefix() };
    const servers = await Promise.all([start(settings), start(settings)]);
    const made = servers.filter(({ running }) => running.createdKeys.length > 0);
    expect(made).toHaveLength(1);
    const { key } = made[0]!.running.createdKeys.find(({ permissions }) => permissions === 127)!;
    for (const server of servers)
      await expect.poll(async () => (await server.get("/index", key)).status).toBe(200);
  });

  test("a server with another secret key doesn't start, and says what to do", async () => {
    const prefix = ownPrefix();
    await start({ opensearchPrefix: prefix });
    await expect(
      WireServer.start({
        backend: "opensearch",
        opensearchUrl: node.urls,
        opensearchPrefix: prefix,
        secretKey: "ab".repeat(32),
      }),
    ).rejects.toMatchObject({
      code: "invalid_configuration",
      message: expect.stringContaining("FINDLING_SECRET_KEY"),
    });
  });

  test("backups are refused with a word of snapshots, events without ClickHouse with a line in the log", async () => {
    const server = await start({ opensearchPrefix: ownPrefix() });
    expect(await server.post("/backup")).toMatchObject({
      status: 400,
      json: { data: { code: "not_supported" }, message: expect.stringContaining("snapshots") },
    });
    expect(server.logLines.join()).toContain("usage events are not stored");
    const env = { FINDLING_BACKEND: "opensearch", FINDLING_OPENSEARCH_URL: node.urls[0]! };
    expect(() => loadConfiguration({ env: { ...env, FINDLING_MEASURE: "on" } })).toThrow("ClickHouse");
    expect(() => loadConfiguration({ env: { ...env, FINDLING_BACKUP_URL: "file:///backups" } })).toThrow(
      "snapshots",
    );
  });

  test("what a killed server was to commit by itself is committed by another", async () => {
    const environment = { FINDLING_OPENSEARCH_PREFIX: ownPrefix(), FINDLING_OPENSEARCH_REPLICAS: "0" };
    const doomed = await ServerProcess.start(node.urls, environment);
    const other = await ServerProcess.start(node.urls, environment);
    const send = async (server: ServerProcess, path: string, body: unknown) => {
      const headers = { authorization: ADMIN_KEY, "content-type": "application/json" };
      const answer = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: answer.status, json: (await answer.json()) as { data: { count: number } } };
    };
    try {
      const index = { name: "books", fields: { title: { type: "text" } }, auto_commit_delay: 2 };
      expect((await send(doomed, "/index", { index })).status).toBe(200);
      expect((await send(doomed, "/index/books/documents", { title: "tale" })).status).toBe(200);
      await doomed.kill();
      const search = { query: { exact: { ctx: "title:tale" } } };
      await expect
        .poll(async () => (await send(other, "/index/books/search", search)).json.data.count, {
          timeout: 120_000,
        })
        .toBe(1);
    } finally {
      await doomed.stop();
      await other.stop();
    }
  });

  test("servers count each other, and forget who is gone", async () => {
    const cluster = new Cluster({ urls: node.urls });
    const indices = new OwnedIndices(cluster, ownPrefix());
    const one = await LiveServers.open(cluster, indices);
    const other = await LiveServers.open(cluster, indices);
    try {
      expect(one.count).toBe(1);
      await expect.poll(() => [one.count, other.count]).toEqual([2, 2]);
      await other.close();
      await expect.poll(() => one.count).toBe(1);
    } finally {
      await one.close();
      await indices.deleteAll();
      await cluster.close();
    }
  });

  describe("behind TLS and a password", () => {
    let guard: Server;
    let caFile: string;
    let folder: string;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "findling-cluster-tls-"));
      const [certificate, key] = [join(folder, "ca.pem"), join(folder, "ca.key")];
      const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
      const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
      execFileSync("openssl", ["req", "-x509", ...kind, ...names, "-keyout", key, "-out", certificate], {
        stdio: "ignore",
      });
      caFile = certificate;
      const expected = `Basic ${Buffer.from("findling:pass phrase").toString("base64")}`;
      guard = createServer(
        { cert: readFileSync(certificate), key: readFileSync(key) },
        (incoming, answer) => {
          if (incoming.headers.authorization !== expected) {
            answer.writeHead(401, { "content-type": "text/plain" }).end("Unauthorized");
            return;
          }
          const { host: _, ...headers } = incoming.headers;
          const onwards = request(
            node.urls[0] + incoming.url!,
            { method: incoming.method!, headers },
            (reply) => {
              answer.writeHead(reply.statusCode!, reply.headers);
              reply.pipe(answer);
            },
          );
          onwards.on("error", () => incoming.socket.destroy());
          incoming.pipe(onwards);
        },
      );
      await new Promise<void>((resolve) => guard.listen(0, "127.0.0.1", resolve));
    });
    afterAll(async () => {
      for (const server of started.splice(0)) await server.stopAndRemove();
      guard?.closeAllConnections();
      guard?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const guarded = (): WireSettings => ({
      backend: "opensearch",
      opensearchUrl: [`https://localhost:${(guard.address() as AddressInfo).port}`],
      opensearchPrefix: ownPrefix(),
      opensearchReplicas: 0,
      opensearchUser: "findling",
      opensearchPassword: "pass phrase",
      opensearchCaFile: caFile,
      secretKey: SECRET_KEY,
    });

    test("a server with both is let in", async () => {
      const server = await start(guarded());
      await server.createIndex("books");
      await server.addCommitted("books", [{ id: "1", title: "tale" }]);
      expect(await server.idsOf("books", "tale")).toEqual(["1"]);
    });

    test("another password, certificates that it isn't signed by, or a file that isn't there: no start", async () => {
      await expect(WireServer.start({ ...guarded(), opensearchPassword: "wrong" })).rejects.toMatchObject({
        code: "storage_unavailable",
        message: expect.stringContaining("credentials"),
      });
      await expect(WireServer.start({ ...guarded(), opensearchCaFile: undefined })).rejects.toMatchObject({
        code: "storage_unavailable",
      });
      await expect(
        WireServer.start({ ...guarded(), opensearchCaFile: join(folder, "none.pem") }),
      ).rejects.toMatchObject({
        code: "invalid_configuration",
        message: expect.stringContaining("FINDLING_OPENSEARCH_CA_FILE"),
      });
    });
  });
});
