import { createHash } from "node:crypto";
import { basename } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import { keepIn } from "../../wire/wire-server.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

/**
 * Has the scenarios of `tests/wire` run on servers before a cluster, where each index has a shard for each node, and a copy
 * of each if there is more than one. `FINDLING_TEST_SCENARIOS` names those of them that do, by commas.
 */
export function onCluster(scenarios: readonly string[]): void {
  const wanted = process.env["FINDLING_TEST_SCENARIOS"]?.split(",");
  const chosen = scenarios.filter((name) => wanted?.includes(name) ?? true);
  describe.skipIf(hindrance !== undefined || chosen.length === 0)(title, () => runOnCluster(chosen));
}

function runOnCluster(scenarios: readonly string[]): void {
  let node: OpenSearchNode;

  keepIn({
    isCluster: true,
    settings: (folder) => ({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefixOf(folder),
      opensearchShards: node.urls.length,
      opensearchReplicas: node.urls.length > 1 ? 1 : 0,
    }),
    async remove(folder) {
      await fetch(`${node.urls[0]}/${prefixOf(folder)}-*`, { method: "DELETE" });
    },
  });
  beforeAll(async () => {
    node = await startOpenSearch();
  });
  afterAll(() => node?.stop());

  if (hindrance === undefined) {
    for (const name of scenarios)
      describe(name, async () => void (await import(`../../wire/${name}.test.ts`)));
  }
}

function prefixOf(folder: string): string {
  return `w${createHash("sha256").update(basename(folder)).digest("hex").slice(0, 12)}`;
}
