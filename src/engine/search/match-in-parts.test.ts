/**
 * Properties: documents found part by part are those found in one go, for every query, segments and deletes; a query of
 * many words, prefixes and ranges pauses while it is bound and begun.
 */
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { arbitraryDocument, arbitrarySchema } from "../../../tests/simulation/arbitrary-documents.js";
import { arbitraryQuery } from "../../../tests/simulation/arbitrary-queries.js";
import { naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { arbitraryLayout, segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { defineSchema } from "../schema/define-schema.js";
import { runWhole } from "../segment/sliced-work.js";
import { partCost } from "./match-in-parts.js";
import type { BooleanQuery, Query } from "./query.js";
import { NO_INTERRUPT } from "./search-interrupt.js";
import { Searcher } from "./searcher.js";

const analyzer = createAnalyzer({ version: 1 });
const { max } = partCost;
afterEach(() => {
  partCost.max = max;
});

test("what is found part by part is what is found in one go", async () => {
  await fc.assert(
    fc.asyncProperty(
      arbitrarySchema.chain((schema) =>
        fc.array(arbitraryDocument(schema), { minLength: 1, maxLength: 20, size: "max" }).chain((list) =>
          fc.record({
            schema: fc.constant(schema),
            list: fc.constant(list),
            layout: arbitraryLayout(list.length, [0, 0, 2]),
            queries: fc.array(arbitraryQuery(schema, []), { minLength: 20, maxLength: 20 }),
            costMax: fc.constantFrom(1, 17, 64),
          }),
        ),
      ),
      async ({ schema, list, layout, queries, costMax }) => {
        const documents = list.map((document, i) =>
          naiveDocument(schema, analyzer, String(i).padStart(32, "0"), document),
        );
        const segments = await segmentsOf(schema, analyzer, documents, layout, list.slice(0, 1));
        const searcher = new Searcher(segments, schema);
        partCost.max = costMax;
        for (const query of queries) {
          const inParts = runWhole(searcher.matchingDocsInSlices(query, NO_INTERRUPT));
          expect(inParts).toEqual(searcher.matchingDocs(query));
        }
      },
    ),
    { numRuns: 30 },
  );
});

const CLAUSES = 200;
const dear: Readonly<Record<string, (n: number) => Query>> = {
  words: (n) => ({ kind: "fuzzy", term: `word${n}`, maxDistance: 2, fields: [{ field: "title", boost: 1 }] }),
  prefixes: (n) => ({ kind: "prefix", field: "title", prefix: `w${n}` }),
  ranges: (n) => ({
    kind: "term_range",
    field: "title",
    lower: { value: `w${n}`, inclusive: true },
    upper: null,
  }),
};

async function searcherOf(titles: readonly string[]): Promise<Searcher> {
  const schema = defineSchema({ title: "text" });
  const documents = titles.map((title, i) =>
    naiveDocument(schema, analyzer, String(i).padStart(32, "0"), { title }),
  );
  const layout = documents.map(() => ({ deletedBefore: 0, beginsSegment: false }));
  return new Searcher(await segmentsOf(schema, analyzer, documents, layout), schema);
}

test.each(Object.keys(dear))("many %s pause while they are bound and begun", async (kind) => {
  const query: BooleanQuery = {
    kind: "boolean",
    clauses: Array.from({ length: CLAUSES }, (_, n) => ({ occur: "should", query: dear[kind]!(n) })),
  };
  const searcher = await searcherOf(["word1", "w7"]);
  let pauses = 0;
  const work = searcher.matchingDocsInSlices(query, NO_INTERRUPT);
  let step = work.next();
  for (; step.done !== true; step = work.next()) pauses++;
  // No more than four of them at a time: once bound, once begun.
  expect(pauses).toBeGreaterThanOrEqual((2 * CLAUSES) / 4);
  expect(step.value).toEqual(searcher.matchingDocs(query));
});
