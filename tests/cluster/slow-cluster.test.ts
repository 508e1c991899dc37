/**
 * A server before a cluster that is well but slow, or on a machine that lets it run now and then only: what is written is
 * answered late, and never with 503. How slow the cluster is, is a proxy's plan.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../kit/opensearch-node.js";
import { WireServer } from "../wire/wire-server.js";
import { ClusterProxy, type ProxiedRequest } from "./cluster-proxy.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "before OpenSearch" : `skipped: ${hindrance}`;

/** Writes that a node carries out at a time: its pool for them has a thread for each core. */
const WRITERS = 2;

const isBulk = ({ path }: ProxiedRequest) => path.includes("/_bulk");
const isWrite = (request: ProxiedRequest) => isBulk(request) || request.method === "PUT";

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let proxy: ClusterProxy;
  let server: WireServer;
  let prefix: string;
  let count = 0;

  beforeAll(async () => {
    node = await startOpenSearch();
  });
  afterAll(() => node?.stop());

  beforeEach(async () => {
    proxy = await ClusterProxy.start(node.urls[0]!);
    prefix = `slow-${process.pid}-${count++}`;
    server = await WireServer.start({
      backend: "opensearch",
      opensearchUrl: [proxy.url],
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
    });
    await server.createIndex("books");
    await server.addCommitted("books", [{ id: "first", title: "tale" }]);
  });
  afterEach(async () => {
    proxy.plan = () => "pass";
    await server.stopAndRemove();
    await proxy.stop();
    await fetch(`${node.urls[0]}/${prefix}-*`, { method: "DELETE" });
  });

  const documents = (name: string, length: number) =>
    Array.from({ length }, (_, i) => ({ id: `${name} ${i}`, title: "tale" }));
  const counted = async (): Promise<number> => {
    expect((await server.post("/index/books/commit")).status).toBe(200);
    const found = await server.post("/index/books/search", { query: { exact: { ctx: "title:tale" } } });
    return found.json.data.count;
  };

  /** What is written waits for a free thread of the node, in the order of its arrival. */
  const queueing = (bulkMs: number): ClusterProxy["plan"] => {
    const free = new Array<number>(WRITERS).fill(0);
    return (request) => {
      if (!isWrite(request)) return "pass";
      const thread = free.indexOf(Math.min(...free));
      free[thread] = Math.max(free[thread]!, performance.now()) + (isBulk(request) ? bulkMs : 10);
      return { delayMs: Math.ceil(free[thread]! - performance.now()) };
    };
  };

  test("many writes at once, whose data is before the server's word that it goes on", async () => {
    proxy.plan = queueing(1_200);
    const added = await Promise.all(
      Array.from({ length: 6 }, (_, i) => server.post("/index/books/documents", documents(`${i}`, 1_600))),
    );
    expect(added.map(({ status, text }) => (status === 200 ? status : text))).toEqual(new Array(6).fill(200));
    proxy.plan = () => "pass";
    expect(await counted()).toBe(1 + 6 * 1_600);
  });

  test("a machine that doesn't let the server run for longer than its lease, while it writes", async () => {
    const stalled = new Promise<void>((resolve) => {
      proxy.plan = (request) => {
        if (!isBulk(request)) return "pass";
        proxy.plan = () => "pass";
        setTimeout(() => {
          const until = Date.now() + 3_500;
          while (Date.now() < until);
          resolve();
        }, 100);
        return { delayMs: 200 };
      };
    });
    const added = await server.post("/index/books/documents", documents("stalled", 10));
    await stalled;
    expect(added.status, added.text).toBe(200);
    expect(await counted()).toBe(11);
  });
});
