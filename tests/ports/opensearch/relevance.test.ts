/** Rankings on a cluster are the embedded engine's: judged questions, misspellings, and a federation of slices. */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCranfield } from "../../../bench/relevance/cranfield.js";
import {
  englishIndex,
  FindlingRanker,
  type RankerOptions,
  rankingPlan,
  type SearchMode,
  separateWords,
} from "../../../bench/relevance/findling-ranker.js";
import { type RelevanceFigures, relevanceFigures } from "../../../bench/relevance/metrics.js";
import { loadMisspellings } from "../../../bench/relevance/misspellings.js";
import { Cluster } from "../../../src/adapters/opensearch/cluster.js";
import { ClusterBackend } from "../../../src/adapters/opensearch/cluster-backend.js";
import { OwnedIndices } from "../../../src/adapters/opensearch/owned-index.js";
import { allowedDistance } from "../../../src/query/compile-fuzzy.js";
import type { SearchedIndex } from "../../../src/query/searched-index.js";
import { type OpenSearchNode, openSearchHindrance, startOpenSearch } from "../../kit/opensearch-node.js";

const hindrance = openSearchHindrance();
const title = hindrance === undefined ? "on OpenSearch" : `skipped: ${hindrance}`;
const collection = loadCranfield();
/** One question or misspelling in so many; FINDLING_TEST_STEP=1 asks all, which takes minutes. */
const STEP = Number(process.env["FINDLING_TEST_STEP"] ?? "9");
/** What of a ranking is compared. */
const DEPTH = 100;
/** Misspellings asked for together. */
const TOGETHER = 8;

interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** An index on the cluster, in slices that are searched together. */
class ClusterRanker {
  readonly #backend: ClusterBackend;
  readonly #context: SearchedIndex;
  readonly #storageIds: readonly string[];
  readonly #sourceIds: Map<string, string>;

  private constructor(
    backend: ClusterBackend,
    context: SearchedIndex,
    storageIds: readonly string[],
    sourceIds: Map<string, string>,
  ) {
    this.#backend = backend;
    this.#context = context;
    this.#storageIds = storageIds;
    this.#sourceIds = sourceIds;
  }

  static async build(
    backend: ClusterBackend,
    documents: readonly { readonly id: string; readonly title: string; readonly text: string }[],
    { slices = 1, ...options }: RankerOptions & { readonly slices?: number },
  ): Promise<ClusterRanker> {
    const context = englishIndex(options);
    const sourceIds = new Map<string, string>();
    const storageIds: string[] = [];
    for (let slice = 0; slice < slices; slice++) {
      const storageId = randomUUID();
      await backend.createIndex(storageId, context.schema);
      const own = documents.filter((_, i) => i % slices === slice);
      for (let start = 0; start < own.length; start += 5_000) {
        const together = own.slice(start, start + 5_000);
        const ids = await backend.add(
          storageId,
          together.map(({ id, title: heading, text }) => ({ id, title: heading, text })),
        );
        for (const [i, id] of ids.entries()) sourceIds.set(id, together[i]!.id);
      }
      await backend.commit(storageId);
      storageIds.push(storageId);
    }
    return new ClusterRanker(backend, context, storageIds, sourceIds);
  }

