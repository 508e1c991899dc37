import type { Searcher } from "../../../engine/index.js";
import type { BackendSearchResult, FederatedSearchResult } from "../../../ports/search-backend.js";
import type { SearchPlan } from "../../../query/search-plan.js";
import { BoundSearch } from "../bound-search.js";
import { searchFederation } from "../search-federation.js";
import { searchIndex } from "../search-index.js";
import type { SearchAdmission } from "../search-patience.js";
import { type HitOrder, hitOrderOf } from "./hit-order.js";

/** A search as plain data, which every thread that has the snapshots can run. */
export interface SearchTask {
  /** Whether the members are searched as one (contract 5.8); else there is one, with a plan. */
  readonly isFederated: boolean;
  readonly members: readonly { readonly plan: SearchPlan | null; readonly weight: number }[];
  /** Which hits in order are wanted, from the first one on; null: the plan's page, with its documents. */
  readonly depth: number | null;
}

export type SearchOutcome =
  | { readonly kind: "page"; readonly result: BackendSearchResult | FederatedSearchResult }
  | { readonly kind: "order"; readonly order: HitOrder };

/**
 * Runs a search on the members' snapshots.
 *
 * @throws TooDear if the admission says so; FindlingError `search_timeout`, and what the search throws
 */
export function runTask(
  { isFederated, members, depth }: SearchTask,
  searchers: readonly Searcher[],
  admission: SearchAdmission,
): SearchOutcome {
  if (depth !== null) {
    const search = bindTask({ isFederated, members }, searchers, admission);
    return { kind: "order", order: hitOrderOf(search.rank({ offset: 0, limit: depth })) };
  }
  const result = isFederated
    ? searchFederation(withSearchers(members, searchers), admission)
    : searchIndex(searchers[0]!, members[0]!.plan!, admission);
  return { kind: "page", result };
}

/**
 * The outcome for another thread: counts as numbers name paths by what this one alone has, and documents share buffers
 * with others, which would go along. Here they are copied into one of their own.
 */
export function toPlainOutcome(outcome: SearchOutcome): SearchOutcome {
  if (outcome.kind === "order") return outcome;
  const { result } = outcome;
  const facets = result.facets.map(({ field, nodes }) => ({ field, nodes }));
  const documents = new Uint8Array(result.hits.reduce((sum, { docJson }) => sum + docJson.length, 0));
  let end = 0;
  const hits = result.hits.map((hit) => {
    const start = end;
    end += hit.docJson.length;
    documents.set(hit.docJson, start);
    return { ...hit, docJson: documents.subarray(start, end) };
  });
  return { kind: "page", result: { ...result, facets, hits } };
}

/** The search without its page. */
export function bindTask(
  { isFederated, members }: Pick<SearchTask, "isFederated" | "members">,
  searchers: readonly Searcher[],
  admission: SearchAdmission,
): BoundSearch {
  return isFederated
    ? BoundSearch.ofFederation(withSearchers(members, searchers), admission)
    : BoundSearch.ofIndex(searchers[0]!, members[0]!.plan!, admission);
}

function withSearchers<Member>(
  members: readonly Member[],
  searchers: readonly Searcher[],
): (Member & { readonly searcher: Searcher })[] {
  return members.map((member, i) => ({ ...member, searcher: searchers[i]! }));
}
