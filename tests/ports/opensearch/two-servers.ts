import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { Cluster } from "../../../src/adapters/opensearch/cluster.js";
import { OwnedIndices } from "../../../src/adapters/opensearch/owned-index.js";
import { startOpenSearch } from "../../kit/opensearch-node.js";
import { WireServer } from "../../wire/wire-server.js";

/** Two servers before one OpenSearch node, which know of each other by nothing else. */
export interface TwoServers {
  readonly servers: readonly [WireServer, WireServer];
  /** What both use. */
  readonly cluster: Cluster;
  /** Resolves once the second server knows what the first one has made, as its catalog is read once a second. */
  bothKnow(path: string): Promise<void>;
  /** Ends them, and takes away what they have made. */
  stop(): Promise<void>;
}

export async function startTwoServers(): Promise<TwoServers> {
  const prefix = `test-${randomUUID().slice(0, 8)}`;
  const node = await startOpenSearch();
  const cluster = new Cluster({ urls: node.urls });
  const start = () =>
    WireServer.start({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefix,
      opensearchReplicas: 0,
      secretKey: "c0ffee00".repeat(8),
    });
  const servers = [await start(), await start()] as const;
  return {
    servers,
    cluster,
    async bothKnow(path) {
      while ((await servers[1].get(path)).status !== 200) await pause(50);
    },
    async stop() {
      for (const server of servers) await server.stopAndRemove();
      await new OwnedIndices(cluster, prefix).deleteAll();
      await cluster.close();
      node.stop();
    },
  };
}
