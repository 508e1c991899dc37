import { describe, expect, test } from "vitest";
import type { OrderKey } from "../../../src/contract/order-key.js";
import type { Facet, FacetNode, ScoreExplanation } from "../../../src/contract/search.js";
import type { QueryAst } from "../../../src/query/query-ast.js";
import type { SearchPlan } from "../../../src/query/search-plan.js";
import type { BackendCase } from "./backend-under-test.js";
import { EVERYTHING, idsOf, planOf } from "./library.js";
import type { SharedLibrary } from "./query-suite.js";

const WINTER: QueryAst = { kind: "term", field: "title", term: "winter" };

/** What comes with hits and in which order: facets, orders, pages, explanations. */
export function resultSuite(shared: () => SharedLibrary, { exceptions = {} }: BackendCase): void {
  const search = async (plan: SearchPlan) => shared().under.backend.search(shared().storageId, plan);

  describe("facets", () => {
    test("of all documents, every ancestor, by count and then by path", async () => {
      const { facets } = await search(planOf(EVERYTHING, { facets: ["shelf", "tags"], limit: 0 }));
      expect(plain(facets)).toEqual([
        {
          field: "shelf",
          nodes: [
            {
              path: "/fiction",
              count: 3,
              children: [
                {
                  path: "/fiction/drama",
                  count: 2,
                  children: [{ path: "/fiction/drama/tragedy", count: 1 }],
                },
              ],
            },
            { path: "/nonfiction", count: 1, children: [{ path: "/nonfiction/nature", count: 1 }] },
          ],
        },
        {
          field: "tags",
          nodes: [
            { path: "/new", count: 2 },
            { path: "/sale", count: 1, children: [{ path: "/sale/half", count: 1 }] },
          ],
        },
      ]);
    });

    test("of all matches, not of the page", async () => {
      const { facets, hits } = await search(planOf(WINTER, { facets: ["tags"], offset: 1, limit: 1 }));
      expect(hits).toHaveLength(1);
      expect(plain(facets)).toEqual([
        {
          field: "tags",
          nodes: [
            { path: "/new", count: 1 },
            { path: "/sale", count: 1, children: [{ path: "/sale/half", count: 1 }] },
          ],
        },
      ]);
    });

    test("over another query each, behind the others", async () => {
      const narrow: QueryAst = { kind: "facet", field: "shelf", paths: ["/nonfiction"] };
      const { count, facets } = await search(
        planOf(narrow, { facets: ["tags"], multiSelectFacets: [{ field: "shelf", ast: EVERYTHING }] }),
      );
      expect(count).toBe(1);
      expect(plain(facets)).toEqual([
        { field: "tags", nodes: [] },
        {
          field: "shelf",
          nodes: expect.arrayContaining([expect.objectContaining({ path: "/fiction", count: 3 })]),
        },
      ]);
    });
  });

  describe("orders", () => {
    test.each([
      ["numbers, up", [by("count")], ["a", "d", "b", "c", "e"]],
      [
        "numbers, down, documents without one at the end all the same",
        [by("count", true)],
        ["c", "b", "a", "d", "e"],
      ],
      ["negative numbers beyond 2^53", [by("delta")], ["c", "a", "b", "d", "e"]],
      ["fractions", [by("price")], ["c", "d", "b", "a", "e"]],
      ["instants", [by("at", true)], ["b", "a", "c", "d", "e"]],
      ["booleans", [by("flag")], ["b", "a", "c", "d", "e"]],
      ["text, without regard to case", [by("title")], ["d", "c", "a", "b", "e"]],
      ["identifiers", [by("id", true)], ["e", "d", "c", "b", "a"]],
      ["ties by the next key", [by("count"), by("price")], ["d", "a", "b", "c", "e"]],
    ] as const)("by %s", async (_, orderBy, expected) => {
      const { hits } = await search(planOf(EVERYTHING, { orderBy }));
      expect(idsOf(hits)).toEqual(expected);
      expect(hits.map(({ score }) => score)).toEqual(expected.map(() => 1));
    });

    test("by relevance among other keys, with scores", async () => {
      const ast: QueryAst = {
        kind: "boolean",
        clauses: [
          { occur: "filter", ast: EVERYTHING },
          { occur: "should", ast: { kind: "constant_score", ast: WINTER, score: 2 } },
        ],
      };
      const orderBy: readonly OrderKey[] = [{ kind: "score", descending: true }, by("id", true)];
      const { hits } = await search(planOf(ast, { orderBy }));
      expect(idsOf(hits)).toEqual(["d", "a", "e", "c", "b"]);
      expect(hits.map(({ score }) => score)).toEqual([2, 2, 0, 0, 0]);
    });
  });

  describe("pages", () => {
    test("put together they are the whole, however long", async () => {
      const all = idsOf((await search(planOf(EVERYTHING, { orderBy: [by("price")] }))).hits);
      for (const limit of [1, 2, 3, 5]) {
        const pages: unknown[] = [];
        for (let offset = 0; offset < 6; offset += limit)
          pages.push(
            ...idsOf((await search(planOf(EVERYTHING, { orderBy: [by("price")], offset, limit }))).hits),
          );
        expect(pages).toEqual(all);
      }
    });

    test("behind the end there are no hits, and a limit of 0 asks for none; the count is there", async () => {
      for (const page of [
        { offset: 5, limit: 10 },
        { offset: 5000, limit: 1 },
        { offset: 0, limit: 0 },
      ]) {
        const { count, hits } = await search(planOf(EVERYTHING, page));
        expect({ count, hits }).toEqual({ count: 5, hits: [] });
      }
    });
  });

  describe("explanations", () => {
    test("say what a hit's score is, down to its parts", async () => {
      const { hits } = await search(planOf(WINTER, { explain: true }));
      expect(hits).toHaveLength(2);
      for (const { score, explanationJson } of hits) {
        const explanation = JSON.parse(new TextDecoder().decode(explanationJson)) as ScoreExplanation;
        expect(explanation.value).toBe(score);
        const nodes = nodesOf(explanation);
        for (const node of nodes)
          expect(node).toEqual({
            value: expect.any(Number),
            description: expect.stringMatching(/./),
            details: expect.any(Array),
          });
        if (exceptions["explanations without details"] === undefined) expect(nodes.length).toBeGreaterThan(1);
      }
    });

    test("come only if they are asked for, and where there are scores", async () => {
      for (const plan of [planOf(WINTER), planOf(WINTER, { explain: true, orderBy: [by("count")] })])
        for (const hit of (await search(plan)).hits) expect(hit.explanationJson).toBeUndefined();
    });
  });

  describe("what is wrong with a query", () => {
    test.each<[string, string, SearchPlan]>([
      [
        "a term of a field that isn't there",
        "unknown_field",
        planOf({ kind: "term", field: "colour", term: "red" }),
      ],
      [
        "a range of it",
        "unknown_field",
        planOf({ kind: "value_range", field: "colour", lower: null, upper: null }),
      ],
      ["an order by it", "unknown_field", planOf(EVERYTHING, { orderBy: [by("colour")] })],
      ["a facet of it", "unknown_field", planOf(EVERYTHING, { facets: ["colour"] })],
      ["a term of a number", "invalid_request", planOf({ kind: "term", field: "count", term: "3" })],
      [
        "a range of text",
        "invalid_request",
        planOf({ kind: "value_range", field: "title", lower: null, upper: null }),
      ],
      ["paths of a number", "invalid_request", planOf({ kind: "facet", field: "count", paths: ["/3"] })],
      ["an order by several values", "invalid_order_by", planOf(EVERYTHING, { orderBy: [by("tags")] })],
    ])("is told: %s", async (_, code, plan) => {
      await expect(search(plan)).rejects.toMatchObject({ code });
      const members = [{ storageId: shared().storageId, plan, weight: 1 }];
      await expect(shared().under.backend.searchFederation(members)).rejects.toMatchObject({ code });
      await expect(shared().under.backend.openSearch(shared().storageId, plan)).rejects.toMatchObject({
        code,
      });
    });
  });

  describe("a caller who has gone", () => {
    test("may be told so, or answered", async () => {
      const gone = { isGone: true, whenGone: () => () => undefined };
      const { backend } = shared().under;
      const answered = Promise.resolve(backend.search(shared().storageId, planOf(WINTER), gone));
      await expect(
        answered.then(
          ({ count }) => count,
          ({ code }: { readonly code: string }) => code,
        ),
      ).resolves.toSatisfy((outcome) => outcome === 2 || outcome === "search_timeout");
    });
  });
}

function by(field: string, descending = false): OrderKey {
  return { kind: "field", field, descending };
}

function plain(
  facets: readonly Facet[],
): readonly { readonly field: string; readonly nodes: readonly FacetNode[] }[] {
  return facets.map(({ field, nodes }) => ({ field, nodes }));
}

function nodesOf(explanation: ScoreExplanation): readonly ScoreExplanation[] {
  return [explanation, ...explanation.details.flatMap(nodesOf)];
}
