import type { SearchLimits } from "../../contract/search-body.js";
import type { SearchExtensions } from "../../contract/search-extensions.js";
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

  /** As `of`, with what the request says in place of the index's settings. */
  asked(index: CatalogIndex, { weights, synonyms }: SearchExtensions): SearchedIndex {
    const context = this.of(index);
    if (weights === undefined && synonyms !== false) return context;
    const { synonyms: own, ...rest } = context;
    const { schema } = context;
    const asked =
      weights === undefined
        ? schema
        : { ...schema, weight_multipliers: { ...schema.weight_multipliers, ...Object.fromEntries(weights) } };
    return {
      ...rest,
      schema: asked,
      ...(synonyms === false || own === undefined ? {} : { synonyms: own }),
    };
  }
}
