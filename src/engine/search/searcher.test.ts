/**
 * For random schemas, documents, deletions and queries of every kind: a search finds, counts, orders
 * and facets what a naive computation over plain arrays does, with its scores; and the same to the
 * last bit however the documents are spread over segments.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryDocument, arbitrarySchema } from "../../../tests/simulation/arbitrary-documents.js";
import { arbitrarySearch } from "../../../tests/simulation/arbitrary-queries.js";
import { type NaiveDocument, naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { NaiveIndex } from "../../../tests/simulation/naive-index.js";
import { arbitraryLayout, segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { countBits, testBit } from "../bytes/bitset.js";
import type { CanonicalDocument } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import type { SearchOptions } from "./search-types.js";
import { Searcher } from "./searcher.js";

const analyzer = createAnalyzer({ version: 1 });
const TOLERANCE = 1e-4;

interface Collection {
  readonly schema: EngineSchema;
  /** Live ones, with ids in insertion order. */
  readonly documents: readonly NaiveDocument[];
  /** What deleted ones hold: words and values of live ones, and some that only they have. */
  readonly deletedContents: readonly CanonicalDocument[];
}

const collection: fc.Arbitrary<Collection> = arbitrarySchema.chain((schema) =>
  fc.record({
    schema: fc.constant(schema),
    documents: fc
      .array(arbitraryDocument(schema), { maxLength: 25, size: "max" })
      .map((documents) =>
        documents.map((document, i) =>
          naiveDocument(schema, analyzer, String(i).padStart(32, "0"), document),
        ),
      ),
    deletedContents: fc.array(arbitraryDocument(schema), { minLength: 1, maxLength: 5, size: "max" }),
  }),
);

/** A collection spread in two ways, and searches over it. */
function scenario(deletedCounts: readonly number[], searchCount: number) {
  return collection.chain((chosen) => {
    const { schema, documents } = chosen;
    const ids = documents.map(({ id }) => id);
    return fc.record({
      collection: fc.constant(chosen),
      layouts: fc.tuple(
        arbitraryLayout(documents.length, deletedCounts),
        arbitraryLayout(documents.length, [0, 1]),
      ),
      searches: fc.array(arbitrarySearch(schema, ids), { minLength: searchCount, maxLength: searchCount }),
    });
  });
}

describe("Searcher", () => {
  test("finds, counts, orders, scores and facets as the naive index does", async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario([0, 0, 1, 3], 30),
        async ({ collection: { schema, documents, deletedContents }, layouts, searches }) => {
          const naive = new NaiveIndex(schema, documents);
          const [searcher, other] = await Promise.all(
            layouts.map(
              async (layout) =>
                new Searcher(await segmentsOf(schema, analyzer, documents, layout, deletedContents), schema),
            ),
          );
          for (const options of searches) {
            const result = searcher!.search(options);
            expectSame(searcher!, naive, options);
            expect(other!.search(options)).toEqual(result);
          }
        },
      ),
      { numRuns: 25 },
    );
  }, 900_000);

  // Documents far apart: several windows, blocks without candidates, postings over many blocks.
  test("agrees with the naive index over many windows", async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario([0, 0, 1, 150, 5000], 60),
        async ({ collection: { schema, documents, deletedContents }, layouts, searches }) => {
          const naive = new NaiveIndex(schema, documents);
          const searcher = new Searcher(
            await segmentsOf(schema, analyzer, documents, layouts[0], deletedContents),
            schema,
          );
          for (const options of searches) expectSame(searcher, naive, options);
        },
      ),
      { numRuns: 3 },
    );
  }, 900_000);

  test("explains every match with the score that the search gives, and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(
        scenario([0, 1], 10),
        async ({ collection: { schema, documents, deletedContents }, layouts, searches }) => {
          const [layout] = layouts;
          const searcher = new Searcher(
            await segmentsOf(schema, analyzer, documents, layout, deletedContents),
            schema,
          );
          for (const { query } of searches) {
            const { hits, count } = searcher.search({ query, offset: 0, limit: 1000 });
            const scores = new Map(hits.map(({ documentId, score }) => [documentId, score]));
            expect(searcher.count(query)).toBe(count);
            for (const { id } of documents) {
              expect(searcher.explain(query, id)?.value).toBe(scores.get(id));
            }
            const found = searcher.matchingDocs(query);
            expect(found.reduce((sum, docs) => sum + countBits(docs), 0)).toBe(count);
            for (const { documentId } of hits) {
              const at = searcher.segments.findIndex((segment) => segment.docIdOf(documentId) >= 0);
              expect(testBit(found[at]!, searcher.segments[at]!.docIdOf(documentId))).toBe(true);
            }
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

function expectSame(searcher: Searcher, naive: NaiveIndex, options: SearchOptions): void {
  const result = searcher.search(options);
  const expected = naive.search(options);
  const context = JSON.stringify(options);
  const idsOf = (hits: readonly { readonly documentId: string }[]): string[] =>
    hits.map((hit) => hit.documentId);
  expect(result.count, context).toBe(expected.count);
  expect(result.facets, context).toEqual(expected.facets);
  const { orderBy } = options;
  if (orderBy?.every(({ kind }) => kind === "field")) {
    expect(idsOf(result.hits), context).toEqual(idsOf(expected.hits));
    expect(result.hits.every(({ score }) => score === 1)).toBe(true);
    return;
  }
  // Documents whose scores differ only by rounding may trade places, so the whole list is compared
  // score by score, and the page with the list.
  const all = searcher.search({ ...options, offset: 0, limit: 1000 }).hits;
  const allExpected = naive.search({ ...options, offset: 0, limit: 1000 }).hits;
  expect(result.hits, context).toEqual(all.slice(options.offset, options.offset + options.limit));
  expect(idsOf(all).sort(), context).toEqual(idsOf(allExpected).sort());
  const scores = new Map(allExpected.map(({ documentId, score }) => [documentId, score]));
  const documents = new Map(naive.documents.map((document) => [document.id, document]));
  const order = orderBy ?? [{ kind: "score", descending: true }];
  all.forEach(({ documentId, score }, i) => {
    if (orderBy === undefined) expectClose(score, allExpected[i]!.score, context);
    expectClose(score, scores.get(documentId)!, context);
    const next = all[i + 1];
    if (next === undefined) return;
    const compared = naive.compare(
      order,
      { document: documents.get(documentId)!, score },
      { document: documents.get(next.documentId)!, score: next.score },
    );
    expect(compared < 0 || (compared === 0 && next.documentId > documentId), context).toBe(true);
  });
}

function expectClose(actual: number, expected: number, context: string): void {
  const limit = TOLERANCE * Math.max(Math.abs(expected), 1e-6);
  expect(Math.abs(actual - expected), `${actual} is not ${expected} in ${context}`).toBeLessThanOrEqual(
    limit,
  );
}
