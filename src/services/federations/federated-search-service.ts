import type { SearchRequest, SearchResult } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { FederatedSearchResult, SearchBackend } from "../../ports/search-backend.js";
import { compileFederatedSearch } from "../../query/compile-federated-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchedIndex } from "../../query/searched-index.js";
import { HitView } from "../search/hit-view.js";
import type { QueryContexts } from "../search/query-contexts.js";
import { shownFacets } from "../search/shown-facets.js";
import { Stopwatch } from "../search/stopwatch.js";
import { requireFederation } from "./require-federation.js";

export interface FederatedSearchServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly queryContexts: QueryContexts;
}

/** An index of the federation that there is. */
interface PresentMember {
  readonly index: CatalogIndex;
  readonly context: SearchedIndex;
  /** Null if the request leaves the index out. */
  readonly plan: SearchPlan | null;
  readonly weight: number;
}

interface FederatedSearch {
  readonly members: readonly PresentMember[];
  readonly result: FederatedSearchResult;
}

const NOTHING: FederatedSearchResult = { count: 0, hits: [], facets: [] };

/** Searches of a federation (contract 3.4, 5.8). */
export class FederatedSearchService {
  readonly #ports: FederatedSearchServicePorts;
  readonly #limits: SearchLimits;
  readonly #stopwatch = new Stopwatch();

  constructor(ports: FederatedSearchServicePorts, limits: SearchLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * Indexes that have been deleted are skipped, those that lack what the request names are left out.
   *
   * @param body as it was sent: whether the federation exists is asked before its shape is
   * @throws FindlingError `federation_not_found`; then `invalid_request`, `limit_too_large`,
   *   `minimum_should_match_too_large`; `query_syntax`, `field_not_indexed`, `invalid_field_value`,
   *   `invalid_order_by` if no index is left
   */
  async search(name: string, body: unknown): Promise<SearchResult> {
    const start = this.#stopwatch.start();
    requireFederation(this.#ports.catalog, name);
    const request = parseSearchBody(body, this.#limits);
    const { members, result } = await this.#searchCurrent(name, request);
    const extensions = request.extensions ?? {};
    const views = members.map(({ context, plan }) =>
      plan === null ? null : new HitView(extensions, context, plan.ast),
    );
    const facets = shownFacets(
      [...result.facets, ...emptyFacets(members, request, result)],
      extensions,
      members.map(({ context }) => context.schema),
    );
    return {
      hits: result.hits.map((hit) => views[hit.memberIndex]!.show(hit)),
      count: result.count,
      time_taken: this.#stopwatch.secondsSince(start),
      ...(facets.length === 0 ? {} : { facets }),
    };
  }

  /** Searches again where an index was replaced or deleted, and its data dropped, before the search had begun. */
  async #searchCurrent(name: string, request: SearchRequest): Promise<FederatedSearch> {
    const { catalog, backend, clock } = this.#ports;
    const nowMs = clock.now();
    for (;;) {
      const members = this.#members(name, request, nowMs);
      if (members.every(({ plan }) => plan === null)) return { members, result: NOTHING };
      try {
        const searched = members.map(({ index, plan, weight }) => ({
          storageId: index.storageId,
          plan,
          weight,
        }));
        return { members, result: await backend.searchFederation(searched) };
      } catch (error) {
        const areCurrent = members.every(
          ({ index }) => catalog.index(index.schema.name)?.storageId === index.storageId,
        );
        // Ends: each turn takes a replacement of an index, which takes far longer than this.
        if (areCurrent) throw error;
      }
    }
  }

  #members(name: string, request: SearchRequest, nowMs: number): readonly PresentMember[] {
    const { catalog, queryContexts } = this.#ports;
    const present = requireFederation(catalog, name).index_configurations.flatMap((configuration) => {
      const index = catalog.index(configuration.name);
      if (index === undefined) return [];
      return [{ index, context: queryContexts.of(index), weight: configuration.weight_multiplier }];
    });
    const contexts = present.map(({ context }) => context);
    const plans = compileFederatedSearch(request, contexts, nowMs);
    return present.map((member, i) => ({ ...member, plan: plans[i] ?? null }));
  }
}

/** Facet fields that only indexes have which are left out: named all the same (contract 3.4). */
function emptyFacets(
  members: readonly PresentMember[],
  { extensions }: SearchRequest,
  { facets }: FederatedSearchResult,
): FederatedSearchResult["facets"] {
  const counted = new Set(facets.map(({ field }) => field));
  const fields = members
    .flatMap(({ context }) => Object.entries(context.schema.fields))
    .filter(([name, { type }]) => type === "facet" && (extensions?.facets?.has(name) ?? true))
    .map(([name]) => name);
  return [...new Set(fields)].filter((field) => !counted.has(field)).map((field) => ({ field, nodes: [] }));
}
