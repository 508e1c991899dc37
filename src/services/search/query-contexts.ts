import type { SearchLimits } from "../../contract/search-body.js";
import type { CatalogIndex } from "../../ports/catalog.js";
import { indexQueryContext } from "../../query/index-query-context.js";
import type { QueryLimits, SearchedIndex } from "../../query/searched-index.js";

/** The query context of each index, made once for each state of its settings. */
export class QueryContexts {
  readonly #contexts = new WeakMap<CatalogIndex, SearchedIndex>();
  readonly #limits: QueryLimits;

  constructor({ maxQueryDepth, maxQueryTerms }: SearchLimits) {
    this.#limits = { depthMax: maxQueryDepth, termsMax: maxQueryTerms };
  }

  of(index: CatalogIndex): SearchedIndex {
    let context = this.#contexts.get(index);
    if (context === undefined) {
      context = indexQueryContext(index.schema, index, this.#limits);
      this.#contexts.set(index, context);
    }
    return context;
  }
}
