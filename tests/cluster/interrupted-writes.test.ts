/**
 * A server is killed between two steps of one write: whoever commits next, at another server, commits all of the write or
 * nothing, and all that was acknowledged before. Where it is killed is a proxy's plan, which holds the request back.
 */
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Cluster } from "../../src/adapters/opensearch/cluster.js";
import { OwnedIndices } from "../../src/adapters/opensearch/owned-index.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { WireServer } from "../wire/wire-server.js";
import { ClusterProxy, type ProxiedRequest } from "./cluster-proxy.js";
import { ADMIN_KEY, ServerProcess } from "./server-process.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;

const OLD = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, title: "tale", note: "old" }));
const NEW = OLD.map((document) => ({ ...document, note: "new" }));
/** More than one request to the cluster takes, together. */
const LARGE = Array.from({ length: 12 }, (_, i) => ({
  id: `${i}`,
  title: "tale",
  note: "large",
  bulk: "x".repeat(1_000_000),
}));

const isBulk = ({ path }: ProxiedRequest) => /-d-[^/]*\/_bulk/.test(path);
const isDeath = ({ path }: ProxiedRequest) => path.includes("/_update_by_query");
const isState = ({ method, path }: ProxiedRequest) => method === "PUT" && /-states\/_doc\//.test(path);

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let proxy: ClusterProxy;
  let prefix: string;
  let doomed: ServerProcess;
  let other: WireServer;

  beforeAll(async () => {
    node = await startOpenSearch();
  });
  afterAll(() => node?.stop());

  beforeEach(async () => {
    prefix = `interrupted-${randomUUID().slice(0, 8)}`;
    proxy = await ClusterProxy.start(node.urls[0]!);
    other = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
      secretKey: "c0ffee00".repeat(8),
    });
    const text = { type: "text" };
    const fields = { id: text, title: text, note: text, bulk: { type: "text", indexed: false } };
    await other.createIndex("books", { primary_key: "id", fields });
    await other.createIndex("crates", { fields });
    await other.addCommitted("books", OLD);
    doomed = await ServerProcess.start([proxy.url], {
      FINDLING_OPENSEARCH_PREFIX: prefix,
      FINDLING_OPENSEARCH_REPLICAS: "0",
    });
  });
  afterEach(async () => {
    await doomed?.stop();
    await other?.stopAndRemove();
    await proxy?.stop();
    const cluster = new Cluster({ urls: node.urls });
    await new OwnedIndices(cluster, prefix).deleteAll();
    await cluster.close();
  });

  const send = async (method: string, path: string, body?: unknown): Promise<number> => {
    const headers = { authorization: ADMIN_KEY, "content-type": "application/json" };
    const answer = await fetch(doomed.url + path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    await answer.text();
    return answer.status;
  };

  /** Sends what can't end, and kills the server once the cluster is asked for the step. */
  const killAt = async (
    isStep: (request: ProxiedRequest) => boolean,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<void> => {
    const reached = new Promise<void>((resolve) => {
      proxy.plan = (request) => {
        if (!isStep(request)) return "pass";
        resolve();
        return { delayMs: 600_000 };
      };
    });
    const sent = send(method, path, body).catch(() => "gone");
    await reached;
    await doomed.kill();
    expect(await sent).toBe("gone");
  };

  const after = (
    isFirst: (request: ProxiedRequest) => boolean,
    isThen: (request: ProxiedRequest) => boolean,
  ) => {
    let isPast = false;
    return (request: ProxiedRequest) => {
      if (isPast) return isThen(request);
      isPast = isFirst(request);
      return false;
    };
  };

  const deletesUnderWay = async (): Promise<number> => {
    const answer = await fetch(`${node.urls[0]}/_tasks?actions=*/update/byquery&detailed&group_by=none`);
    const { tasks } = (await answer.json()) as { tasks: readonly { description: string }[] };
    return tasks.filter(({ description }) => description.includes(`${prefix}-d-`)).length;
  };

  /** How many documents there are after a commit, by what they say of themselves. */
  const notes = async (index = "books"): Promise<Record<string, number>> => {
    const committed = await other.post(`/index/${index}/commit`);
    expect(committed.status, committed.text).toBe(200);
    const found = await other.post(`/index/${index}/search`, {
      query: { exact: { ctx: "title:tale" } },
      limit: 100,
    });
    expect(found.status, found.text).toBe(200);
    const counts: Record<string, number> = {};
    for (const { doc } of found.json.data.hits) counts[doc.note] = (counts[doc.note] ?? 0) + 1;
    return counts;
  };

  test.each([
    ["documents that replace others by key", "POST"],
    ["documents that change in part", "PATCH"],
  ])("%s: before the old ones are buried", async (_, method) => {
    await killAt(after(isBulk, isBulk), method, "/index/books/documents", NEW);
    expect(await notes()).toEqual({ old: 20 });
    // Nothing is left of it that a later write would meet.
    const again =
      method === "POST"
        ? await other.post("/index/books/documents", NEW)
        : await other.patch("/index/books/documents", NEW);
    expect(again.status, again.text).toBe(200);
    expect(await notes()).toEqual({ new: 20 });
  });

  test("documents that replace others by key: before the end is noted", async () => {
    await killAt(after(after(isBulk, isBulk), isState), "POST", "/index/books/documents", NEW);
    expect(await notes()).toEqual({ old: 20 });
  });

  test("what was acknowledged before is committed, also what was replaced twice", async () => {
    expect(await send("POST", "/index/books/documents", NEW)).toBe(200);
    expect(await send("POST", "/index/books/documents", [{ id: "more", title: "tale", note: "more" }])).toBe(
      200,
    );
    const newer = NEW.map((document) => ({ ...document, note: "newer" }));
    await killAt(after(isBulk, isBulk), "POST", "/index/books/documents", newer);
    expect(await notes()).toEqual({ new: 20, more: 1 });
  });

  test("a delete by query: before the end is noted", async () => {
    await killAt(after(isDeath, isState), "DELETE", "/index/books/documents/query", {
      query: { exact: { ctx: "title:tale" } },
    });
    expect(await notes()).toEqual({ old: 20 });
  });

  test("a delete by query that goes on in the cluster", async () => {
    proxy.plan = (request) =>
      isDeath(request) ? { moreQuery: "requests_per_second=2&scroll_size=1" } : "pass";
    const body = { query: { exact: { ctx: "title:tale" } } };
    const sent = send("DELETE", "/index/books/documents/query", body).catch(() => "gone");
    await expect.poll(deletesUnderWay).toBe(1);
    await doomed.kill();
    expect(await sent).toBe("gone");
    expect(await deletesUnderWay()).toBe(1);
    expect(await notes()).toEqual({ old: 20 });
    await expect.poll(deletesUnderWay, { timeout: 60_000 }).toBe(0);
    await other.addCommitted("books", [{ id: "more", title: "tale", note: "more" }]);
    expect(await notes()).toEqual({ old: 20, more: 1 });
  });

  test("documents that are more than one request takes: before the second", async () => {
    await killAt(after(isBulk, isBulk), "POST", "/index/crates/documents", LARGE);
    expect(await notes("crates")).toEqual({});
  });
});
