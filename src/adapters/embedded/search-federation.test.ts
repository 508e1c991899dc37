/**
 * A corpus that is cut at random into indexes and searched as a federation under equal weights gives
 * what the uncut index gives: the same matches, counts, facets and pages, the same scores to the last
 * bit, the same order but for ties, which go by member and then by insertion. Documents, layouts over
 * segments, deletions and requests of every mode are random; the uncut index is the oracle, and has a
 * naive one of its own (`engine/search/searcher.test.ts`).
 */

import fc from "fast-check";
import { expect, test } from "vitest";
import { field, sampleIndex } from "../../../tests/query-kit/sample-index.js";
import { arbitraryDocument, word } from "../../../tests/simulation/arbitrary-documents.js";
import { type NaiveDocument, naiveDocument } from "../../../tests/simulation/naive-documents.js";
import { arbitraryLayout, type LayoutStep, segmentsOf } from "../../../tests/simulation/segment-layout.js";
import { SynonymMap } from "../../analysis/synonym-map.js";
import { bytesOfJson } from "../../contract/document-json.js";
import type { OrderKey } from "../../contract/order-key.js";
import type { SearchRequest } from "../../contract/search.js";
import type { CanonicalDocument } from "../../engine/schema/document.js";
import { Searcher, type SortKey } from "../../engine/server-door.js";
import { compileFederatedSearch } from "../../query/compile-federated-search.js";
import { compileSearch } from "../../query/compile-search.js";
import { hasScores, type SearchPlan } from "../../query/search-plan.js";
import { lowerQuery } from "./lower-query.js";
import { searchFederation } from "./search-federation.js";
import { searchIndex } from "./search-index.js";
import { SearchPatience } from "./search-patience.js";
import { toEngineSchema } from "./to-engine-schema.js";

const sample = sampleIndex({
  fields: {
    id: field("text"),
    title: field("text"),
    body: field("text", { multi: true }),
    note: field("text"),
    category: field("facet", { multi: true }),
    shelf: field("facet"),
    count: field("u64"),
    price: field("f64"),
    at: field("datetime", { precision: "milliseconds" }),
  },
  search_fields: ["title", "body", "id"],
  weight_multipliers: { title: 2.5 },
  time_decay_field: "at",
});
const index = {
  ...sample,
  synonyms: new SynonymMap({ winter: ["straße", "winter tail"], "tale of": ["ab"] }, sample.analyzer),
};
const { time_decay_field: _, ...undecayedSchema } = index.schema;
const schema = toEngineSchema(index.schema);
const NOW = Date.UTC(2024, 0, 4);
const WHOLE = { offset: 0, limit: 1000 };

interface Scenario {
  readonly documents: readonly CanonicalDocument[];
  readonly deletedContents: readonly CanonicalDocument[];
  /** By document: the member that it goes to. */
  readonly owners: readonly number[];
  readonly memberCount: number;
  readonly weight: number;
  readonly decays: boolean;
  /** How documents lie in segments: in the uncut index first, then in the members. */
  readonly layouts: readonly (readonly LayoutStep[])[];
  readonly requests: readonly SearchRequest[];
}

const misspelt = fc
  .tuple(word, fc.nat({ max: 5 }), fc.constantFrom("", "", "x", "e"))
  .map(([chosen, at, letter]) => {
    const letters = [...chosen];
    if (letter !== "") letters.splice(at % letters.length, 1, letter);
    return letters.join("");
  });

const filter = fc.constantFrom(
  "category:/a",
  "shelf:/ab",
  "count:>3",
  "at:2024-01-02T00:00:00Z",
  "title:*",
  "*",
  "id:abc",
  "wint*",
  '"winter tale"',
  "title:tale -winter",
  "winter^3 OR note:tales",
);

const context = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.array(misspelt, { minLength: 1, maxLength: 4 }).map((words) => words.join(" ")),
  },
  { weight: 1, arbitrary: filter },
);

const clause = fc
  .record({
    mode: fc.constantFrom("fuzzy" as const, "exact" as const, "dynamic" as const),
    ctx: context,
    occur: fc.constantFrom("should" as const, "should" as const, "must" as const),
    isTyped: fc.constantFrom(false, false, true),
  })
  .map(({ isTyped, ...rest }) =>
    isTyped && rest.mode !== "fuzzy" ? { ...rest, as_you_type: true as const } : rest,
  );

