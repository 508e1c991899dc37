import type { EngineSchema } from "../schema/engine-schema.js";
import { BestDocuments } from "./collectors/best-documents.js";
import type { FacetTrees } from "./collectors/facet-trees.js";
import { type JoinedMatches, JoinedOrders } from "./collectors/joined-orders.js";
import { MatchesSearch } from "./matches-search.js";
import type { JoinedLists } from "./ranking/joined-lists.js";
import { NO_INTERRUPT, type SearchInterrupt } from "./search-interrupt.js";
import {
  NO_FACETS,
  type RankedFacet,
  type RankedHits,
  type RankedResult,
  type SearchOptions,
} from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { FilterWeight } from "./weights/filter-weight.js";
import { TermWeight } from "./weights/term-weight.js";
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
  /** Null where lists needn't be joined. */
  readonly #joined: JoinedLists | null;
  readonly #orders: JoinedOrders | null;
  /** By field, the facets of all documents, which pages ask for before anything is searched for. */
  readonly #facetsOfAll = new Map<string, RankedFacet>();
  #keptEntries = 0;

  /** @param segments of the snapshot, in insertion order */
  constructor(
    schema: EngineSchema,
    segments: readonly SegmentStatistics[],
    facetTrees: FacetTrees,
    joined: JoinedLists | null,
  ) {
    this.#schema = schema;
    this.#segments = segments;
    this.#docCount = segments.reduce((sum, { segment }) => sum + segment.docCount, 0);
    this.#facetTrees = facetTrees;
    this.#joined = joined;
    this.#orders = joined === null ? null : new JoinedOrders(schema, segments, joined.starts);
  }

  /**
   * @param weight the query, bound to what scores depend on
   * @param kept hits from the first one on
   * @param beginning as for `Searcher.rank`
   * @throws FindlingError as `Searcher.search`
   */
  rank(weight: Weight, kept: number, options: SearchOptions, beginning: RankedHits | null): RankedResult {
    const { orderBy, facets, limit, interrupt = NO_INTERRUPT } = options;
    const withFacets = facets !== undefined && facets.length > 0;
    if (withFacets && options.query.kind === "match_all")
      return this.#rankAll(weight, kept, options, facets, beginning);
    if (limit === 0 && !withFacets && weight instanceof FilterWeight && this.#joined !== null) {
      const marks = weight.marksIn(this.#joined, interrupt);
      if (marks !== null) return { count: marks.count, hits: new BestDocuments([], []), facets: NO_FACETS };
    }
    const isOrdered = orderBy !== undefined && !withFacets && limit > 0;
    const ranked = isOrdered ? this.#rankByWalking(weight, kept, options, interrupt) : null;
    if (ranked !== null) return ranked;
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

  /** Finds the first matches by walking documents in their order; null where it isn't the way to find them. */
  #rankByWalking(
    weight: Weight,
    kept: number,
    { query, orderBy }: SearchOptions,
    interrupt: SearchInterrupt,
  ): RankedResult | null {
    const joined = this.#joined;
    if (joined === null || kept === 0) return null;
    const orders = this.#orders!;
    const isTerm = weight instanceof TermWeight;
    if (!isTerm && !(weight instanceof FilterWeight)) return null;
    let passedMax = isTerm ? orders.passedMax(weight.docFreq, true) : 0;
    if (isTerm && !orders.isWalkedTo(weight.docFreq, kept, passedMax)) return null;
    // Before bits are joined, which nobody would read where the order can't be walked.
    const walked = orders.walked(orderBy!);
    if (walked === null) return null;
    let matches: JoinedMatches | null;
    if (query.kind === "match_all") matches = { count: this.#docCount, bits: null };
    else matches = isTerm ? joined.matchesOf(weight, interrupt) : weight.marksIn(joined, interrupt);
    if (matches === null) return null;
    if (!isTerm) {
      passedMax = orders.passedMax(matches.count, false);
      if (!orders.isWalkedTo(matches.count, kept, passedMax)) return null;
    }
    const inVain = query.kind === "match_all" ? orders.inVainForAll : weight.marked.walksInVain;
    const hits = orders.first(matches, walked, { limit: kept, passedMax, inVain }, interrupt);
    return hits === null ? null : { count: matches.count, hits, facets: NO_FACETS };
  }
}
