/**
 * Properties: what is said of many documents at once is to the last bit what is said of each alone, for queries of
 * every kind, over several segments and windows, among deleted documents, with time decay and by others' statistics;
 * nothing is said of documents that don't match; what is said of hits has their scores.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { arbitraryDocument, arbitrarySchema } from "../../../tests/simulation/arbitrary-documents.js";
import { arbitrarySearch } from "../../../tests/simulation/arbitrary-queries.js";
import { naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { arbitraryLayout, segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { testBit } from "../bytes/bitset.js";
import type { DocPlace } from "./explain-places.js";
import { Searcher } from "./searcher.js";
import { CombinedStatistics } from "./statistics/combined-statistics.js";

const analyzer = createAnalyzer({ version: 1 });

const scenario = (deletedCounts: readonly number[], searches: number) =>
  arbitrarySchema.chain((schema) =>
    fc.array(arbitraryDocument(schema), { minLength: 1, maxLength: 25, size: "max" }).chain((documents) =>
      fc.record({
        schema: fc.constant(schema),
        documents: fc.constant(
          documents.map((document, i) =>
            naiveDocument(schema, analyzer, String(i).padStart(32, "0"), document),
          ),
        ),
        layout: arbitraryLayout(documents.length, deletedCounts),
        otherLayout: arbitraryLayout(documents.length, [0]),
        searches: fc.array(arbitrarySearch(schema, []), { minLength: searches, maxLength: searches }),
        shares: fc.boolean(),
        seed: fc.nat(),
      }),
    ),
  );

test.each([
  ["in few windows", [0, 1, 3], 15, 12],
  ["in many windows", [0, 0, 1, 150, 5000], 30, 3],
])("documents %s are explained together as each alone", async (_, deletedCounts, searches, numRuns) => {
  await fc.assert(
    fc.asyncProperty(
      scenario(deletedCounts, searches),
      async ({ schema, documents, layout, otherLayout, searches, shares, seed }) => {
        const searcher = new Searcher(await segmentsOf(schema, analyzer, documents, layout), schema);
        const other = new Searcher(await segmentsOf(schema, analyzer, documents, otherLayout), schema);
        const statistics = shares
          ? new CombinedStatistics([searcher.statistics, other.statistics])
          : undefined;
        const places = shuffled(livePlaces(searcher), seed);
        for (const { query, timeDecay } of searches) {
          const explain = (some: readonly DocPlace[]) =>
            searcher.explainAll(query, some, statistics, timeDecay);
          const together = explain(places);
          expect(together).toEqual(places.flatMap((place) => explain([place])));

          const decay = timeDecay === undefined ? {} : { timeDecay };
          const { hits } = searcher.rank({ query, offset: 0, limit: 1000, ...decay }, statistics);
          const scores = new Map<string, number>();
          for (let at = 0; at < hits.length; at++) scores.set(keyOf(hits.at(at)), hits.at(at).score);
          const values = together.map((explanation) => explanation?.value);
          expect(values).toEqual(places.map((place) => scores.get(keyOf(place))));
        }
      },
    ),
    { numRuns },
  );
});

function livePlaces({ segments }: Searcher): DocPlace[] {
  return segments.flatMap(({ maxDoc, liveDocs }, segmentIndex) =>
    Array.from({ length: maxDoc }, (_, docId) => ({ segmentIndex, docId })).filter(
      ({ docId }) => liveDocs === null || testBit(liveDocs, docId),
    ),
  );
}

function shuffled<T>(list: readonly T[], seed: number): T[] {
  return list
    .map((item, i) => ({ item, rank: Math.imul(i + 1, 0x9e3779b1) ^ seed }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

function keyOf({ segmentIndex, docId }: DocPlace): string {
  return `${segmentIndex}/${docId}`;
}
