/**
 * Two words of which the second is being typed, over a few words that begin alike and stand behind one another: what they
 * may become counts as the naive index has it (docs/adr/0047), however fields are weighted and segments are cut.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { naiveDocument } from "../../../../tests/simulation/naive-documents.js";
import { NaiveIndex } from "../../../../tests/simulation/naive-index.js";
import { arbitraryLayout, segmentsOf } from "../../../../tests/simulation/segment-layout.js";
import { createAnalyzer } from "../../../analysis/create-analyzer.js";
import type { EngineField, EngineSchema } from "../../schema/engine-schema.js";
import type { Query } from "../query.js";
import { Searcher } from "../searcher.js";

const analyzer = createAnalyzer({ version: 1 });
const textField = (name: string): EngineField => ({
  name,
  kind: "text",
  multi: false,
  indexed: true,
  stored: true,
});
const schema: EngineSchema = {
  fields: [
    { name: "id", kind: "keyword", multi: false, indexed: true, stored: true },
    textField("title"),
    textField("body"),
  ],
  analyzer: { version: 1 },
};

const text = fc
  .array(fc.constantFrom("perl", "perl", "modern", "module", "modular", "core"), { maxLength: 6 })
  .map((words) => words.join(" "));
const documents = fc.array(fc.record({ title: text, body: text }), { minLength: 2, maxLength: 12 });
const boost = fc.constantFrom(0.5, 1, 3);

function queryOf(fields: readonly { readonly field: string; readonly boost: number }[], gap: number): Query {
  return {
    kind: "words",
    readings: [
      { start: 0, end: 1, position: 0, query: { kind: "fuzzy", term: "perl", maxDistance: 1, fields } },
      {
        start: 1,
        end: 2,
        position: gap,
        query: {
          kind: "fuzzy",
          term: "mod",
          maxDistance: 0,
          begun: { prefix: "mod", maxDistance: 0 },
          fields,
        },
      },
    ],
  };
}

test("what a word may become counts by the weightiest field that holds it", async () => {
  await fc.assert(
    fc.asyncProperty(
      documents.chain((chosen) =>
        fc.record({
          chosen: fc.constant(chosen),
          layout: arbitraryLayout(chosen.length, [0, 0, 1]),
          fields: fc
            .shuffledSubarray(["title", "body"], { minLength: 1 })
            .chain((names) =>
              fc.tuple(...names.map((field) => boost.map((each) => ({ field, boost: each })))),
            ),
          gap: fc.constantFrom(1, 1, 2),
        }),
      ),
      async ({ chosen, layout, fields, gap }) => {
        const given = chosen.map((document, i) => {
          const id = String(i).padStart(32, "0");
          return naiveDocument(schema, analyzer, id, { id, ...document });
        });
        const options = { query: queryOf(fields, gap), offset: 0, limit: 100 };
        const searcher = new Searcher(await segmentsOf(schema, analyzer, given, layout), schema);
        const expected = new Map(
          new NaiveIndex(schema, given).search(options).hits.map((hit) => [hit.documentId, hit.score]),
        );
        const { hits } = searcher.search(options);
        expect(hits.map(({ documentId }) => documentId).sort()).toEqual([...expected.keys()].sort());
        for (const { documentId, score } of hits) {
          const wanted = expected.get(documentId)!;
          expect(Math.abs(score - wanted)).toBeLessThanOrEqual(1e-4 * Math.max(wanted, 1e-6));
        }
      },
    ),
    { numRuns: 300 },
  );
});