  async search(mode: SearchMode, ctx: string, limit: number): Promise<readonly Ranked[]> {
    const plan = rankingPlan(this.#context, mode, ctx, limit);
    const { hits } = await this.#backend.searchFederation(
      this.#storageIds.map((storageId) => ({ storageId, plan, weight: 1 })),
    );
    return hits.map(({ documentId, score }) => ({ id: this.#sourceIds.get(documentId)!, score }));
  }
}

describe.skipIf(hindrance !== undefined)(title, () => {
  let node: OpenSearchNode;
  let cluster: Cluster;
  let indices: OwnedIndices;
  let backend: ClusterBackend;

  beforeAll(async () => {
    node = await startOpenSearch();
    cluster = new Cluster({ urls: node.urls });
    indices = new OwnedIndices(cluster, `test-${randomUUID().slice(0, 8)}`);
    backend = await ClusterBackend.open(cluster, indices, { searchTimeoutMs: 60_000 });
  });
  afterAll(async () => {
    await backend?.stop();
    await indices?.deleteAll();
    await cluster?.close();
    node?.stop();
  });

  describe.skipIf(collection === null)("Cranfield", () => {
    const { documents = [], queries = [] } = collection ?? {};
    const asked = queries.filter((_, i) => i % STEP === 0);
    const judgements = asked.map((query) => query.judgements);
    /** Three words of each question: a short query, which is ranked in tiers. */
    const keywords = (text: string): string =>
      separateWords(text)
        .split(" ")
        .toSorted((a, b) => b.length - a.length)
        .slice(0, 3)
        .join(" ");
    const MODES: readonly (readonly [string, SearchMode, (text: string) => string])[] = [
      ["exact", "exact", separateWords],
      ["fuzzy", "fuzzy", (text) => text],
      ["fuzzy, three words", "fuzzy", keywords],
    ];

    test.each([false, true])("is ranked as by the embedded engine, stemmed: %s", async (isStemming) => {
      const here = await ClusterRanker.build(backend, documents, { isStemming });
      const there = await FindlingRanker.build(documents, { isStemming });
      const figures = (rankings: readonly (readonly Ranked[])[]): RelevanceFigures =>
        relevanceFigures(
          rankings.map((hits) => hits.map(({ id }) => id)),
          judgements,
        );
      for (const [name, mode, write] of MODES) {
        const onCluster: (readonly Ranked[])[] = [];
        for (const { text } of asked) onCluster.push(await here.search(mode, write(text), DEPTH));
        const embedded = asked.map(({ text }) => there.search(mode, write(text), DEPTH));
        const [own, other] = [figures(onCluster), figures(embedded)];
        const shown = `${name}: ${own.ndcg10} on the cluster, ${other.ndcg10} embedded`;
        if (STEP === 1) console.info(`Cranfield, stemmed ${isStemming}, ${shown}`);
        expect(Math.abs(own.ndcg10 - other.ndcg10), shown).toBeLessThan(0.003);
      }
      await there.close();
    });

    test("in three slices it is ranked as a whole", async () => {
      const whole = await ClusterRanker.build(backend, documents, { isStemming: true });
      const slices = await ClusterRanker.build(backend, documents, { isStemming: true, slices: 3 });
      for (const [, mode, write] of MODES) {
        for (const { text } of asked) {
          const ctx = write(text);
          const [one, other] = [await whole.search(mode, ctx, 20), await slices.search(mode, ctx, 20)];
          expect(other.map(({ score }) => score)).toHaveLength(one.length);
          for (const [i, { score }] of other.entries())
            expect(Math.abs(score - one[i]!.score), ctx).toBeLessThanOrEqual(1e-4 * one[i]!.score);
        }
      }
    });
  });

  test("every misspelling within the distance finds its word", async () => {
    const { pairs } = loadMisspellings();
    const words = [...new Set(pairs.map(({ right }) => right))];
    const within = pairs.filter(({ wrong, osa }) => osa <= allowedDistance(wrong));
    const sample = within.filter((_, i) => i % (STEP === 1 ? 1 : 20 * STEP) === 0);
    const ranker = await ClusterRanker.build(
      backend,
      words.map((word) => ({ id: word, title: word, text: "" })),
      { isStemming: false, dropsStopWords: false },
    );
    const missed: string[] = [];
    for (let start = 0; start < sample.length; start += TOGETHER) {
      const together = sample.slice(start, start + TOGETHER);
      const hits = await ranker.search("fuzzy", together.map(({ wrong }) => wrong).join(" "), 10_000);
      const found = new Set(hits.map(({ id }) => id));
      missed.push(...together.filter(({ right }) => !found.has(right)).map(({ wrong }) => wrong));
    }
    expect(missed).toEqual([]);
    expect(sample.length).toBeGreaterThan(100);
  });
});
