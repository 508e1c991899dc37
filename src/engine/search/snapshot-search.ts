import { countBits } from "../bytes/bitset.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { FacetCollector } from "./collectors/facet-collector.js";
import type { FacetTrees } from "./collectors/facet-trees.js";
import { OrderedHits } from "./collectors/ordered-hits.js";
import { TopDocuments } from "./collectors/top-documents.js";
import { evaluateWindows } from "./evaluators/evaluate-windows.js";
import { WindowPool } from "./evaluators/window-pool.js";
import type { SegmentContext } from "./plan/matcher.js";
import { type KernelRanking, rankInKernels } from "./ranking/rank-in-kernels.js";
import { RankingRequest } from "./ranking/ranking-request.js";
import { NO_INTERRUPT, type SearchInterrupt } from "./search-interrupt.js";
import { NO_FACETS, type RankedResult, type SearchOptions } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { SegmentDecay } from "./time-decay.js";
import type { Weight } from "./weights/weight.js";

/**
 * One search through the segments of a snapshot. Of each, kernels carry out the weight's plan, or where they can't its
 * evaluator goes through the windows; collectors take what either finds.
 */
export class SnapshotSearch {
  readonly #segments: readonly SegmentStatistics[];
  readonly #weight: Weight;
  readonly #options: SearchOptions;
  readonly #interrupt: SearchInterrupt;
  readonly #pool: WindowPool;
  /** Hits are kept by relevance, or in an order of their values: one of the two is null. */
  readonly #top: TopDocuments | null;
  readonly #ordered: OrderedHits | null;
  readonly #facets: FacetCollector | null;
  readonly #withHits: boolean;
  readonly #withScores: boolean;
  readonly #request: RankingRequest;
  #count = 0;

  /**
   * @param segments of the snapshot, in insertion order
   * @param weight the query, bound to what scores depend on
   * @param kept hits from the first one on
   * @throws FindlingError `unknown_field`, `invalid_request`, `invalid_order_by`
   */
  constructor(
    schema: EngineSchema,
    segments: readonly SegmentStatistics[],
    facetTrees: FacetTrees,
    weight: Weight,
    kept: number,
    options: SearchOptions,
  ) {
    const { orderBy, facets = [], limit, interrupt = NO_INTERRUPT } = options;
    this.#segments = segments;
    this.#weight = weight;
    this.#options = options;
    this.#interrupt = interrupt;
    this.#pool = new WindowPool(interrupt);
    this.#top = orderBy === undefined ? new TopDocuments(kept) : null;
    this.#ordered = orderBy === undefined ? null : new OrderedHits(schema, orderBy, kept, interrupt);
    this.#facets =
      facets.length === 0 ? null : new FacetCollector(schema, facets, facetTrees, segments.length === 1);
    this.#withHits = limit > 0;
    this.#withScores = limit > 0 && (orderBy?.some(({ kind }) => kind === "score") ?? true);
    const isOrdered = this.#ordered !== null && this.#withHits;
    this.#request = new RankingRequest(
      this.#withScores ? kept : 0,
      options.withCount !== false,
      isOrdered || this.#facets !== null,
      !isOrdered,
    );
  }

  /** To be called once. @throws FindlingError `search_timeout` */
  result(): RankedResult {
    for (let segmentIndex = 0; segmentIndex < this.#segments.length; segmentIndex++) {
      this.#interrupt.check();
      const statistics = this.#segments[segmentIndex]!;
      const context: SegmentContext = { segment: statistics.segment, statistics, pool: this.#pool };
      this.#ordered?.startSegment(segmentIndex, statistics);
      if (!this.#collectByKernels(context, segmentIndex)) this.#collectByWindows(context, segmentIndex);
    }
    const hits = this.#top === null ? this.#ordered!.ranked() : this.#top.ranked();
    const facets = this.#facets === null ? NO_FACETS : this.#facets.results();
    return { count: this.#count, hits, facets };
  }

  /** False where the evaluators have to do it. */
  #collectByKernels(context: SegmentContext, segmentIndex: number): boolean {
    const top = this.#top;
    // Kernels give the best hits without the others' scores, which an order by score among values needs.
    if (context.segment.image === null || (this.#withScores && top === null)) return false;
    const request = this.#request;
    request.leastScore = top === null ? -1 : top.leastScore;
    request.decay = this.#decayOf(context.statistics);
    const ranking = rankInKernels(this.#weight.plan(context), context, request);
    if (ranking === null) return false;
    this.#count += ranking.count;
    if (this.#withScores) top!.add(segmentIndex, ranking.hitDocs, ranking.hitScores, ranking.hitCount);
    if (ranking.count > 0 && request.withMatches) this.#takeMatches(ranking, context);
    return true;
  }

  /** What a document's score is multiplied with; null: nothing. */
  #decayOf(statistics: SegmentStatistics): ((docId: number) => number) | null {
    const { timeDecay } = this.#options;
    if (timeDecay === undefined || !this.#withScores) return null;
    const decay = new SegmentDecay(statistics, timeDecay);
    return (docId) => Math.fround(decay.factorOf(docId));
  }

  #takeMatches({ matches, listed, count, kernels }: KernelRanking, { segment }: SegmentContext): void {
    if (matches !== null) {
      this.#interrupt.check();
      if (this.#withHits) this.#ordered?.collectAll(matches, count);
    }
    if (matches !== null || listed !== 0)
      this.#facets?.collectAll(segment, kernels!, { bits: matches, listed, count });
  }

  #collectByWindows(context: SegmentContext, segmentIndex: number): void {
    const { timeDecay } = this.#options;
    this.#facets?.startSegment(context.segment);
    const evaluator = this.#weight.evaluator(context);
    if (evaluator !== null) {
      const withDecay = this.#withScores && timeDecay !== undefined;
      const decay = withDecay ? new SegmentDecay(context.statistics, timeDecay) : null;
      evaluateWindows(evaluator, context.segment, context.pool, this.#withScores, {
        collect: (windowStart, matches, scores) => {
          if (scores !== null) decay?.apply(windowStart, matches, scores);
          this.#count += countBits(matches);
          if (this.#withHits) {
            if (this.#top === null) this.#ordered!.collect(windowStart, matches, scores);
            else this.#top.collect(segmentIndex, windowStart, matches, scores!);
          }
          this.#facets?.collect(windowStart, matches);
        },
      });
    }
    this.#facets?.endSegment();
  }
}
