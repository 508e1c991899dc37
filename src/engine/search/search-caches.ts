import type { SegmentReader } from "../segment/segment-reader.js";
import { FacetTrees } from "./collectors/facet-trees.js";
import type { CacheUse } from "./search-types.js";
import { SegmentCacheFigures, SegmentStatistics } from "./statistics/segment-statistics.js";

/** What searches of an index have worked out; share one between its searchers, whose segments are the same for the most part. */
export class SearchCaches {
  readonly facetTrees: FacetTrees = new FacetTrees();
  readonly #figures: SegmentCacheFigures = new SegmentCacheFigures();
  // A bitset of live documents belongs to one view of one segment; without deletions the segment itself does.
  readonly #byView: WeakMap<object, SegmentStatistics> = new WeakMap();

  statisticsOf(segment: SegmentReader): SegmentStatistics {
    const view = segment.liveDocs ?? segment;
    let statistics = this.#byView.get(view);
    if (statistics === undefined) {
      statistics = new SegmentStatistics(segment, this.#figures);
      this.#byView.set(view, statistics);
    }
    return statistics;
  }

  /** How caches are used, their bytes being those of the segments. */
  usesOf(segments: readonly SegmentStatistics[]): readonly CacheUse[] {
    const bytes = { terms: 0, docFreqs: 0, expansions: 0 };
    for (const { cachedBytes } of segments) {
      bytes.terms += cachedBytes.terms;
      bytes.docFreqs += cachedBytes.docFreqs;
      bytes.expansions += cachedBytes.expansions;
    }
    const { terms, docFreqs, expansions } = this.#figures;
    return [
      { ...terms, bytes: bytes.terms },
      { ...docFreqs, bytes: bytes.docFreqs },
      { ...expansions, bytes: bytes.expansions },
    ];
  }
}
