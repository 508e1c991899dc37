import type { SearchHit } from "../../contract/search.js";
import type { BackendHit } from "../../ports/search-backend.js";

/** A hit as answers show it. */
export function shownHit(
  { docJson, documentId, score, highlightsJson, explanationJson }: BackendHit,
  indexName: string,
): SearchHit {
  const hit = { docJson, document_id: documentId, score, source_index: indexName };
  if (highlightsJson === undefined && explanationJson === undefined) return hit;
  return {
    ...hit,
    ...(highlightsJson === undefined ? {} : { highlightsJson }),
    ...(explanationJson === undefined ? {} : { explanationJson }),
  };
}
