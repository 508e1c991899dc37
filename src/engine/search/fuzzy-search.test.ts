/**
 * The properties that the contract (5.2, 5.8) demands of fuzzy scores, on whole indexes: tiers by
 * distance whatever the boosts, lengths and frequencies; no favour for rare variants; and a corpus
 * cut into several indexes with shared statistics ranks as the uncut one.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arbitraryDocument, arbitrarySchema } from "../../../tests/simulation/arbitrary-documents.js";
import { arbitraryQuery } from "../../../tests/simulation/arbitrary-queries.js";
import { naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { editDistance } from "../../../tests/simulation/naive-values.js";
import { arbitraryLayout, segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../analysis/create-analyzer.js";
import { defineSchema } from "../schema/define-schema.js";
import type { FuzzyQuery } from "./query.js";
import { Searcher } from "./searcher.js";
import { CombinedStatistics } from "./statistics/combined-statistics.js";

const analyzer = createAnalyzer({ version: 1 });
const schema = defineSchema({ title: "text", body: { kind: "text", multi: true } });
const variant = fc.constantFrom("planet", "planets", "plant", "plante", "palnet", "xlanex", "moon", "of");
const boost = fc.oneof(fc.constantFrom(0, 100), fc.float({ min: 0, max: 100, noNaN: true }));

const documents = fc
  .array(
    fc.record({
      title: fc.array(variant, { maxLength: 4 }).map((words) => words.join(" ")),
      body: fc.array(
        fc
          .array(fc.tuple(variant, fc.constantFrom(1, 1, 50)), { maxLength: 5 })
          .map((words) => words.map(([word, times]) => `${word} `.repeat(times)).join("")),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 20, size: "max" },
  )
  .map((list) =>
    list.map((document, i) => naiveDocument(schema, analyzer, String(i).padStart(32, "0"), document)),
  );

const fuzzyQuery: fc.Arbitrary<FuzzyQuery> = fc.record({
  kind: fc.constant("fuzzy" as const),
  term: fc.constantFrom("planet", "planett", "plan", "palne"),
  maxDistance: fc.constant(2 as const),
  fields: fc.tuple(boost, boost).map(([title, body]) => [
    { field: "title", boost: title },
    { field: "body", boost: body },
  ]),
});

describe("a fuzzy word", () => {
  test("ranks documents by distance before anything else, and finds all of them", async () => {
    await fc.assert(
      fc.asyncProperty(
        documents.chain((list) => fc.tuple(fc.constant(list), arbitraryLayout(list.length, [0, 0, 2]))),
        fuzzyQuery,
        async ([list, layout], query) => {
          // Deleted documents hold every variant: what no live one holds must not count as the nearest.
          const deleted = [{ title: "planet planets plant palnet planett plan palne" }];
          const segments = await segmentsOf(schema, analyzer, list, layout, deleted);
          const searcher = new Searcher(segments, schema);
          const { hits, count } = searcher.search({ query, offset: 0, limit: 100 });
          const distances = new Map(
            list.map(({ id, tokens }) => [
              id,
              Math.min(
                ...Object.values(tokens).flatMap((found) =>
                  found.map(({ term }) => editDistance(term, query.term)),
                ),
              ),
            ]),
          );
          expect(count).toBe([...distances.values()].filter((distance) => distance <= 2).length);
          const nearest = Math.min(...distances.values());
          for (const { documentId, score } of hits) {
            // Only the nearest variants of live documents reach the floor of a tenth of an idf that is above 0.
            const alone = searcher.explain(query, documentId)!.details.map(({ value }) => value);
            expect(alone.slice(1)).toEqual([nearest, distances.get(documentId)]);
            expect(score >= Math.fround(0.099 * alone[0]!)).toBe(distances.get(documentId) === nearest);
          }
          for (let i = 1; i < hits.length; i++) {
            const nearer = distances.get(hits[i - 1]!.documentId)!;
            const here = distances.get(hits[i]!.documentId)!;
            expect(nearer).toBeLessThanOrEqual(here);
            if (nearer < here) expect(hits[i - 1]!.score).toBeGreaterThan(hits[i]!.score);
          }
        },
      ),
      { numRuns: 80 },
    );
  });

  test("does not favour a variant for being rare", async () => {
    const texts = [...Array.from({ length: 20 }, () => "plants"), "plante"];
    const list = texts.map((title, i) =>
      naiveDocument(schema, analyzer, String(i).padStart(32, "0"), { title }),
    );
    const layout = list.map(() => ({ deletedBefore: 0, beginsSegment: false }));
    const searcher = new Searcher(await segmentsOf(schema, analyzer, list, layout), schema);
    const query: FuzzyQuery = {
      kind: "fuzzy",
      term: "plant",
      maxDistance: 1,
      fields: [{ field: "title", boost: 1 }],
    };
    const scores = searcher.search({ query, offset: 0, limit: 100 }).hits.map(({ score }) => score);
    expect(scores).toHaveLength(21);
    expect(new Set(scores).size).toBe(1);
  });
});

describe("shared statistics", () => {
  test("make a corpus cut into indexes rank as the uncut one, for every query", async () => {
    await fc.assert(
      fc.asyncProperty(
        arbitrarySchema.chain((anySchema) =>
          fc.array(arbitraryDocument(anySchema), { minLength: 1, maxLength: 20, size: "max" }).chain((list) =>
            fc.record({
              schema: fc.constant(anySchema),
              list: fc.constant(list),
              layout: arbitraryLayout(list.length, [0, 1]),
              cuts: fc.array(fc.nat({ max: 2 }), { minLength: list.length, maxLength: list.length }),
              queries: fc.array(arbitraryQuery(anySchema, []), { minLength: 10, maxLength: 10 }),
            }),
          ),
        ),
        async ({ schema: anySchema, list, layout, cuts, queries }) => {
          const all = list.map((document, i) =>
            naiveDocument(anySchema, analyzer, String(i).padStart(32, "0"), document),
          );
          const searcherOf = async (chosen: (i: number) => boolean): Promise<Searcher> => {
            const kept = all.filter((_, i) => chosen(i));
            const steps = layout.filter((_, i) => chosen(i));
            return new Searcher(await segmentsOf(anySchema, analyzer, kept, steps), anySchema);
          };
          const whole = await searcherOf(() => true);
          const parts = await Promise.all([0, 1, 2].map((part) => searcherOf((i) => cuts[i] === part)));
          const statistics = new CombinedStatistics(parts.map((part) => part.statistics));
          for (const query of queries) {
            const options = { query, offset: 0, limit: 100 };
            const merged = parts
              .flatMap((part) => part.search(options, statistics).hits)
              .sort((a, b) => b.score - a.score || (a.documentId < b.documentId ? -1 : 1));
            expect(merged).toEqual(whole.search(options).hits);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
