import type { Searcher } from "../../engine/index.js";
import type { BackendSearchResult } from "../../ports/search-backend.js";
import { hasScores, type SearchPlan } from "../../query/search-plan.js";
import { lowerQuery } from "./lower-query.js";

/** Runs a plan on one snapshot of an index. */
export function searchIndex(searcher: Searcher, plan: SearchPlan): BackendSearchResult {
  const { offset, limit, facets, orderBy, timeDecay } = plan;
  const query = lowerQuery(plan.ast, searcher);
  const result = searcher.search({
    query,
    offset,
    limit,
    facets,
    ...(orderBy === undefined ? {} : { orderBy }),
    ...(timeDecay === undefined ? {} : { timeDecay }),
  });
  // Hits that are ordered by values alone have no score to explain.
  const explains = plan.explain === true && hasScores(plan);
  return {
    count: result.count,
    hits: result.hits.map(({ documentId, score, json }) => {
      const explanation = explains ? searcher.explain(query, documentId, undefined, timeDecay) : null;
      return { documentId, score, docJson: json, ...(explanation === null ? {} : { explanation }) };
    }),
    facets: [...result.facets, ...multiSelectFacets(searcher, plan)],
  };
}

/** Counts of facet fields over the matches of a query of their own each. */
export function multiSelectFacets(searcher: Searcher, plan: SearchPlan): BackendSearchResult["facets"] {
  return (plan.multiSelectFacets ?? []).flatMap(
    ({ field, ast }) =>
      searcher.search({ query: lowerQuery(ast, searcher), offset: 0, limit: 0, facets: [field] }).facets,
  );
}
