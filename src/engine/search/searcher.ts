import { countBits, emptyBitset } from "../bytes/bitset.js";
import type { DocumentId } from "../schema/document.js";
import type { EngineSchema } from "../schema/engine-schema.js";
import { BlockPool } from "../segment/doc-store/block-pool.js";
import type { DocBits, SegmentReader } from "../segment/segment-reader.js";
import type { SlicedWork } from "../segment/sliced-work.js";
import { BestDocuments } from "./collectors/best-documents.js";
import { collectDocs } from "./evaluators/collect-docs.js";
import { WindowPool } from "./evaluators/window-pool.js";
import { type DocPlace, explainPlaces } from "./explain-places.js";
import { FacetsOfAll } from "./facets-of-all.js";
import { bindInParts, docsOfParts } from "./match-in-parts.js";
import type { Query } from "./query.js";
import { SearchCaches } from "./search-caches.js";
import { explanationCost, searchCost } from "./search-cost.js";
import { NO_INTERRUPT, type SearchInterrupt } from "./search-interrupt.js";
import type {
  CollectionStatistics,
  EngineHit,
  EngineSearchResult,
  Explanation,
  HitBytes,
  KeptPage,
  RankedHit,
  RankedHits,
  RankedResult,
  SearchOptions,
  TimeDecay,
} from "./search-types.js";
import { SnapshotSearch } from "./snapshot-search.js";
import type { SegmentStatistics } from "./statistics/segment-statistics.js";
import { SnapshotStatistics } from "./statistics/snapshot-statistics.js";
import { requireDecayField } from "./time-decay.js";
import { createWeight } from "./weights/create-weight.js";
import { QueryBinding } from "./weights/query-binding.js";
import type { Weight } from "./weights/weight.js";

const NO_NAMES: readonly string[] = [];

/**
 * A point-in-time snapshot of an index: answers depend on the live documents and their insertion
 * order, never on how they are spread over segments. Insertion order is segment order, then doc id.
 */
export class Searcher {
  readonly segments: readonly SegmentReader[];
  readonly schema: EngineSchema;
  /** Live documents. */
  readonly docCount: number;
  /** What scores depend on, unless a search is given others. */
  readonly statistics: CollectionStatistics;
  readonly #segmentStatistics: readonly SegmentStatistics[];
  readonly #binding: QueryBinding;
  readonly #caches: SearchCaches;
  readonly #facetsOfAll: FacetsOfAll = new FacetsOfAll();

  /**
   * @param segments in insertion order
   * @param caches share them between the searchers of an index, so that what one snapshot has worked out
   *   serves the next one where segments are the same
   */
  constructor(
    segments: readonly SegmentReader[],
    schema: EngineSchema,
    caches: SearchCaches = new SearchCaches(),
  ) {
    this.segments = segments;
    this.schema = schema;
    this.docCount = segments.reduce((sum, segment) => sum + segment.docCount, 0);
    this.#segmentStatistics = segments.map((segment) => caches.statisticsOf(segment));
    this.statistics = new SnapshotStatistics(this.#segmentStatistics);
    this.#binding = new QueryBinding(schema, this.statistics);
    this.#caches = caches;
  }

  /**
   * @param statistics what scores depend on; this snapshot's own unless given
   * @throws FindlingError `unknown_field`, `invalid_request`, `invalid_field_value`, `invalid_order_by`,
   *   `search_timeout`
   */
  search(options: SearchOptions, statistics: CollectionStatistics = this.statistics): EngineSearchResult {
    const { count, hits, facets } = this.rank(options, statistics);
    const page: EngineHit[] = [];
    const end = Math.min(options.offset + options.limit, hits.length);
    for (let place = options.offset; place < end; place++) {
      options.interrupt?.check();
      const sortKeys = options.orderBy === undefined ? {} : { sortKeys: hits.sortKeys(place) };
      page.push({ ...this.load(hits.at(place)), ...sortKeys });
    }
    return { count, hits: page, facets: facets.map(({ field, nodes }) => ({ field, nodes })) };
  }

  /**
   * A search that reads no documents, so that several searchers' hits can be merged before the page is
   * cut. Only an order by a text field reads some, as its hits are asked for.
   *
   * @param statistics as for `search`
   * @throws FindlingError as `search`
   */
  rank(options: SearchOptions, statistics: CollectionStatistics = this.statistics): RankedResult {
    const { query, facets = NO_NAMES, timeDecay, interrupt = NO_INTERRUPT } = options;
    const weight = this.#bind(query, statistics, interrupt);
    if (timeDecay !== undefined) requireDecayField(this.schema, timeDecay);
    if (facets.length > 0 && query.kind === "match_all") return this.#rankAll(weight, options, facets);
    return this.#rank(weight, options);
  }

  #rank(weight: Weight, options: SearchOptions): RankedResult {
    const kept = Math.min(options.offset + options.limit, this.docCount);
    const { facetTrees } = this.#caches;
    const segments = this.#segmentStatistics;
    return new SnapshotSearch(this.schema, segments, facetTrees, weight, kept, options).result();
  }

  /** All documents, with facets: those are the snapshot's own, and counted once. */
  #rankAll(weight: Weight, options: SearchOptions, names: readonly string[]): RankedResult {
    const known = this.#facetsOfAll.of(names);
    if (known === null) {
      const counted = this.#rank(weight, options);
      this.#facetsOfAll.note(counted.facets);
      return counted;
    }
    if (options.limit === 0) return { count: this.docCount, hits: new BestDocuments([], []), facets: known };
    return { ...this.#rank(weight, { ...options, facets: NO_NAMES }), facets: known };
  }

