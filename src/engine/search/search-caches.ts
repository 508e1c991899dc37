import type { SegmentReader } from "../segment/segment-reader.js";
import { FacetTrees } from "./collectors/facet-trees.js";
import { SegmentStatistics } from "./statistics/segment-statistics.js";

/** What searches of an index have worked out; share one between its searchers, whose segments are the same for the most part. */
export class SearchCaches {
  readonly facetTrees: FacetTrees = new FacetTrees();
  // A bitset of live documents belongs to one view of one segment; without deletions the segment itself does.
  readonly #byView: WeakMap<object, SegmentStatistics> = new WeakMap();

  statisticsOf(segment: SegmentReader): SegmentStatistics {
    const view = segment.liveDocs ?? segment;
    let statistics = this.#byView.get(view);
    if (statistics === undefined) {
      statistics = new SegmentStatistics(segment);
      this.#byView.set(view, statistics);
    }
    return statistics;
  }
}
