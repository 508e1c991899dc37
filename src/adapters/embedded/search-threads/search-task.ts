import type { Searcher } from "../../../engine/index.js";
import type {
  BackendHit,
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

/**
 * The outcome for another thread: counts as numbers name paths by what this one alone has, and documents share buffers
 * with others, which would go along. Here they are copied into one of their own, with what they are shown with: as trees
 * that would keep the other thread busy for longer than it may be.
 */
export function toPlainOutcome(outcome: SearchOutcome): SearchOutcome {
  if (outcome.kind === "order") return outcome;
  if (outcome.kind === "hits") return { kind: "hits", hits: inOneBuffer(outcome.hits) };
  const { result } = outcome;
  const facets = result.facets.map(({ field, nodes }) => ({ field, nodes }));
  return { kind: "page", result: { ...result, facets, hits: inOneBuffer<BackendHit>(result.hits) } };
}

function inOneBuffer<Hit extends BackendHit>(hits: readonly Hit[]): Hit[] {
  const buffer = new Uint8Array(hits.reduce((sum, hit) => sum + bytesOf(hit), 0));
  let end = 0;
  const moved = (text: Uint8Array): Uint8Array => {
    const start = end;
    buffer.set(text, start);
    end += text.length;
    return buffer.subarray(start, end);
  };
  return hits.map((hit) => {
    const { docJson, highlightsJson, explanationJson } = hit;
    return {
      ...hit,
      docJson: moved(docJson),
      ...(highlightsJson === undefined ? {} : { highlightsJson: moved(highlightsJson) }),
      ...(explanationJson === undefined ? {} : { explanationJson: moved(explanationJson) }),
    };
  });
}

function bytesOf({ docJson, highlightsJson, explanationJson }: BackendHit): number {
  return docJson.length + (highlightsJson?.length ?? 0) + (explanationJson?.length ?? 0);
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
