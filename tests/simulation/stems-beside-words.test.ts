/**
 * Stems beside words, on whole indexes of random documents and segments: what is found and scored is what a naive
 * model says; a document with the word as it is written comes before one that is alike but for a word of the same
 * stem; where one word is asked for, that one comes before misspelt words, whatever frequencies, lengths and boosts.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tokensOf } from "../../src/analysis/analyzer.js";
import { createAnalyzer } from "../../src/analysis/create-analyzer.js";
import { defineSchema } from "../../src/engine/schema/define-schema.js";
import type { Query } from "../../src/engine/search/query.js";
import { Searcher } from "../../src/engine/search/searcher.js";
import { naiveDocument } from "./naive-documents.js";
import { NaiveIndex } from "./naive-index.js";
import { arbitraryLayout, segmentsOf } from "./segment-layout.js";

const analyzer = createAnalyzer({ version: 3, stemming: "en" });
const schema = {
  ...defineSchema({ title: "text", body: { kind: "text", multi: true } }),
  analyzer: { version: 3, stemming: "en" } as const,
};
const WORDS = ["set", "sets", "setting", "settings", "settled", "sitting", "st", "organ", "organs", "x5s"];
const word = fc.constantFrom(...WORDS);
const boost = fc.oneof(fc.constantFrom(1, 100), fc.float({ min: 0, max: 100, noNaN: true }));

const documents = fc
  .array(
    fc.record({
      title: fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
      body: fc.array(
        fc
          .array(fc.tuple(word, fc.constantFrom(1, 1, 20)), { maxLength: 4 })
          .map((words) => words.map(([text, times]) => `${text} `.repeat(times)).join("")),
        { minLength: 1, maxLength: 2 },
      ),
    }),
    { minLength: 1, maxLength: 20, size: "max" },
  )
  .map((list) =>
    list.map((document, i) => naiveDocument(schema, analyzer, String(i).padStart(32, "0"), document)),
  );

const asked = fc.constantFrom(...WORDS, "seting", "organz");
const fields = fc.tuple(boost, boost).map(([title, body]) => [
  { field: "title", boost: title },
  { field: "body", boost: body },
]);

const queries: fc.Arbitrary<Query> = fc.oneof(
  asked.map((text): Query => {
    const [token] = tokensOf(analyzer, text);
    return { kind: "term", field: "body", term: token!.text, written: token!.word };
  }),
  fc.tuple(asked, asked).map(
    (words): Query => ({
      kind: "phrase",
      field: "body",
      terms: words.map((text, position) => ({ term: tokensOf(analyzer, text)[0]!.text, position })),
      slop: 0,
      lastIsPrefix: false,
    }),
  ),
  fc
    .constantFrom("s", "sett", "settings")
    .map((prefix): Query => ({ kind: "prefix", field: "title", prefix })),
  fc
    .record({
      text: asked,
      ranksBelow: fc.boolean(),
      maxDistance: fc.constantFrom(0 as const, 1 as const, 2 as const),
      fields,
    })
    .map(({ text, ranksBelow, ...rest }): Query => {
      const [token] = tokensOf(analyzer, text);
      const stem = token!.text === token!.word ? {} : { stem: { term: token!.text, ranksBelow } };
      return { kind: "fuzzy", term: token!.word, ...stem, ...rest };
    }),
);

describe("stems beside words", () => {
  test("are found and scored as a naive model says", async () => {
    await fc.assert(
      fc.asyncProperty(
        documents.chain((list) => fc.tuple(fc.constant(list), arbitraryLayout(list.length, [0, 0, 2]))),
        fc.array(queries, { minLength: 8, maxLength: 8 }),
        async ([list, layout], asts) => {
          const searcher = new Searcher(await segmentsOf(schema, analyzer, list, layout), schema);
          const naive = new NaiveIndex(schema, list);
          for (const query of asts) {
            const { hits, count } = searcher.search({ query, offset: 0, limit: 100 });
            const expected = naive.search({ query, offset: 0, limit: 100 });
            expect(count).toBe(expected.count);
            for (const { documentId, score } of hits) {
              const own = expected.hits.find((hit) => hit.documentId === documentId)!;
              expect(score).toBeCloseTo(own.score, Math.max(0, 4 - Math.ceil(Math.log10(1 + own.score))));
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test("rank the word as it is written, then its stem, then what is misspelt, where one word is asked for", async () => {
    await fc.assert(
      fc.asyncProperty(
        documents.chain((list) => fc.tuple(fc.constant(list), arbitraryLayout(list.length, [0, 0, 2]))),
        asked,
        fields,
        async ([list, layout], text, boosted) => {
          const [token] = tokensOf(analyzer, text);
          if (token!.text === token!.word) return;
          const searcher = new Searcher(await segmentsOf(schema, analyzer, list, layout), schema);
          const stem = { term: token!.text, ranksBelow: true };
          const query: Query = { kind: "fuzzy", term: token!.word, stem, maxDistance: 2, fields: boosted };
          const { hits } = searcher.search({ query, offset: 0, limit: 100 });
          const tiers = hits.map(({ documentId }) => {
            const terms = Object.values(list.find(({ id }) => id === documentId)!.tokens).flat();
            if (terms.some(({ term }) => term === token!.word)) return 0;
            return terms.some(({ term }) => term === token!.text) ? 1 : 2;
          });
          expect(tiers).toEqual(tiers.toSorted());
          for (let i = 1; i < hits.length; i++) {
            if (tiers[i - 1] !== tiers[i]) expect(hits[i - 1]!.score).toBeGreaterThan(hits[i]!.score);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
