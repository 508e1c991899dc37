import type { SearchResult } from "../../contract/search.js";
import { FindlingError } from "../../errors/index.js";
import type { Catalog } from "../../ports/catalog.js";
import type { SearchBackend } from "../../ports/search-backend.js";

export interface SearchServicePorts {
  readonly catalog: Catalog;
  readonly backend: SearchBackend;
}

/** Contract 8: limits of one search request. */
export interface SearchLimits {
  readonly defaultLimit: number;
  readonly maxLimit: number;
  readonly maxClauses: number;
  /** In code points. */
  readonly maxContextLength: number;
}

export const DEFAULT_SEARCH_LIMITS: SearchLimits = {
  defaultLimit: 20,
  maxLimit: 200,
  maxClauses: 64,
  maxContextLength: 10_000,
};

export class SearchService {
  readonly #ports: SearchServicePorts;
  readonly #limits: SearchLimits;

  constructor(ports: SearchServicePorts, limits: SearchLimits) {
    this.#ports = ports;
    this.#limits = limits;
  }

  /** @throws FindlingError `index_not_found`; then every error of contract 3.4 */
  search(_indexName: string, _body: unknown): Promise<SearchResult> {
    throw new FindlingError("internal", `being written ${Object.keys(this.#ports)} ${this.#limits}`);
  }
}
