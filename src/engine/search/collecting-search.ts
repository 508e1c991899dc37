import { countBits } from "../bytes/bitset.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { BestDocuments } from "./collectors/best-documents.js";
import { FacetCollector } from "./collectors/facet-collector.js";
import type { FacetTrees } from "./collectors/facet-trees.js";
import { type JoinedMatches, JoinedOrders } from "./collectors/joined-orders.js";
import { OrderedHits } from "./collectors/ordered-hits.js";
import { RelevantHits } from "./collectors/relevant-hits.js";
import { WindowPool } from "./evaluators/window-pool.js";
import { decayOf, evaluateSegment, rankSegment } from "./rank-segment.js";
import type { JoinedLists } from "./ranking/joined-lists.js";
import { RankingRequest } from "./ranking/ranking-request.js";
import { NO_INTERRUPT, type SearchInterrupt } from "./search-interrupt.js";
import { NO_FACETS, type RankedHits, type RankedResult, type SearchOptions } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { FilterWeight } from "./weights/filter-weight.js";
import { TermWeight } from "./weights/term-weight.js";
import type { SegmentContext, Weight } from "./weights/weight.js";

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
    if (limit === 0 && !withFacets && weight instanceof FilterWeight && this.#joined !== null) {
      const marks = weight.marksIn(this.#joined, interrupt);
      if (marks !== null) return { count: marks.count, hits: new BestDocuments([], []), facets: NO_FACETS };
    }
    const isOrdered = orderBy !== undefined && !withFacets && limit > 0;
    const ranked = isOrdered ? this.#rankByWalking(weight, kept, options, interrupt) : null;
    return ranked ?? this.#rankWithMatches(weight, kept, options, beginning);
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

  /** Goes through the matches segment by segment. */
  #rankWithMatches(
    weight: Weight,
    kept: number,
    options: SearchOptions,
    beginning: RankedHits | null,
  ): RankedResult {
    const { interrupt = NO_INTERRUPT } = options;
    const decay = options.timeDecay;
    const withFacets = options.facets !== undefined && options.facets.length > 0;
    const relevant = options.orderBy === undefined ? new RelevantHits(kept) : null;
    const ordered =
      relevant === null ? new OrderedHits(this.#schema, options.orderBy!, kept, interrupt) : null;
    const hits = relevant ?? ordered!;
    const facets = new FacetCollector(this.#schema, options.facets ?? [], this.#facetTrees);
    const scoresCount = options.orderBy?.some(({ kind }) => kind === "score") ?? true;
    const withScores = scoresCount && options.limit > 0;
    const pool = new WindowPool(interrupt);
    const request = new RankingRequest(
      withScores ? kept : 0,
      options.withCount !== false,
      withFacets || (relevant === null && options.limit > 0),
      -1,
      null,
      ordered === null || options.limit === 0,
    );
    let count = 0;
    this.#segments.forEach((segmentStatistics, segmentIndex) => {
      interrupt.check();
      const context: SegmentContext = {
        segment: segmentStatistics.segment,
        statistics: segmentStatistics,
        pool,
      };
      hits.startSegment(segmentIndex, segmentStatistics);
      if (ordered !== null && !withFacets && options.limit > 0 && weight instanceof TermWeight) {
        const term = weight.leaf(context);
        if (term !== null && ordered.collectTerm(term, context)) {
          const known = weight.in(segmentStatistics)!;
          if (options.withCount !== false) count += segmentStatistics.liveDocFreq(known);
          return;
        }
      }
      // Kernels give the best hits without the others' scores, which an order by score among values needs.
      request.leastScore = relevant?.leastScore ?? -1;
      request.decay = withScores ? decayOf(segmentStatistics, decay) : null;
      const ranking = withScores && relevant === null ? null : rankSegment(weight, context, request);
      if (ranking !== null) {
        count += ranking.count;
        if (withScores) relevant?.add(ranking.hitDocs, ranking.hitScores, ranking.hitCount);
        if (ranking.count === 0) return;
        if (ranking.listed !== 0) {
          facets.collectListed(context.segment, ranking.kernels!, ranking.listed, ranking.count);
          return;
        }
        if (ranking.matches === null) return;
        interrupt.check();
        if (options.limit > 0) ordered?.collectAll(ranking.matches, ranking.count, ranking.kernels);
        if (withFacets)
          facets.collectMarked(context.segment, ranking.kernels!, ranking.matches, ranking.count);
        return;
      }
      facets.startSegment(context.segment);
      const segmentDecay = withScores ? decay : undefined;
      evaluateSegment(weight, context, segmentDecay, withScores, (windowStart, matches, scores) => {
        count += countBits(matches);
        if (options.limit > 0) hits.collect(windowStart, matches, scores);
        facets.collect(windowStart, matches);
      });
      facets.endSegment();
    });
    return { count, hits: hits.ranked(beginning), facets: facets.results() };
  }
}