const orderKey: fc.Arbitrary<OrderKey> = fc.oneof(
  fc.record({
    kind: fc.constant("field" as const),
    field: fc.constantFrom("id", "title", "count", "price", "at"),
    descending: fc.boolean(),
  }),
  fc.record({ kind: fc.constant("score" as const), descending: fc.boolean() }),
);

const request: fc.Arbitrary<SearchRequest> = fc
  .record({
    clauses: fc.array(clause, { minLength: 1, maxLength: 3 }),
    offset: fc.constantFrom(0, 0, 1, 4),
    limit: fc.constantFrom(0, 1, 3, 100),
    orderBy: fc.constantFrom(undefined, undefined, undefined, "id", "title", "count", "price", "at"),
    orderKeys: fc.option(fc.array(orderKey, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 2 }),
    sort: fc.constantFrom("asc" as const, "desc" as const),
    ownFilter: fc.constantFrom(true, true, false),
  })
  .map(({ orderBy, orderKeys, ownFilter, ...rest }) => ({
    ...rest,
    ...(orderBy === undefined ? {} : { order_by: orderBy }),
    extensions: {
      ...(ownFilter ? {} : { facets: new Map([["category", { ownFilter }]]) }),
      ...(orderBy === undefined && orderKeys !== undefined ? { orderBy: orderKeys } : {}),
    },
  }));

const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    documents: fc.array(arbitraryDocument(schema), { maxLength: 30, size: "max" }),
    memberCount: fc.integer({ min: 1, max: 4 }),
  })
  .chain(({ documents, memberCount }) =>
    fc.record({
      documents: fc.constant(documents),
      memberCount: fc.constant(memberCount),
      deletedContents: fc.array(arbitraryDocument(schema), { minLength: 1, maxLength: 4, size: "max" }),
      owners: fc.array(fc.nat({ max: memberCount - 1 }), {
        minLength: documents.length,
        maxLength: documents.length,
      }),
      weight: fc.constantFrom(1, 1, 0.5, 2),
      decays: fc.boolean(),
      layouts: fc.array(arbitraryLayout(documents.length, [0, 0, 1, 3]), {
        minLength: memberCount + 1,
        maxLength: memberCount + 1,
      }),
      requests: fc.array(request, { minLength: 20, maxLength: 20 }),
    }),
  );

test("a cut corpus gives what the uncut one gives", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (chosen) => {
      const { decays, memberCount, requests } = chosen;
      const documents = chosen.documents.map((document, i) =>
        naiveDocument(schema, index.analyzer, String(i).padStart(32, "0"), document),
      );
      const uncut = await searcherOf(documents, chosen.layouts[0]!, chosen);
      const parts = await Promise.all(
        Array.from({ length: memberCount }, (_, part) =>
          searcherOf(
            documents.filter((_document, i) => chosen.owners[i] === part),
            chosen.layouts[part + 1]!,
            chosen,
          ),
        ),
      );
      const searched = decays ? index : { ...index, schema: undecayedSchema };
      for (const each of requests) {
        expectSame({ uncut, parts, chosen }, compileSearch(each, searched, NOW), each);
        const plans = compileFederatedSearch(
          each,
          parts.map(() => searched),
          NOW,
        );
        expect(plans).toEqual(parts.map(() => compileSearch(each, searched, NOW)));
      }
    }),
    { numRuns: 12 },
  );
});

/** Settings of one member: where it looks for words, and what its fields count. */
const memberSettings = fc.record({
  search_fields: fc.subarray(["title", "body", "note"], { minLength: 1, maxLength: 2 }),
  weight_multipliers: fc.record({
    title: fc.constantFrom(0, 0.1, 1, 100),
    body: fc.constantFrom(0, 0.1, 1, 100),
    note: fc.constantFrom(0, 0.1, 1, 100),
  }),
});

