/** Wire scenarios of the embedded engine on servers before a cluster. */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import { keepIn } from "../../wire/wire-server.js";

const SCENARIOS = ["transactions"];

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, async () => {
  let node: OpenSearchNode;

  beforeAll(async () => {
    node = await startOpenSearch();
    keepIn({
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
  });
  afterAll(() => node?.stop());

  if (hindrance === undefined) {
    for (const name of SCENARIOS) await import(`../../wire/${name}.test.ts`);
  }
});

function prefixOf(folder: string): string {
  return `w${createHash("sha256").update(basename(folder)).digest("hex").slice(0, 12)}`;
}
