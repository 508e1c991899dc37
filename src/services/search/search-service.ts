import type { SearchResult } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { BackendSearchResult, SearchBackend } from "../../ports/search-backend.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import type { SearchedIndex } from "../../query/searched-index.js";
import { requireIndex } from "../indexes/require-index.js";
import { HitView, requireExtensionFields } from "./hit-view.js";
import type { QueryContexts } from "./query-contexts.js";
import { shownFacets } from "./shown-facets.js";
import { Stopwatch } from "./stopwatch.js";

export interface SearchServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly queryContexts: QueryContexts;
}

interface CompiledSearch {
  readonly context: SearchedIndex;
  readonly plan: SearchPlan;
}

/** Searches of one index (contract 3.4). */
export class SearchService {
  readonly #ports: SearchServicePorts;
  readonly #limits: SearchLimits;
  readonly #stopwatch = new Stopwatch();

  constructor(ports: SearchServicePorts, limits: SearchLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /**
   * @param body as it was sent: whether the index exists is asked before its shape is
   * @throws FindlingError `index_not_found`; then `invalid_request`, `limit_too_large`,
   *   `minimum_should_match_too_large`, `query_syntax`, `unknown_field`, `field_not_indexed`,
   *   `invalid_field_value`, `invalid_order_by`
   */
  async search(indexName: string, body: unknown): Promise<SearchResult> {
    const start = this.#stopwatch.start();
    requireIndex(this.#ports.catalog, indexName);
    const request = parseSearchBody(body, this.#limits);
    const nowMs = this.#ports.clock.now();
    const extensions = request.extensions ?? {};
    const { result, plan, context } = await this.#searchCurrent(indexName, (index) => {
      const found = this.#ports.queryContexts.of(index);
      requireExtensionFields(extensions, found.schema);
      return { context: found, plan: compileSearch(request, found, nowMs) };
    });
    const view = new HitView(extensions, context, plan.ast);
    const facets = shownFacets(result.facets, extensions, [context.schema]);
    return {
      hits: result.hits.map((hit) => view.show(hit)),
      count: result.count,
      time_taken: this.#stopwatch.secondsSince(start),
      ...(facets.length === 0 ? {} : { facets }),
    };
  }

  /** Searches again where the index was replaced, and its data dropped, before the search had begun. */
  async #searchCurrent(
    indexName: string,
    compile: (index: CatalogIndex) => CompiledSearch,
  ): Promise<CompiledSearch & { readonly result: BackendSearchResult }> {
    const { catalog, backend } = this.#ports;
    for (;;) {
      const index = requireIndex(catalog, indexName);
      const compiled = compile(index);
      try {
        return { ...compiled, result: await backend.search(index.storageId, compiled.plan) };
      } catch (error) {
        // Ends: each turn takes a replacement of the index, which takes far longer than this.
        if (requireIndex(catalog, indexName).storageId === index.storageId) throw error;
      }
    }
  }
}
