import type { SearchResult } from "../../contract/search.js";
import { parseSearchBody, type SearchLimits } from "../../contract/search-body.js";
import type { Catalog, CatalogIndex } from "../../ports/catalog.js";
import type { Clock } from "../../ports/clock.js";
import type { BackendSearchResult, SearchBackend } from "../../ports/search-backend.js";
import { compileSearch } from "../../query/compile-search.js";
import type { SearchPlan } from "../../query/search-plan.js";
import { requireIndex } from "../indexes/require-index.js";
import type { QueryContexts } from "./query-contexts.js";
import { Stopwatch } from "./stopwatch.js";

export interface SearchServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
  readonly clock: Clock;
  readonly queryContexts: QueryContexts;
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
    const { hits, count, facets } = await this.#searchCurrent(indexName, (index) =>
      compileSearch(request, this.#ports.queryContexts.of(index), nowMs),
    );
    return {
      hits: hits.map(({ docJson, documentId, score }) => ({
        docJson,
        document_id: documentId,
        score,
        source_index: indexName,
      })),
      count,
      time_taken: this.#stopwatch.secondsSince(start),
      ...(facets.length === 0 ? {} : { facets: facets.map(({ field, nodes }) => ({ [field]: nodes })) }),
    };
  }

  /** Searches again where the index was replaced, and its data dropped, before the search had begun. */
  async #searchCurrent(
    indexName: string,
    compile: (index: CatalogIndex) => SearchPlan,
  ): Promise<BackendSearchResult> {
    const { catalog, backend } = this.#ports;
    for (;;) {
      const index = requireIndex(catalog, indexName);
      const plan = compile(index);
      try {
        return await backend.search(index.storageId, plan);
      } catch (error) {
        // Ends: each turn takes a replacement of the index, which takes far longer than this.
        if (requireIndex(catalog, indexName).storageId === index.storageId) throw error;
      }
    }
  }
}
