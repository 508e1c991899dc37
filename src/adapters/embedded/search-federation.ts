import type { FederatedSearchResult } from "../../ports/search-backend.js";
import { BoundSearch, type SearchedMember } from "./bound-search.js";

/** Searches snapshots of several indexes as one (contract 5.8). Only the page's documents are read. */
export function searchFederation(members: readonly SearchedMember[]): FederatedSearchResult {
  const search = BoundSearch.ofFederation(members);
  const { offset = 0, limit = 0 } = members.find(({ plan }) => plan !== null)?.plan ?? {};
  const ranked = search.rank({ offset, limit });
  return { count: ranked.count, hits: search.load(ranked, { offset, limit }), facets: ranked.facets };
}
