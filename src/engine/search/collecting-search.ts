import type { EngineSchema } from "../schema/engine-schema.js";
import { BestDocuments } from "./collectors/best-documents.js";
import type { FacetTrees } from "./collectors/facet-trees.js";
import { MatchesSearch } from "./matches-search.js";
import type { RankedFacet, RankedHits, RankedResult, SearchOptions } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import type { Weight } from "./weights/weight.js";

const NO_NAMES: readonly string[] = [];

/** Numbers that the facets of all documents take at most in a snapshot, together; those of more are counted each time. */
const KEPT_ENTRIES_MAX = 1 << 16;

/** Searches for more than the most relevant documents: orders by values, facets, and counts alone. */
export class CollectingSearch {
  readonly #schema: EngineSchema;
  readonly #segments: readonly SegmentStatistics[];
  /** Live documents. */
  readonly #docCount: number;
  readonly #facetTrees: FacetTrees;
  /** By field, the facets of all documents, which pages ask for before anything is searched for. */
  readonly #facetsOfAll = new Map<string, RankedFacet>();
  #keptEntries = 0;

  /** @param segments of the snapshot, in insertion order */
  constructor(schema: EngineSchema, segments: readonly SegmentStatistics[], facetTrees: FacetTrees) {
    this.#schema = schema;
    this.#segments = segments;
    this.#docCount = segments.reduce((sum, { segment }) => sum + segment.docCount, 0);
    this.#facetTrees = facetTrees;
  }

  /**
   * @param weight the query, bound to what scores depend on
   * @param kept hits from the first one on
   * @param beginning as for `Searcher.rank`
   * @throws FindlingError as `Searcher.search`
   */
  rank(weight: Weight, kept: number, options: SearchOptions, beginning: RankedHits | null): RankedResult {
    const { facets } = options;
    const withFacets = facets !== undefined && facets.length > 0;
    if (withFacets && options.query.kind === "match_all")
      return this.#rankAll(weight, kept, options, facets, beginning);
    return this.#collect(weight, kept, options, beginning);
  }

  #collect(weight: Weight, kept: number, options: SearchOptions, beginning: RankedHits | null): RankedResult {
    const search = new MatchesSearch(this.#schema, this.#segments, this.#facetTrees, weight, kept, options);
    return search.result(beginning);
  }

  /** All documents, with facets: those are the snapshot's own, and counted once. */
  #rankAll(
    weight: Weight,
    kept: number,
    options: SearchOptions,
    names: readonly string[],
    beginning: RankedHits | null,
  ): RankedResult {
    const known = this.#knownFacetsOfAll(names);
    if (known === null) {
      const counted = this.#collect(weight, kept, options, beginning);
      for (const facet of counted.facets) this.#keepFacetOfAll(facet);
      return counted;
    }
    if (options.limit === 0) return { count: this.#docCount, hits: new BestDocuments([], []), facets: known };
    return { ...this.rank(weight, kept, { ...options, facets: NO_NAMES }, beginning), facets: known };
  }

  /** Null unless all of them are. */
  #knownFacetsOfAll(names: readonly string[]): readonly RankedFacet[] | null {
    const known: RankedFacet[] = [];
    for (const name of names) {
      const facet = this.#facetsOfAll.get(name);
      if (facet === undefined) return null;
      known.push(facet);
    }
    return known;
  }

  #keepFacetOfAll(facet: RankedFacet): void {
    const entries = facet.counts.entries.length;
    if (this.#facetsOfAll.has(facet.field) || this.#keptEntries + entries > KEPT_ENTRIES_MAX) return;
    this.#facetsOfAll.set(facet.field, facet);
    this.#keptEntries += entries;
  }
}
