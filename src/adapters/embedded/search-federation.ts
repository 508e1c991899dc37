import type { FederatedSearchResult } from "../../ports/search-backend.js";
import { BoundSearch, type SearchedMember } from "./bound-search.js";
import type { SearchAdmission } from "./search-patience.js";

/**
 * Searches snapshots of several indexes as one (contract 5.8). Only the page's documents are read.
 *
 * @throws TooDear if the admission says so; FindlingError `search_timeout`
 */
export function searchFederation(
  members: readonly SearchedMember[],
  admission: SearchAdmission,
): FederatedSearchResult {
  const search = BoundSearch.ofFederation(members, admission);
  const { offset = 0, limit = 0 } = members.find(({ plan }) => plan !== null)?.plan ?? {};
  const ranked = search.rank({ offset, limit });
  return { count: ranked.count, hits: search.hits(ranked, { offset, limit }), facets: ranked.facets };
}
