import { describe, expect, test } from "vitest";
import { SynonymMap } from "../../../src/analysis/synonym-map.js";
import type { SearchRequest } from "../../../src/contract/search.js";
import type { StorageId } from "../../../src/ports/search-backend.js";
import { compileSearch } from "../../../src/query/compile-search.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import type { SearchPlan } from "../../../src/query/search-plan.js";
import { searchNaively } from "../../kit/naive-search.js";
import { sampleIndex } from "../../query-kit/sample-index.js";
import type { NaiveDocument } from "../../simulation/naive-documents.js";
import type { BackendUnderTest } from "./backend-under-test.js";
import { BOOKS, bookOf, EVERYTHING, idsOf, LIBRARY, planOf } from "./library.js";
import { QUERY_CASES } from "./query-cases.js";

/** Scores of one back end may be rounded otherwise than another's. */
const SCORE_DIGITS = 4;

export interface SharedLibrary {
  readonly under: BackendUnderTest;
  readonly storageId: StorageId;
  readonly documents: readonly NaiveDocument[];
}

/** Which documents a query finds, what they score and what is shown of them. */
export function querySuite(shared: () => SharedLibrary): void {
  const search = async (plan: SearchPlan) => shared().under.backend.search(shared().storageId, plan);
  const oracle = (plan: SearchPlan) =>
    searchNaively([{ schema: LIBRARY, documents: shared().documents, plan, weight: 1 }]);

  describe("queries", () => {
    test.each(QUERY_CASES)("%s", async (_, ast, expected) => {
      const found = await search(planOf(ast));
      expect([...idsOf(found.hits)].sort()).toEqual(expected);
      expect(found.count).toBe(expected.length);
      // By score, ties in the order of insertion; a difference of rounding can't turn two about here.
      const { hits } = oracle(planOf(ast));
      expect(found.hits.map(({ documentId }) => documentId)).toEqual(
        hits.map(({ documentId }) => documentId),
      );
      for (const [i, { score }] of hits.entries())
        expect(found.hits[i]!.score).toBeCloseTo(score, SCORE_DIGITS);
    });

    test("document_ids", async () => {
      const [first, , third] = shared().documents;
      const ids = [third!.id, "0".repeat(32), first!.id];
      expect(idsOf((await search(planOf({ kind: "document_ids", ids }))).hits)).toEqual(["a", "c"]);
    });

    test("queries in queries", async () => {
      const nested: QueryAst = {
        kind: "boolean",
        clauses: QUERY_CASES.map(([, ast]) => ({ occur: "should", ast })),
        minimumShouldMatch: 5,
      };
      const plan = planOf({ kind: "boolean", clauses: [{ occur: "must", ast: nested }] });
      const { hits, count } = oracle(plan);
      const found = await search(plan);
      expect(found.count).toBe(count);
      expect(found.hits.map(({ documentId }) => documentId)).toEqual(
        hits.map(({ documentId }) => documentId),
      );
    });

    test("hits show stored fields as they were given, numbers beyond 2^53 included, and no others", async () => {
      const { hits } = await search(planOf({ kind: "value_set", field: "id", values: ["a", "c"] }));
      const [{ secret: _, ...first }, , third] = BOOKS as [Record<string, unknown>, object, object];
      expect(hits.map(({ docJson }) => bookOf(docJson))).toEqual([first, third]);
    });

    test("scores fall with age where the plan says so", async () => {
      const timeDecay = { field: "at", nowSeconds: Date.UTC(2024, 0, 3) / 1000, ratePerDay: 0.1 };
      const plan = planOf(EVERYTHING, { timeDecay });
      const found = await search(plan);
      const { hits } = oracle(plan);
      expect(idsOf(found.hits)).toEqual(["d", "e", "b", "a", "c"]);
      for (const [i, { score }] of hits.entries())
        expect(found.hits[i]!.score).toBeCloseTo(score, SCORE_DIGITS);
    });

    test.each(["winter t", "winter ta", "a wint", "wintr tal", "winter night t", "sum"])(
      "words of which the last one is being typed: %s",
      async (ctx) => {
        const request: SearchRequest = {
          clauses: [{ mode: "fuzzy", ctx, occur: "should", as_you_type: true }],
          offset: 0,
          limit: 10,
          sort: "desc",
        };
        const plan = compileSearch(request, sampleIndex(LIBRARY), 0);
        const found = await search(plan);
        const { hits } = oracle(plan);
        expect(found.hits.map(({ documentId }) => documentId)).toEqual(
          hits.map(({ documentId }) => documentId),
        );
        for (const [i, { score }] of hits.entries())
          expect(found.hits[i]!.score / score).toBeCloseTo(1, SCORE_DIGITS);
      },
    );

    test("dictionaries: synonyms and stopwords have their effect by what a search is compiled to", async () => {
      const sample = sampleIndex(LIBRARY, ["tale"]);
      const synonyms = new SynonymMap({ snowy: ["winter night"] }, sample.analyzer);
      const find = async (ctx: string): Promise<readonly unknown[]> => {
        const request: SearchRequest = {
          clauses: [{ mode: "fuzzy", ctx, occur: "should" }],
          offset: 0,
          limit: 10,
          sort: "desc",
        };
        return idsOf((await search(compileSearch(request, { ...sample, synonyms }, 0))).hits);
      };
      expect(await find("snowy")).toEqual(["a"]);
      expect(await find("summer tale")).toEqual(["c"]);
    });
  });
}