// Contract 5.2, whatever the fields that each index looks in, and their weights.
test("a document with a misspelt word never comes before another index's with the word itself", async () => {
  await fc.assert(
    fc.asyncProperty(
      scenario,
      word,
      fc.array(memberSettings, { minLength: 4, maxLength: 4 }),
      async (chosen, typed, settings) => {
        // Few, and each with text only where its index looks: so that a word is in one index's fields alone.
        const documents = chosen.documents.slice(0, 8).map((document, i) => {
          const { search_fields: fields } = settings[chosen.owners[i]!]!;
          const texts = Object.entries(document).filter(([name]) => fields.includes(name));
          return naiveDocument(
            schema,
            index.analyzer,
            String(i).padStart(32, "0"),
            Object.fromEntries(texts),
          );
        });
        const parts = await Promise.all(
          Array.from({ length: chosen.memberCount }, (_, part) =>
            searcherOf(
              documents.filter((_document, i) => chosen.owners[i] === part),
              chosen.layouts[part + 1]!,
              chosen,
            ),
          ),
        );
        const indexes = parts.map((_, part) => ({
          ...sample,
          schema: { ...undecayedSchema, ...settings[part]! },
        }));
        const typedRequest: SearchRequest = {
          clauses: [{ mode: "fuzzy", ctx: typed, occur: "should" }],
          sort: "desc",
          ...WHOLE,
        };
        const plans = compileFederatedSearch(typedRequest, indexes, NOW);
        const { hits } = searchFederation(
          parts.map((searcher, part) => ({ searcher, plan: plans[part]!, weight: 1 })),
          new SearchPatience(60_000),
        );
        const scoresOf = (isExact: boolean): number[] =>
          hits
            .filter(({ documentId, memberIndex }) => {
              const { tokens } = documents[Number(documentId)]!;
              const fields = settings[memberIndex]!.search_fields;
              return fields.some((name) => tokens[name]!.some(({ term }) => term === typed)) === isExact;
            })
            .map(({ score }) => score);
        expect(Math.min(...scoresOf(true))).toBeGreaterThanOrEqual(Math.max(...scoresOf(false)));
      },
    ),
    { numRuns: 150 },
  );
});

async function searcherOf(
  documents: readonly NaiveDocument[],
  layout: readonly LayoutStep[],
  { deletedContents }: Scenario,
): Promise<Searcher> {
  return new Searcher(await segmentsOf(schema, index.analyzer, documents, layout, deletedContents), schema);
}

interface Compared {
  readonly uncut: Searcher;
  readonly parts: readonly Searcher[];
  readonly chosen: Scenario;
}

function expectSame({ uncut, parts, chosen }: Compared, plan: SearchPlan, each: SearchRequest): void {
  const message = JSON.stringify(each);
  const weight = chosen.weight;
  const patience = new SearchPatience(60_000);
  const result = searchFederation(
    parts.map((searcher) => ({ searcher, plan, weight })),
    patience,
  );
  const expected = searchIndex(uncut, plan, patience);
  expect(result.count, message).toBe(expected.count);
  // Of one index they are made as they are asked for.
  const expectedFacets = expected.facets.map(({ field, nodes }) => ({ field, nodes }));
  expect(result.facets, message).toEqual(expectedFacets);
  const hits = expectedHits(uncut, plan, chosen);
  expect(result.hits, message).toEqual(hits.slice(plan.offset, plan.offset + plan.limit));
  const whole = searchFederation(
    parts.map((searcher) => ({ searcher, plan: { ...plan, ...WHOLE }, weight })),
    patience,
  );
  expect(whole.hits, message).toEqual(hits);
}

/** All hits of the uncut index with their owners, where neither score nor value decides by owner and then as they come. */
function expectedHits(uncut: Searcher, plan: SearchPlan, { owners, weight }: Scenario): object[] {
  const query = lowerQuery(plan.ast, uncut);
  const { orderBy, timeDecay } = plan;
  const weighted = { kind: "boost" as const, query, factor: weight };
  const { hits } = uncut.search({
    ...WHOLE,
    query: weight === 1 || !hasScores(plan) ? query : weighted,
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(timeDecay === undefined ? {} : { timeDecay }),
  });
  let place = 0;
  const ranked = hits.map((hit, i) => {
    const before = hits[i - 1];
    const isTie =
      before !== undefined &&
      (orderBy === undefined ? before.score === hit.score : keyOf(before.sortKeys) === keyOf(hit.sortKeys));
    if (!isTie) place = i;
    return { hit, place, memberIndex: owners[Number(hit.documentId)]! };
  });
  return ranked
    .sort((a, b) => a.place - b.place || a.memberIndex - b.memberIndex)
    .map(({ hit: { documentId, score, json }, memberIndex }) => ({
      documentId,
      score,
      docJson: bytesOfJson(json),
      memberIndex,
    }));
}

function keyOf(sortKeys: readonly SortKey[] | undefined): string {
  return JSON.stringify(sortKeys?.map((key) => (key instanceof Uint8Array ? key.join() : key)));
}
