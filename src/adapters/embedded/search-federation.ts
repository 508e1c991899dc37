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
  const startMs = performance.now();
  const search = BoundSearch.ofFederation(members, admission);
  const plan = members.find((member) => member.plan !== null)?.plan;
  const { offset = 0, limit = 0 } = plan ?? {};
  const ranked = search.rank({ offset, limit });
  const rankedMs = performance.now();
  const result = { count: ranked.count, hits: search.hits(ranked, { offset, limit }), facets: ranked.facets };
  if (plan?.profile !== true) return result;
  // Hits are read and shown one behind the other.
  return {
    ...result,
    phases: { match: rankedMs - startMs, documents: performance.now() - rankedMs, show: 0 },
  };
}
