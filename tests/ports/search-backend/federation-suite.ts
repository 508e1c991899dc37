import { beforeAll, describe, expect, test } from "vitest";
import type { FederationMember, SearchBackend, StorageId } from "../../../src/ports/search-backend.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import type { SearchPlan } from "../../../src/query/search-plan.js";
import { searchNaively } from "../../kit/naive-search.js";
import type { NaiveDocument } from "../../simulation/naive-documents.js";
import { type BackendUnderTest, newStorageId } from "./backend-under-test.js";
import { BOOKS, EVERYTHING, idsOf, LIBRARY, libraryOf, planOf } from "./library.js";
import { QUERY_CASES } from "./query-cases.js";

const SCORE_DIGITS = 4;

/** Several indexes searched as one. */
export function federationSuite(shared: () => BackendUnderTest): void {
  describe("federations", () => {
    let backend: SearchBackend;
    let members: readonly { readonly storageId: StorageId; readonly documents: readonly NaiveDocument[] }[];

    beforeAll(async () => {
      ({ backend } = shared());
      members = [
        await libraryOf(backend, BOOKS.slice(0, 2)),
        await libraryOf(backend, BOOKS.slice(2)),
        await libraryOf(backend, BOOKS.slice(0, 1)),
      ];
    });

    const federated = (plans: readonly (SearchPlan | null)[], weights = [1, 1, 1]): FederationMember[] =>
      plans.map((plan, i) => ({ storageId: members[i]!.storageId, plan, weight: weights[i]! }));
    const oracle = (plans: readonly (SearchPlan | null)[], weights = [1, 1, 1]) =>
      searchNaively(
        plans.map((plan, i) => ({
          schema: LIBRARY,
          documents: members[i]!.documents,
          plan,
          weight: weights[i]!,
        })),
      );

    test.each(QUERY_CASES)("rank by the statistics of all members together: %s", async (_, ast) => {
      for (const weights of [
        [1, 1, 1],
        [1, 2.5, 0.5],
      ]) {
        const plans = [planOf(ast), planOf(ast), planOf(ast)];
        const expected = oracle(plans, weights);
        const found = await backend.searchFederation(federated(plans, weights));
        expect(found.count).toBe(expected.count);
        expect(found.hits.map(({ memberIndex, documentId }) => [memberIndex, documentId])).toEqual(
          expected.hits.map(({ memberIndex, documentId }) => [memberIndex, documentId]),
        );
        for (const [i, { score }] of expected.hits.entries())
          expect(found.hits[i]!.score).toBeCloseTo(score, SCORE_DIGITS);
      }
    });

    test("a member that is left out gives no hits and no facets, and counts in the statistics", async () => {
      const plan = planOf({ kind: "term", field: "title", term: "tale" }, { facets: ["shelf"] });
      const expected = oracle([plan, null, null]);
      const found = await backend.searchFederation(federated([plan, null, null]));
      expect(idsOf(found.hits)).toEqual(["a"]);
      expect(found.hits[0]!.score).toBeCloseTo(expected.hits[0]!.score, SCORE_DIGITS);
      const alone = await backend.search(members[0]!.storageId, plan);
      expect(found.hits[0]!.score).not.toBeCloseTo(alone.hits[0]!.score, SCORE_DIGITS);
      expect(found.facets[0]!.nodes).toEqual([
        { path: "/fiction", count: 1, children: [{ path: "/fiction/drama", count: 1 }] },
      ]);
    });

    test("of members that are all left out nothing is found", async () => {
      const { count, hits, facets } = await backend.searchFederation(federated([null, null]));
      expect({ count, hits, facets }).toEqual({ count: 0, hits: [], facets: [] });
    });

    test("facets are merged by field and path", async () => {
      const plan = planOf(EVERYTHING, { facets: ["shelf"], limit: 0 });
      const found = await backend.searchFederation(federated([plan, plan, plan]));
      expect(found.count).toBe(6);
      expect(found.facets.map(({ field, nodes }) => ({ field, nodes }))).toEqual(
        oracle([plan, plan, plan]).facets,
      );
    });

    test("by value across members, ties by member and then by insertion; pages put together are the whole", async () => {
      const plan = planOf(EVERYTHING, { orderBy: [{ kind: "field", field: "count", descending: false }] });
      const whole = await backend.searchFederation(federated([plan, plan, plan]));
      expect(whole.hits.map(({ memberIndex }, i) => [memberIndex, idsOf(whole.hits)[i]])).toEqual([
        [0, "a"],
        [1, "d"],
        [2, "a"],
        [0, "b"],
        [1, "c"],
        [1, "e"],
      ]);
      const pages: unknown[] = [];
      for (let offset = 0; offset < 6; offset += 2) {
        const page = { ...plan, offset, limit: 2 };
        pages.push(...idsOf((await backend.searchFederation(federated([page, page, page]))).hits));
      }
      expect(pages).toEqual(idsOf(whole.hits));
    });

    test("a word counts as there if any member has it", async () => {
      const ast: QueryAst = {
        kind: "boolean",
        clauses: [
          { occur: "must", ast: { kind: "term", field: "title", term: "tale" } },
          { occur: "must_if_present", word: "summer", ast: { kind: "term", field: "title", term: "summer" } },
        ],
      };
      const plan = planOf(ast);
      expect(idsOf((await backend.searchFederation(federated([plan, null, null]))).hits)).toEqual(["a"]);
      expect(idsOf((await backend.searchFederation(federated([plan, plan, null]))).hits)).toEqual(["c"]);
    });

    test("a member that isn't there fails the whole", async () => {
      const plan = planOf(EVERYTHING);
      const all = [...federated([plan]), { storageId: newStorageId(), plan, weight: 1 }];
      await expect(backend.searchFederation(all)).rejects.toMatchObject({ code: "index_not_found" });
      await expect(backend.openFederatedSearch(all)).rejects.toMatchObject({ code: "index_not_found" });
    });
  });
}