  /** About how many microseconds `search` would take; costs a few itself. */
  cost(options: SearchOptions): number {
    return searchCost(options, this.#segmentStatistics);
  }

  /** What `explainAll` costs for so many documents. */
  explanationCost(query: Query, documents: number): number {
    return explanationCost(query, documents, this.#segmentStatistics);
  }

  /** Reads the document of a hit that this searcher has ranked. */
  load({ segmentIndex, docId, score }: RankedHit): EngineHit {
    const segment = this.segments[segmentIndex]!;
    return { documentId: segment.documentId(docId), score, json: segment.storedJson(docId) };
  }

  /**
   * How often reading documents, of whatever index, has made this thread read a file: each time may have been a wait
   * for the disk.
   */
  get documentReads(): number {
    return BlockPool.ofThread().missCount;
  }

  /** As `load`, for whoever passes the document on. */
  loadBytes({ segmentIndex, docId, score }: RankedHit): HitBytes {
    const segment = this.segments[segmentIndex]!;
    const documentId = segment.documentId(docId);
    const json = segment.storedBytes(docId);
    segment.kept.name(docId, documentId);
    return { documentId, score, json };
  }

  /**
   * What `loadBytes` would give of a page's hits, of those whose documents are kept in memory. Each step is a short loop
   * over all of them: what they need lies far apart, and is fetched for several hits at once, where loading one after the
   * other waits for each.
   *
   * @param hits of this searcher, by relevance: others may take long to be told
   * @param start the page's first place, `end` the place behind its last one
   */
  keptPage(hits: RankedHits, start: number, end: number): KeptPage {
    const jsons: (Uint8Array | undefined)[] = [];
    const ids: (DocumentId | undefined)[] = [];
    for (let place = start; place < end; place++) {
      const { segmentIndex, docId } = hits.at(place);
      const { kept } = this.segments[segmentIndex]!;
      const at = kept.placeOf(docId);
      jsons.push(kept.at(at));
      ids.push(kept.idAt(at));
    }
    const lengths: number[] = [];
    for (let i = 0; i < jsons.length; i++) lengths.push(jsons[i]?.length ?? 0);
    return { jsons, ids, lengths };
  }

  /** By segment, as in `segments`: the live documents that match. */
  matchingDocs(query: Query, interrupt: SearchInterrupt = NO_INTERRUPT): DocBits[] {
    const weight = this.#bind(query, this.statistics, interrupt);
    const pool = new WindowPool(interrupt);
    return this.#segmentStatistics.map((statistics) => {
      const { segment } = statistics;
      const evaluator = weight.evaluator({ segment, statistics, pool });
      return evaluator === null ? emptyBitset(segment.maxDoc) : collectDocs(evaluator, segment, pool);
    });
  }

  /** The matching documents, with pauses between parts of the query, segments and windows of documents. */
  *matchingDocsInSlices(query: Query, interrupt: SearchInterrupt): SlicedWork<DocBits[]> {
    const parts = yield* bindInParts(query, this.#binding.endedBy(interrupt));
    const pool = new WindowPool(interrupt);
    const matches: DocBits[] = [];
    for (const statistics of this.#segmentStatistics) {
      matches.push(yield* docsOfParts(parts, { segment: statistics.segment, statistics, pool }));
    }
    return matches;
  }

  /** Live documents that match. */
  count(query: Query, interrupt: SearchInterrupt = NO_INTERRUPT): number {
    return this.matchingDocs(query, interrupt).reduce((sum, docs) => sum + countBits(docs), 0);
  }

  /** The stored document as JSON text; null if it isn't here or is deleted. */
  document(documentId: DocumentId): string | null {
    const place = this.#find(documentId);
    return place === null ? null : this.segments[place.segmentIndex]!.storedJson(place.docId);
  }

  /** Why a document scores what it scores; null if it isn't here or doesn't match. */
  explain(query: Query, documentId: DocumentId): Explanation | null {
    const place = this.#find(documentId);
    return place === null ? null : this.explainAll(query, [place])[0]!;
  }

  /**
   * Why documents score what they score, for hardly more than one of them takes: each segment is evaluated once for all
   * of its. Takes memory for all explanations together.
   *
   * @param places of live documents, in any order
   * @param statistics as for `search`
   * @returns one for each of them; null: it doesn't match
   * @throws FindlingError as `search`
   */
  explainAll(
    query: Query,
    places: readonly DocPlace[],
    statistics: CollectionStatistics = this.statistics,
    timeDecay?: TimeDecay,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ): (Explanation | null)[] {
    if (timeDecay !== undefined) requireDecayField(this.schema, timeDecay);
    const weight = this.#bind(query, statistics, interrupt);
    return explainPlaces(weight, places, this.#segmentStatistics, timeDecay, interrupt);
  }

  /** Live documents with a term. */
  docFreq(field: string, term: string): number {
    return this.statistics.docFreq(field, term);
  }

  #bind(query: Query, statistics: CollectionStatistics, interrupt: SearchInterrupt): Weight {
    if (statistics === this.statistics) return createWeight(query, this.#binding.endedBy(interrupt));
    return createWeight(query, new QueryBinding(this.schema, statistics, interrupt));
  }

  #find(documentId: DocumentId): DocPlace | null {
    for (let segmentIndex = 0; segmentIndex < this.segments.length; segmentIndex++) {
      const segment = this.segments[segmentIndex]!;
      const docId = segment.docIdOf(documentId);
      if (docId < 0) continue;
      const live = segment.liveDocs;
      if (live === null || ((live[docId >>> 5]! >>> (docId & 31)) & 1) === 1) return { segmentIndex, docId };
    }
    return null;
  }
}
