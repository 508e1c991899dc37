import type { Searcher } from "../../../engine/server-door.js";
import type {
  BackendSearchResult,
  FederatedHit,
  FederatedSearchResult,
} from "../../../ports/search-backend.js";
import type { SearchPlan } from "../../../query/search-plan.js";
import { BoundSearch } from "../bound-search.js";
import { searchFederation } from "../search-federation.js";
import { searchIndex } from "../search-index.js";
import type { SearchAdmission } from "../search-patience.js";
import { type HitOrder, type HitPlaces, hitOrderOf, PlacedHits } from "./hit-order.js";
import type { PageMessage, PageReceiver, PageSender } from "./page-message.js";

/** A search as plain data, which every thread that has the snapshots can run. */
export interface SearchTask {
  /** Whether the members are searched as one (contract 5.8); else there is one, with a plan. */
  readonly isFederated: boolean;
  readonly members: readonly { readonly plan: SearchPlan | null; readonly weight: number }[];
  readonly wanted: SearchWish;
}

export type SearchWish =
  /** The plan's, with its documents. */
  | { readonly kind: "page" }
  /** Places of so many hits in order, from the first one on. */
  | { readonly kind: "order"; readonly depth: number }
  /** Hits that the same search has found before, with all that the plan asks for beside their documents. */
  | { readonly kind: "hits"; readonly places: HitPlaces };

export type SearchOutcome =
  | { readonly kind: "page"; readonly result: BackendSearchResult | FederatedSearchResult }
  | { readonly kind: "order"; readonly order: HitOrder }
  /** By place. */
  | { readonly kind: "hits"; readonly hits: readonly FederatedHit[] };

/**
 * Runs a search on the members' snapshots.
 *
 * @throws TooDear if the admission says so; FindlingError `search_timeout`, and what the search throws
 */
export function runTask(
  { isFederated, members, wanted }: SearchTask,
  searchers: readonly Searcher[],
  admission: SearchAdmission,
): SearchOutcome {
  if (wanted.kind !== "page") {
    const search = bindTask({ isFederated, members }, searchers, admission);
    if (wanted.kind === "order") {
      return { kind: "order", order: hitOrderOf(search.rank({ offset: 0, limit: wanted.depth })) };
    }
    const hits = new PlacedHits(wanted.places);
    return { kind: "hits", hits: search.hits(hits, { offset: 0, limit: hits.length }) };
  }
  const result = isFederated
    ? searchFederation(withSearchers(members, searchers), admission)
    : searchIndex(searchers[0]!, members[0]!.plan!, admission);
  return { kind: "page", result };
}

/** An outcome on its way to another thread: documents and what they are shown with as JSON, whose trees would keep it busy. */
export type OutcomeMessage =
  | { readonly kind: "page" | "hits"; readonly page: PageMessage }
  | Extract<SearchOutcome, { readonly kind: "order" }>;

/** The outcome for another thread. */
export function toOutcomeMessage(outcome: SearchOutcome, pages: PageSender): OutcomeMessage {
  switch (outcome.kind) {
    case "page":
      return { kind: "page", page: pages.message(outcome.result) };
    case "hits":
      return { kind: "hits", page: pages.message({ count: 0, hits: outcome.hits, facets: [] }) };
    case "order":
      return outcome;
  }
}

/** What `toOutcomeMessage` has made a message of. */
export function fromOutcomeMessage(message: OutcomeMessage, pages: PageReceiver): SearchOutcome {
  if (message.kind === "order") return message;
  const result = pages.page(message.page);
  return message.kind === "page"
    ? { kind: "page", result }
    : { kind: "hits", hits: result.hits as readonly FederatedHit[] };
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
