import type { Searcher } from "../../../engine/index.js";
import type { BackendSearchResult, FederatedSearchResult } from "../../../ports/search-backend.js";
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
  /** Why hits that the same search has found before score what they score. */
  | { readonly kind: "explanations"; readonly places: HitPlaces };

export type SearchOutcome =
  | { readonly kind: "page"; readonly result: BackendSearchResult | FederatedSearchResult }
  | { readonly kind: "order"; readonly order: HitOrder }
  /** JSON in UTF-8, by place; null: the plan wants none. */
  | { readonly kind: "explanations"; readonly texts: readonly Uint8Array[] | null };

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
    return { kind: "explanations", texts: search.explain(hits, { offset: 0, limit: hits.length }) };
  }
  const result = isFederated
    ? searchFederation(withSearchers(members, searchers), admission)
    : searchIndex(searchers[0]!, members[0]!.plan!, admission);
  return { kind: "page", result };
}

/**
 * The outcome for another thread: counts as numbers name paths by what this one alone has, and documents share buffers
 * with others, which would go along. Here they are copied into one of their own, and explanations behind them: as trees
 * they would keep the other thread busy for longer than it may be.
 */
export function toPlainOutcome(outcome: SearchOutcome): SearchOutcome {
  if (outcome.kind === "order") return outcome;
  if (outcome.kind === "explanations") {
    return { kind: "explanations", texts: outcome.texts === null ? null : inOneBuffer(outcome.texts) };
  }
  const { result } = outcome;
  const facets = result.facets.map(({ field, nodes }) => ({ field, nodes }));
  const texts = inOneBuffer(
    result.hits.flatMap(({ docJson, explanationJson }) =>
      explanationJson === undefined ? [docJson] : [docJson, explanationJson],
    ),
  );
  let next = 0;
  const hits = result.hits.map((hit) => ({
    ...hit,
    docJson: texts[next++]!,
    ...(hit.explanationJson === undefined ? {} : { explanationJson: texts[next++]! }),
  }));
  return { kind: "page", result: { ...result, facets, hits } };
}

function inOneBuffer(texts: readonly Uint8Array[]): Uint8Array[] {
  const buffer = new Uint8Array(texts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  return texts.map((text) => {
    const start = end;
    buffer.set(text, start);
    end += text.length;
    return buffer.subarray(start, end);
  });
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
