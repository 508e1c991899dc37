/**
 * A server before a cluster that isn't well: what each of its troubles is answered with, that no answer is a part called
 * the whole, that what is repeated is there once, and who tells the operator. Troubles of the network are a proxy's.
 */
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Cluster } from "../../src/adapters/opensearch/cluster.js";
import type { IndexState } from "../../src/adapters/opensearch/index-states.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { WireServer } from "../wire/wire-server.js";
import { type ClusterFault, ClusterProxy } from "./cluster-proxy.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;
const ALL = { query: { exact: { ctx: "title:tale" } }, limit: 200 };

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let proxies: ClusterProxy[];
  let server: WireServer;
  let prefix: string;
  let count = 0;

  beforeAll(async () => {
    node = await startOpenSearch();
  });
  afterAll(() => node?.stop());

  beforeEach(async () => {
    // Two ways to the same node, as to two nodes.
    proxies = [await ClusterProxy.start(node.urls[0]!), await ClusterProxy.start(node.urls[0]!)];
    prefix = `unwell-${process.pid}-${count++}`;
    server = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: proxies.map(({ url }) => url),
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
      searchTimeoutMs: 2_000,
    });
    await server.createIndex("books");
    await server.addCommitted(
      "books",
      Array.from({ length: 20 }, (_, i) => ({ id: String(i), title: `tale ${i}` })),
    );
  });
  afterEach(async () => {
    everywhere(() => "pass");
    await server.stopAndRemove();
    for (const proxy of proxies) await proxy.stop();
    await fetch(`${node.urls[0]}/${prefix}-*`, { method: "DELETE" });
  });

  const everywhere = (plan: ClusterProxy["plan"]): void => {
    for (const proxy of proxies) proxy.plan = plan;
  };
  const arrived = () => proxies.reduce((sum, proxy) => sum + proxy.arrived, 0);
  const search = () => server.post("/index/books/search", ALL);
  const refusal = (code: string, status: number) => ({
    status,
    headers: expect.objectContaining({ "retry-after": expect.stringMatching(/^[1-9]\d*$/) }),
    json: expect.objectContaining({ data: expect.objectContaining({ code }) }),
  });
  const untilWell = () => expect.poll(async () => (await search()).json?.data?.hits?.length).toBe(20);

  test.each<[string, ClusterFault]>([
    ["503", { status: 503 }],
    ["no cluster manager", { status: 503, type: "cluster_manager_not_discovered_exception" }],
    ["connections that break", "lost before"],
    ["answers that are lost", "lost after"],
    ["answers in half", "half"],
    ["wrong credentials", { status: 401, type: "security_exception" }],
  ])("%s: storage_unavailable, and all is well afterwards", async (_, fault) => {
    everywhere(() => fault);
    expect(await search()).toMatchObject(refusal("storage_unavailable", 503));
    expect(await server.post("/index/books/documents", { id: "x", title: "tale" })).toMatchObject(
      refusal("storage_unavailable", 503),
    );
    everywhere(() => "pass");
    await untilWell();
  });

  test("429 of the cluster: rate_limited, and requests still go to it", async () => {
    everywhere(() => ({ status: 429, type: "rejected_execution_exception" }));
    for (let i = 0; i < 8; i++) expect(await search()).toMatchObject(refusal("rate_limited", 429));
    expect((await server.get("/readyz")).status).toBe(200);
    everywhere(() => "pass");
    await untilWell();
    expect((await server.get("/metrics")).text).toMatch(
      /findling_cluster_requests_total\{outcome="busy"\} [1-9]/,
    );
  });

  test.each([
    ["the index's state", /-states\//],
    ["its documents", /\/_search/],
  ])("silence instead of %s: the search's time is over for all tries together", async (_, path) => {
    everywhere((request) => (path.test(request.path) ? { delayMs: 8_000 } : "pass"));
    // Of the circuit, which background work of the server may open, a search hears at once.
    await expect.poll(search).toMatchObject(refusal("storage_unavailable", 503));
    everywhere(() => "pass");
    await untilWell();
  });

  test("slow answers to all of a search's requests: the search's time is one for all of them", async () => {
    everywhere(() => ({ delayMs: 2_500 }));
    const requests = arrived();
    // Words are looked up, then counted, then searched for.
    const answer = await server.post("/index/books/search", { query: { fuzzy: { ctx: "tael" } } });
    expect(answer).toMatchObject(refusal("storage_unavailable", 503));
    expect(answer.json.message).toContain("in time");
    // Two seconds, and two more that the cluster has to end it: what is asked after the first answer is given up.
    expect(arrived() - requests).toBeGreaterThan(1);
    everywhere(() => "pass");
    await untilWell();
  });

  test("a circuit opens, all tell of it, and it closes by itself", async () => {
    everywhere(() => "lost before");
    // One of them may be what is let through, to see whether the cluster answers again.
    await expect
      .poll(async () => (await Promise.all([search(), search()])).map(({ json }) => json.message))
      .toContainEqual(expect.stringContaining("has not been answering"));
    expect(await server.get("/readyz")).toMatchObject(refusal("storage_unavailable", 503));
    expect((await server.get("/livez")).status).toBe(200);
    expect((await server.get("/healthcheck")).status).toBe(200);
    const metrics = await server.get("/metrics");
    expect(metrics.text).toContain("findling_cluster_up 0");
    expect(metrics.text).toMatch(/findling_cluster_requests_total\{outcome="failed"\} [1-9]/);
    expect(metrics.text).toMatch(/findling_cluster_requests_total\{outcome="refused"\} [1-9]/);
    const overview = await server.get("/admin/overview");
    expect(overview.json.data.health.storage_problem).toContain("OpenSearch");
    // What is refused doesn't reach the cluster: fewer requests arrive than are asked.
    const before = arrived();
    for (let i = 0; i < 200; i++) await search();
    expect(arrived() - before).toBeLessThan(200);
    everywhere(() => "pass");
    await untilWell();
    expect((await server.get("/readyz")).status).toBe(200);
    expect((await server.get("/metrics")).text).toContain("findling_cluster_up 1");
    expect((await server.get("/admin/overview")).json.data.health.storage_problem).toBeNull();
  });

  test.each<ClusterFault>(["lost before", "lost after", "half", { status: 503 }])(
    "what one of two ways loses (%j) is repeated on the other, and there once",
    async (fault) => {
      proxies[0]!.plan = () => fault;
      for (let i = 0; i < 10; i++) {
        const added = await server.post("/index/books/documents", { id: `new ${i}`, title: "tale" });
        expect(added.status).toBe(200);
      }
      expect((await server.post("/index/books/commit")).status).toBe(200);
      const found = await search();
      expect(found.json.data.hits).toHaveLength(30);
      expect(found.json.data.count).toBe(30);
      const deleted = await server.delete("/index/books/documents/query", ALL);
      expect(deleted).toMatchObject({ status: 200, json: { data: { num_removed: 30 } } });
      expect((await server.post("/index/books/rollback")).status).toBe(200);
      expect((await search()).json.data.count).toBe(30);
      expect(proxies[0]!.faults).toBeGreaterThan(0);
    },
  );

  test.each(["node_not_connected_exception", "node_disconnected_exception"])(
    "%s, as where the node that has the shard has just gone: the request is repeated",
    async (type) => {
      const times = new Map<string, number>();
      everywhere(({ method, path }) => {
        const time = (times.get(method + path) ?? 0) + 1;
        times.set(method + path, time);
        return time <= 2 ? { status: 500, type } : "pass";
      });
      expect((await search()).json.data.hits).toHaveLength(20);
      const added = await server.post("/index/books/documents", { id: "x", title: "tale" });
      expect(added.status).toBe(200);
      expect(Math.max(...times.values())).toBeGreaterThan(2);
    },
  );

  test("a delete whose answer is lost says how many documents it has deleted", async () => {
    let isLost = false;
    proxies[0]!.plan = proxies[1]!.plan = ({ path }) => {
      if (isLost || !path.includes("/_update_by_query")) return "pass";
      isLost = true;
      return "lost after";
    };
    const deleted = await server.delete("/index/books/documents/query", ALL);
    expect(deleted).toMatchObject({ status: 200, json: { data: { num_removed: 20 } } });
    expect(isLost).toBe(true);
    expect((await server.post("/index/books/commit")).status).toBe(200);
    expect((await search()).json.data.count).toBe(0);
  });

  test("a delete that fails half-way is undone by a rollback", async () => {
    everywhere(({ path }) => (path.includes("/_update_by_query") ? "lost after" : "pass"));
    expect(await server.delete("/index/books/documents/query", ALL)).toMatchObject(
      refusal("storage_unavailable", 503),
    );
    everywhere(() => "pass");
    await expect.poll(async () => (await server.post("/index/books/rollback")).status).toBe(200);
    await server.addCommitted("books", [{ id: "x", title: "tale" }]);
    expect((await search()).json.data.count).toBe(21);
  });

  test("work that failed is let go of once the cluster answers again, so that nobody waits for its lease", async () => {
    const isHeld = async (): Promise<boolean> => {
      const answer = await fetch(`${node.urls[0]}/${prefix}-states/_search?size=10`);
      const { hits } = (await answer.json()) as { hits: { hits: { _source: { content: string } }[] } };
      return hits.hits.some(({ _source: { content } }) => JSON.parse(content).hold !== null);
    };
    const isLetGo = async (): Promise<boolean> => {
      everywhere(({ path }) => {
        if (path.includes("/_update_by_query")) everywhere(() => "lost before");
        return path.includes("/_update_by_query") ? "lost before" : "pass";
      });
      expect(await server.delete("/index/books/documents/query", ALL)).toMatchObject(
        refusal("storage_unavailable", 503),
      );
      everywhere(() => "pass");
      for (let i = 0; i < 60; i++) {
        if (!(await isHeld())) return true;
        await pause(50);
      }
      return false;
    };
    // A machine that stands still for as long as the lease lasts is no reason to fail.
    await expect.poll(isLetGo).toBe(true);
  });

  test("half of the requests lost at random: what is acknowledged is there once, what isn't at most once", async () => {
    let n = 0;
    everywhere(() => (n++ % 5 === 3 ? (["lost before", "lost after", "half"] as const)[n % 3]! : "pass"));
    const acknowledged: string[] = [];
    for (let i = 0; i < 30; i++) {
      const id = `n${i}`;
      const added = await server.post("/index/books/documents", { id, title: "tale" });
      if (added.status === 200) acknowledged.push(id);
    }
    everywhere(() => "pass");
    await expect.poll(async () => (await server.post("/index/books/commit")).status).toBe(200);
    const ids = (await search()).json.data.hits.map(({ doc }: { doc: { id: string } }) => doc.id) as string[];
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(acknowledged));
  });

  test("a long write keeps its turn where each of the state's requests takes long", async () => {
    const isOfState = /-states\/_doc\//;
    everywhere(({ method, path }) => {
      if (isOfState.test(path)) return { delayMs: 600 };
      return method === "POST" && /-d-[^/]*\/_bulk/.test(path) ? { delayMs: 4_000 } : "pass";
    });
    const add = () => server.post("/index/books/documents", { id: "long", title: "tale" });
    // A machine that stands still for as long as the lease lasts is no reason to fail.
    await expect.poll(add).toMatchObject({ status: 200 });
    everywhere(() => "pass");
    expect((await server.post("/index/books/commit")).status).toBe(200);
    expect((await search()).json.data.hits.length).toBeGreaterThan(20);
  });

  test("writes and commits go on where each of the state's requests takes longer than a lease has at first", async () => {
    everywhere(({ path }) => (/-states\/_doc\//.test(path) ? { delayMs: 1_500 } : "pass"));
    // A machine that stands still for as long as a lease lasts is no reason to fail.
    const patient = { timeout: 120_000 };
    const add = () => server.post("/index/books/documents", { id: "slow", title: "tale" });
    await expect.poll(add, patient).toMatchObject({ status: 200 });
    await expect.poll(() => server.post("/index/books/commit"), patient).toMatchObject({ status: 200 });
    everywhere(() => "pass");
    expect((await search()).json.data.hits.length).toBeGreaterThan(20);
  });

  test("a server that waits to be alone is no writer any more for whom another one waits", async () => {
    await onNode("POST", `/${prefix}-states/_refresh`);
    const answer = await fetch(`${node.urls[0]}/${prefix}-states/_search?size=10`);
    const { hits } = (await answer.json()) as { hits: { hits: { _id: string }[] } };
    const path = `/${prefix}-states/_doc/${hits.hits[0]!._id}`;
    const read = async () => {
      const state = await fetch(node.urls[0] + path);
      const { _source, _seq_no, _primary_term } = (await state.json()) as {
        _source: { content: string };
        _seq_no: number;
        _primary_term: number;
      };
      const version = `if_seq_no=${_seq_no}&if_primary_term=${_primary_term}`;
      return { version, content: JSON.parse(_source.content) as Pick<IndexState, "writers" | "hold"> };
    };
    const change = async (more: Partial<IndexState>): Promise<void> => {
      for (;;) {
        const { version, content } = await read();
        const body = JSON.stringify({ content: JSON.stringify({ ...content, ...more }), nonce: "other" });
        const headers = { "content-type": "application/json" };
        const changed = await fetch(`${node.urls[0]}${path}?${version}`, { method: "PUT", headers, body });
        if (changed.ok) return;
      }
    };
    // Another server comes to hold the index while this one writes, and waits for it; then this one is to commit.
    let isHeld: Promise<void> | undefined;
    everywhere((request) => {
      if (request.method !== "POST" || !/-d-[^/]*\/_bulk/.test(request.path)) return "pass";
      isHeld ??= change({ hold: { holder: "another", until: Date.now() + 600_000 } });
      return { delayMs: 1_500 };
    });
    const written = server.post("/index/books/documents", { id: "x", title: "tale" });
    await expect.poll(() => isHeld !== undefined, { timeout: 30_000 }).toBe(true);
    await isHeld;
    const committed = server.post("/index/books/commit");
    await written;
    // Others would go by its lease; this one ends before it does.
    await expect.poll(async () => (await read()).content.writers, { timeout: 15_000 }).toEqual({});
    await change({ hold: null });
    expect((await committed).status).toBe(200);
  });

  test("a stop gives up what a silent cluster would take long to answer", async () => {
    const ends = vi.spyOn(Cluster.prototype, "endWithin");
    everywhere(() => ({ delayMs: 3_600_000 }));
    await expect.poll(() => proxies.reduce((sum, { faults }) => sum + faults, 0)).toBeGreaterThan(0);
    await server.stop();
    expect(ends).toHaveBeenCalledOnce();
    ends.mockRestore();
  });

  test("an index without its shards: 503 for it, and the others go on", async () => {
    await server.createIndex("films");
    await server.addCommitted("films", [{ id: "1", title: "tale" }]);
    const [books] = await documentIndices();
    const fault = { status: 503, type: "no_shard_available_action_exception" };
    everywhere(({ path }) => (path.includes(books!) ? fault : "pass"));
    for (let i = 0; i < 8; i++) expect(await search()).toMatchObject(refusal("storage_unavailable", 503));
    expect(await server.post("/index/books/documents", { id: "x" })).toMatchObject(
      refusal("storage_unavailable", 503),
    );
    expect((await server.get("/readyz")).status).toBe(200);
    expect(await server.idsOf("films", "tale")).toEqual(["1"]);
    everywhere(() => "pass");
    await untilWell();
  });

  test("a full disk: writes get storage_unavailable, searches go on", async () => {
    const [books] = await documentIndices();
    const block = (isBlocked: boolean) =>
      onNode("PUT", `/${books}/_settings`, { "index.blocks.read_only_allow_delete": isBlocked });
    await block(true);
    const refused = await server.post("/index/books/documents", { id: "x", title: "tale" });
    expect(refused).toMatchObject(refusal("storage_unavailable", 503));
    expect(refused.json.message).toContain("disks are full");
    expect((await search()).json.data.hits).toHaveLength(20);
    await block(false);
    expect((await server.post("/index/books/documents", { id: "x", title: "tale" })).status).toBe(200);
  });

  /** The cluster's indices of documents, the oldest first. */
  async function documentIndices(): Promise<readonly string[]> {
    const answer = await fetch(`${node.urls[0]}/_cat/indices/${prefix}-d-*?h=index&s=creation.date`);
    return (await answer.text()).trim().split(/\s+/);
  }

  async function onNode(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await fetch(node.urls[0] + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  }
});
