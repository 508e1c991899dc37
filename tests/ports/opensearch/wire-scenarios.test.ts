/** Wire scenarios of the embedded engine on servers before a cluster. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import { keepIn } from "../../wire/wire-server.js";

/** All that ask for documents, transactions, searches, federations or keys. */
const SCENARIOS = [
  "admin",
  "answer-shapes",
  "bad-input",
  "bodies-as-they-come",
  "broken-bodies",
  "careful-deletes",
  "client-flows",
  "dictionaries",
  "documents",
  "error-order",
  "federated-search",
  "federation-permissions",
  "federations",
  "forgiving-input",
  "index-settings",
  "indexes",
  "key-permissions",
  "keys",
  "large-bodies",
  "mcp",
  "permissions",
  "query-language",
  "query-modes",
  "query-ranking",
  "query-values",
  "reanalysis",
  "search",
  "search-box",
  "search-cursor",
  "search-extensions",
  "search-limits",
  "search-order",
  "search-trials",
  "stems",
  "suggest",
  "synonyms",
  "time-decay",
  "transactions",
  "written-values",
];

const wanted = process.env["FINDLING_TEST_SCENARIOS"]?.split(",") ?? SCENARIOS;
const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;

  keepIn({
    isCluster: true,
    settings: (folder) => ({
      backend: "opensearch",
      opensearchUrl: node.urls,
      opensearchPrefix: prefixOf(folder),
      opensearchReplicas: 0,
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
    for (const name of wanted) describe(name, async () => void (await import(`../../wire/${name}.test.ts`)));
  }
});

function prefixOf(folder: string): string {
  return `w${createHash("sha256").update(basename(folder)).digest("hex").slice(0, 12)}`;
}
