import { searchIndex } from "../adapters/embedded/search-index.js";
import { parsedDocument } from "../contract/document-json.js";
import { type Explanation, type FacetNode, type Searcher, TimeLimit } from "../engine/server-door.js";
import { compileSearch } from "../query/compile-search.js";
import type { SearchPlan } from "../query/search-plan.js";
import type { SearchedIndex } from "../query/searched-index.js";
import { SuggestionCollector } from "../query/suggestion-collector.js";
import type { CheckedSearch } from "./checked-search.js";
import type { Suggestions, TextHit, TextSearchResult } from "./text-search-result.js";

/** Documents that completions are gathered from. */
const SUGGESTING_DOCUMENTS = 100;

type Found = ReturnType<typeof searchIndex>;

/** @throws FindlingError as `compileSearch`, `search_timeout` */
export function runTextSearch(
  searcher: Searcher,
  index: SearchedIndex,
  { request, weights, timeLimitMs }: CheckedSearch,
): TextSearchResult {
  const searched =
    weights === null ? index : { ...index, schema: { ...index.schema, weight_multipliers: weights } };
  const { count, hits, facets } = run(searcher, compileSearch(request, searched, Date.now()), timeLimitMs);
  return {
    count,
    hits: hits.map(shownHit),
    facets: Object.fromEntries(
      facets.map(({ field, nodes }): [string, readonly FacetNode[]] => [field, nodes]),
    ),
  };
}

export function runSuggest(
  searcher: Searcher,
  index: SearchedIndex,
  text: string,
  limit: number,
): Suggestions {
  const collector = new SuggestionCollector(index, text);
  if (collector.ast === null) return { completions: [], titles: [] };
  const plan = { ast: collector.ast, offset: 0, limit: SUGGESTING_DOCUMENTS, facets: [] };
  for (const { documentId, docJson } of run(searcher, plan, Number.POSITIVE_INFINITY).hits)
    collector.add(documentId, parsedDocument(docJson));
  return {
    completions: collector.completions(limit),
    titles: collector
      .titles(limit)
      .map(({ text: title, document_id: documentId }) => ({ text: title, documentId })),
  };
}

/** Here everything runs where it is called, however long it takes within its limit. */
function run(searcher: Searcher, plan: SearchPlan, timeLimitMs: number): Found {
  return searchIndex(searcher, plan, { interrupt: new TimeLimit(timeLimitMs), admit: () => undefined });
}

function shownHit({
  documentId,
  score,
  docJson,
  highlightsJson,
  explanationJson,
}: Found["hits"][number]): TextHit {
  return {
    documentId,
    score,
    document: parsedDocument(docJson),
    ...(highlightsJson === undefined
      ? {}
      : { highlights: parsedDocument(highlightsJson) as Record<string, string[]> }),
    ...(explanationJson === undefined
      ? {}
      : { explanation: parsedDocument(explanationJson) as unknown as Explanation }),
  };
}
