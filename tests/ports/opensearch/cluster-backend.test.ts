/** The port's suite on an OpenSearch cluster. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe } from "vitest";
import { Cluster } from "../../../src/adapters/opensearch/cluster.js";
import { ClusterBackend } from "../../../src/adapters/opensearch/cluster-backend.js";
import { OwnedIndices } from "../../../src/adapters/opensearch/owned-index.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import type { BackendUnderTest } from "../search-backend/backend-under-test.js";
import { searchBackendSuite } from "../search-backend/search-backend-suite.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let cluster: Cluster;

  beforeAll(async () => {
    node = await startOpenSearch();
    cluster = new Cluster({ urls: node.urls });
  });
  afterAll(async () => {
    await cluster?.close();
    node?.stop();
  });

  searchBackendSuite({ name: "cluster", open: () => openOnCluster(cluster) });
});

async function openOnCluster(cluster: Cluster): Promise<BackendUnderTest> {
  const indices = new OwnedIndices(cluster, `test-${randomUUID().slice(0, 8)}`);
  const opened = () => ClusterBackend.open(cluster, indices, { searchTimeoutMs: 60_000 });
  let backend = await opened();
  await backend.start([]);
  return {
    get backend() {
      return backend;
    },
    async restart(indexes) {
      await backend.stop();
      backend = await opened();
      await backend.start(indexes);
    },
    async close() {
      await backend.stop();
      await indices.deleteAll();
    },
  };
}
