import type { SearchHit, SearchRequest } from "../../contract/search.js";
import type { BackendHit } from "../../ports/search-backend.js";
import type { SearchPage } from "./cursor-store.js";

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

/** The page, with what its request named in vain. */
export function withIgnored(page: SearchPage, { ignoredMembers }: SearchRequest): SearchPage {
  return ignoredMembers === undefined ? page : { ...page, ignored_members: ignoredMembers };
}
