import { countBits } from "../bytes/bitset.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { FacetCollector } from "./collectors/facet-collector.js";
import type { FacetTrees } from "./collectors/facet-trees.js";
import type { HitCollector } from "./collectors/hit-collector.js";
import { OrderedHits } from "./collectors/ordered-hits.js";
import { RelevantHits } from "./collectors/relevant-hits.js";
import { WindowPool } from "./evaluators/window-pool.js";
import { decayOf, evaluateSegment, rankSegment } from "./rank-segment.js";
import type { KernelRanking } from "./ranking/rank-in-kernels.js";
import { RankingRequest } from "./ranking/ranking-request.js";
import { NO_INTERRUPT, type SearchInterrupt } from "./search-interrupt.js";
import { NO_FACETS, type RankedHits, type RankedResult, type SearchOptions } from "./search-types.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { TermWeight } from "./weights/term-weight.js";
import type { SegmentContext, Weight } from "./weights/weight.js";

/** One search that goes through all its matches, segment by segment, for their order, their facets or their number. */
export class MatchesSearch {
  readonly #segments: readonly SegmentStatistics[];
  readonly #weight: Weight;
  readonly #options: SearchOptions;
  readonly #interrupt: SearchInterrupt;
  readonly #pool: WindowPool;
  readonly #hits: HitCollector;
  /** One of the two is what `#hits` is, the other null. */
  readonly #relevant: RelevantHits | null;
  readonly #ordered: OrderedHits | null;
  readonly #facets: FacetCollector | null;
  readonly #withHits: boolean;
  readonly #withScores: boolean;
  readonly #request: RankingRequest;
  #count = 0;

  /**
   * @param segments of the snapshot, in insertion order
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
    this.#relevant = orderBy === undefined ? new RelevantHits(kept) : null;
    this.#ordered = orderBy === undefined ? null : new OrderedHits(schema, orderBy, kept, interrupt);
    this.#hits = this.#relevant ?? this.#ordered!;
    this.#facets =
      facets.length === 0 ? null : new FacetCollector(schema, facets, facetTrees, segments.length === 1);
    this.#withHits = limit > 0;
    this.#withScores = limit > 0 && (orderBy?.some(({ kind }) => kind === "score") ?? true);
    const isOrdered = this.#ordered !== null && this.#withHits;
    this.#request = new RankingRequest(
      this.#withScores ? kept : 0,
      options.withCount !== false,
      isOrdered || this.#facets !== null,
      -1,
      null,
      !isOrdered,
    );
  }

  /**
   * To be called once.
   *
   * @param beginning as for `Searcher.rank`
   * @throws FindlingError `search_timeout`
   */
  result(beginning: RankedHits | null): RankedResult {
    for (let segmentIndex = 0; segmentIndex < this.#segments.length; segmentIndex++) {
      this.#interrupt.check();
      const statistics = this.#segments[segmentIndex]!;
      const context: SegmentContext = { segment: statistics.segment, statistics, pool: this.#pool };
      this.#hits.startSegment(segmentIndex, statistics);
      if (!this.#collectTerm(context) && !this.#collectByKernels(context)) this.#collectByWindows(context);
    }
    const facets = this.#facets === null ? NO_FACETS : this.#facets.results();
    return { count: this.#count, hits: this.#hits.ranked(beginning), facets };
  }

  /** A term's first documents by a value are found without marking all; false if that isn't all that is wanted. */
  #collectTerm(context: SegmentContext): boolean {
    const weight = this.#weight;
    if (this.#ordered === null || this.#facets !== null || !this.#withHits) return false;
    if (!(weight instanceof TermWeight)) return false;
    const { statistics } = context;
    const term = weight.leaf(context);
    if (term === null || !this.#ordered.collectTerm(term, context)) return false;
    if (this.#request.withCount) this.#count += statistics.liveDocFreq(weight.in(statistics)!);
    return true;
  }

  /** False where the evaluators have to do it. */
  #collectByKernels(context: SegmentContext): boolean {
    const relevant = this.#relevant;
    // Kernels give the best hits without the others' scores, which an order by score among values needs.
    if (this.#withScores && relevant === null) return false;
    const request = this.#request;
    request.leastScore = relevant?.leastScore ?? -1;
    request.decay = this.#withScores ? decayOf(context.statistics, this.#options.timeDecay) : null;
    const ranking = rankSegment(this.#weight, context, request);
    if (ranking === null) return false;
    this.#count += ranking.count;
    if (this.#withScores) relevant?.add(ranking.hitDocs, ranking.hitScores, ranking.hitCount);
    if (ranking.count > 0 && request.withMatches) this.#takeMatches(ranking, context);
    return true;
  }

  #takeMatches({ matches, listed, count, kernels }: KernelRanking, { segment }: SegmentContext): void {
    if (listed !== 0) {
      this.#facets?.collectListed(segment, kernels!, listed, count);
      return;
    }
    if (matches === null) return;
    this.#interrupt.check();
    if (this.#withHits) this.#ordered?.collectAll(matches, count, kernels);
    this.#facets?.collectMarked(segment, kernels!, matches, count);
  }

  #collectByWindows(context: SegmentContext): void {
    const decay = this.#withScores ? this.#options.timeDecay : undefined;
    this.#facets?.startSegment(context.segment);
    evaluateSegment(this.#weight, context, decay, this.#withScores, (windowStart, matches, scores) => {
      this.#count += countBits(matches);
      if (this.#withHits) this.#hits.collect(windowStart, matches, scores);
      this.#facets?.collect(windowStart, matches);
    });
    this.#facets?.endSegment();
  }
}
