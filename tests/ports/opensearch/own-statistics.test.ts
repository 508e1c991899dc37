/** One request is enough for scores where nothing has died and nothing is pending; else frequencies are asked for first. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Cluster } from "../../../src/adapters/opensearch/cluster.js";
import { ClusterBackend } from "../../../src/adapters/opensearch/cluster-backend.js";
import { OwnedIndices } from "../../../src/adapters/opensearch/owned-index.js";
import type { StorageId } from "../../../src/ports/search-backend.js";
import { NO_TRACING, type Tracing } from "../../../src/ports/tracing.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";
import { idsOf, LIBRARY, libraryOf, planOf } from "../search-backend/library.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;

/** Three words each in two shards, so that a document that has died moves no average length. */
const BOOKS = [
  "winter tale one",
  "winter winter two",
  "summer tale three",
  "tale of winter",
  "an autumn day",
].map((text, i) => ({ id: `b${i}`, title: text }));
const term = (word: string): QueryAst => ({ kind: "term", field: "title", term: word });
const phrase = (words: readonly string[], slop = 0): QueryAst => ({
  kind: "phrase",
  field: "title",
  terms: words.map((word, position) => ({ term: word, position })),
  slop,
  lastIsPrefix: false,
});
const boost = (factor: number, ast: QueryAst): QueryAst => ({ kind: "boost", factor, ast });
const QUERIES: readonly QueryAst[] = [
  term("winter"),
  term("missing"),
  phrase(["winter", "tale"]),
  phrase(["winter", "winter"]),
  phrase(["tale", "winter"], 2),
  boost(3, term("tale")),
  boost(1e-7, boost(1e-9, term("tale"))),
  boost(1e-5, boost(1e-5, boost(1e-5, term("tale")))),
  boost(1e12, term("tale")),
  boost(0, term("tale")),
  {
    kind: "boolean",
    clauses: [
      { occur: "must", ast: boost(0.5, term("tale")) },
      { occur: "should", ast: term("winter") },
      { occur: "should", ast: { kind: "constant_score", ast: term("summer"), score: 2 } },
    ],
  },
];

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let cluster: Cluster;
  let indices: OwnedIndices;
  let backend: ClusterBackend;
  /** Requests to the cluster since the last search began, by method and endpoint. */
  const calls: string[] = [];

  beforeAll(async () => {
    node = await startOpenSearch();
    const tracing: Tracing = {
      ...NO_TRACING,
      beginCall(name, attributes) {
        calls.push(name);
        return NO_TRACING.beginCall(name, attributes);
      },
    };
    cluster = new Cluster({ urls: node.urls, tracing });
    indices = new OwnedIndices(cluster, `test-${randomUUID().slice(0, 8)}`);
    backend = await ClusterBackend.open(cluster, indices, {
      searchTimeoutMs: 60_000,
      shards: { shards: 2, replicas: 0 },
    });
  });
  afterAll(async () => {
    await backend?.stop();
    await indices?.deleteAll();
    await cluster?.close();
    node?.stop();
  });

  /** Whether a search asks for frequencies first, and what it finds. */
  async function searched(storageId: StorageId, ast: QueryAst) {
    calls.length = 0;
    const { hits } = await backend.search(storageId, planOf(ast));
    return {
      asksFirst: calls.includes("POST _msearch"),
      ids: idsOf(hits),
      scores: hits.map(({ score }) => score),
    };
  }

  test("scores are the same by the cluster's statistics and by frequencies that are asked for", async () => {
    const { storageId } = await libraryOf(backend, BOOKS);
    const { storageId: other } = await libraryOf(backend, BOOKS);
    await backend.add(other, [{ id: "gone", title: "winter tale gone" }]);
    await backend.commit(other);
    expect(await backend.deleteMatching(other, term("gone"))).toBe(1);
    await backend.commit(other);
    for (const ast of QUERIES) {
      const own = await searched(storageId, ast);
      const asked = await searched(other, ast);
      expect(own.ids).toEqual(asked.ids);
      for (const [i, score] of own.scores.entries()) expect(score).toBeCloseTo(asked.scores[i]!, 4);
    }
  });

  test("what is pending, deleted or rolled back is no part of the scores", async () => {
    const { storageId } = await libraryOf(backend, BOOKS);
    const [first] = (await searched(storageId, term("tale"))).scores;
    // That a write has ended is noted behind its answer.
    await expect.poll(async () => (await searched(storageId, term("summer"))).asksFirst).toBe(false);
    await backend.add(storageId, [{ id: "late", title: "tale tale tale" }]);
    expect((await searched(storageId, term("winter"))).asksFirst).toBe(true);
    // What deletes has what is pending found by searches.
    expect(await backend.deleteMatching(storageId, term("missing"))).toBe(0);
    expect((await searched(storageId, term("tale"))).scores[0]).toBeCloseTo(first!, 4);
    await backend.rollback(storageId);
    expect((await searched(storageId, term("tale"))).scores[0]).toBeCloseTo(first!, 4);
    expect((await searched(storageId, term("autumn"))).asksFirst).toBe(true);
  });

  test("a server that saw nothing pending asks again once another one's write is there", async () => {
    const { storageId } = await libraryOf(backend, BOOKS);
    const { scores } = await searched(storageId, term("tale"));
    const second = await ClusterBackend.open(cluster, indices, { searchTimeoutMs: 60_000 });
    try {
      await second.add(storageId, [{ id: "late", title: "tale tale tale" }]);
      await second.deleteMatching(storageId, term("missing"));
      const found = await searched(storageId, term("tale"));
      expect(found.scores).toHaveLength(scores.length);
      for (const [i, score] of found.scores.entries()) expect(score).toBeCloseTo(scores[i]!, 4);
    } finally {
      await second.stop();
    }
  });

  test("a rewritten index counts by itself as long as its original had only grown", async () => {
    const { storageId } = await libraryOf(backend, BOOKS);
    const rewrite = async (from: StorageId, to: StorageId) => {
      const copy = await backend.rewriteIndex(from, { storageId: to, schema: LIBRARY, isWanted: () => true });
      await copy.finish();
    };
    const [copied, again] = [`${storageId}c`, `${storageId}d`];
    await rewrite(storageId, copied);
    await searched(copied, term("tale"));
    await expect.poll(async () => (await searched(copied, term("summer"))).asksFirst).toBe(false);
    await backend.deleteMatching(copied, term("three"));
    await backend.commit(copied);
    await rewrite(copied, again);
    await searched(again, term("tale"));
    expect((await searched(again, term("summer"))).asksFirst).toBe(true);
  });
});
