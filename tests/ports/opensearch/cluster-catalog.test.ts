/** The port's suite on the catalog in a cluster, and what several servers see of each other's changes. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Cluster } from "../../../src/adapters/opensearch/cluster.js";
import { ClusterCatalog } from "../../../src/adapters/opensearch/cluster-catalog.js";
import { OwnedIndices } from "../../../src/adapters/opensearch/owned-index.js";
import type { CatalogIndex } from "../../../src/ports/catalog.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import { sampleIndex } from "../../query-kit/sample-index.js";
import { catalogSuite } from "../catalog/catalog-suite.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let cluster: Cluster;
  const folder = mkdtempSync(join(tmpdir(), "findling-cluster-catalog-"));

  beforeAll(async () => {
    node = await startOpenSearch();
    cluster = new Cluster({ urls: node.urls });
  });
  afterAll(async () => {
    await cluster?.close();
    node?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const newPrefix = () => `test-${randomUUID().slice(0, 8)}`;
  const problems: string[] = [];
  const open = (prefix: string, configuredKey?: string, keyFile = join(folder, "secret.key")) =>
    ClusterCatalog.open(cluster, new OwnedIndices(cluster, prefix), {
      keyFile,
      configuredKey,
      onProblem: (message) => problems.push(message),
    });
  const remove = (prefix: string) => new OwnedIndices(cluster, prefix).delete([`${prefix}-catalog`]);

  catalogSuite("cluster", async () => {
    const prefix = newPrefix();
    const block = (isBlocked: boolean) =>
      cluster.request("PUT", `/${prefix}-catalog/_settings`, { body: { "index.blocks.write": isBlocked } });
    return {
      open: () => open(prefix),
      async bytes() {
        const found = await cluster.request("GET", `/${prefix}-catalog/_search`, { query: { size: 1000 } });
        return Buffer.from(JSON.stringify(found.body));
      },
      async breakWrites() {
        await block(true);
        return async () => void (await block(false));
      },
      remove: () => remove(prefix),
    };
  });

  describe("two servers", () => {
    const key = "c0ffee00".repeat(8);
    let prefix: string;
    let one: ClusterCatalog;
    let other: ClusterCatalog;

    beforeEach(async () => {
      prefix = newPrefix();
      one = await open(prefix, key);
      other = await open(prefix, key);
    });
    afterEach(async () => {
      await one.close();
      await other.close();
      await remove(prefix);
    });

    test("see each other's changes within a second", async () => {
      const [created] = await one.addKeys([
        { key: "k", name: "k", permissions: 1, allowed_indexes: ["*"], status: "active" },
      ]);
      await one.putIndex(indexNamed("books"));
      const since = performance.now();
      await expect.poll(() => other.index("books")).toEqual(indexNamed("books"));
      await expect.poll(() => other.keyWithValue("k")?.id).toBe(created!.id);
      expect(performance.now() - since).toBeLessThan(1000);
      await other.deleteIndex("books");
      await expect.poll(() => one.index("books")).toBeUndefined();
    });

    test("of changes made at both from one entry, one is made and the other refused", async () => {
      await one.putIndex(indexNamed("books"));
      await expect.poll(() => other.index("books")).toBeDefined();
      for (let round = 0; round < 10; round++) {
        const outcomes = await Promise.allSettled(
          [one, other].map(async (catalog, i) => {
            const before = catalog.index("books")!;
            await catalog.putIndex(
              { ...before, custom_stopwords: [...before.custom_stopwords, `${round}-${i}`] },
              before,
            );
          }),
        );
        const made = outcomes.filter(({ status }) => status === "fulfilled").length;
        expect(made).toBeGreaterThan(0);
        for (const outcome of outcomes)
          if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "conflict" });
        const counted = round === 0 ? made : made + one.index("books")!.custom_stopwords.length;
        expect(counted).toBeGreaterThan(0);
      }
      const words = (catalog: ClusterCatalog) => catalog.index("books")!.custom_stopwords;
      await expect.poll(() => words(one)).toEqual(words(other));
      for (let round = 0; round < 10; round++)
        expect(words(one).filter((word) => word.startsWith(`${round}-`)).length).toBeGreaterThan(0);
    });

    test("first keys are those of one of them", async () => {
      const keyNamed = (name: string) => ({
        key: name,
        name,
        permissions: 127,
        allowed_indexes: ["*"],
        status: "active" as const,
      });
      const added = await Promise.all([
        one.addFirstKeys([keyNamed("a")]),
        other.addFirstKeys([keyNamed("b")]),
      ]);
      expect(added.flat()).toHaveLength(1);
      await expect.poll(() => other.keys().length).toBe(1);
      expect(one.keys()).toHaveLength(1);
    });

    test("keys added at both are all there", async () => {
      const names = Array.from({ length: 20 }, (_, i) => `k${i}`);
      await Promise.all(
        names.map((name, i) =>
          [one, other][i % 2]!.addKeys([
            { key: name, name, permissions: 1, allowed_indexes: ["*"], status: "active" },
          ]),
        ),
      );
      for (const catalog of [one, other])
        await expect.poll(() => new Set(catalog.keys().map(({ name }) => name))).toEqual(new Set(names));
    });

    test("a server with another secret key is refused, by the fingerprint", async () => {
      await expect(open(prefix, "ab".repeat(32))).rejects.toMatchObject({ code: "invalid_configuration" });
      await expect(open(prefix, undefined, join(folder, "none.key"))).rejects.toMatchObject({
        code: "invalid_configuration",
      });
    });

    test("the first server without a configured key makes one and says so", async () => {
      problems.length = 0;
      const mine = newPrefix();
      await (await open(mine, undefined, join(folder, "made.key"))).close();
      expect(problems.join()).toContain("FINDLING_SECRET_KEY");
      await remove(mine);
    });
  });

  test("an index of somebody else's under the prefix is left alone", async () => {
    const prefix = newPrefix();
    await cluster.request("PUT", `/${prefix}-catalog`, { body: {} });
    await expect(open(prefix)).rejects.toMatchObject({ code: "invalid_configuration" });
    await remove(prefix);
    expect((await cluster.request("HEAD", `/${prefix}-catalog`)).status).toBe(200);
    await cluster.request("DELETE", `/${prefix}-catalog`);
  });
});

function indexNamed(name: string): CatalogIndex {
  return { schema: sampleIndex({ name }).schema, storageId: "s", custom_stopwords: [], synonyms: {} };
}
