import { compareBytes } from "../../schema/compare-bytes.js";
import type { DocId } from "../../schema/document.js";
import type { EngineField, EngineSchema } from "../../schema/engine-schema.js";
import type { WindowBits } from "../evaluators/evaluator.js";
import type { RankedHit } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { FirstDocuments } from "./first-documents.js";
import type { HitCollector } from "./hit-collector.js";
import { type OrderKeys, orderKeys, requireOrderField } from "./order-keys.js";

/**
 * Hits by a field's value, those without one last, ties in insertion order. Ranks order the documents
 * of one segment; the values themselves are read for each segment's first ones only, to merge them.
 */
export class OrderedHits implements HitCollector {
  readonly #field: EngineField;
  readonly #descending: boolean;
  readonly #limit: number;
  readonly #segments: {
    readonly segmentIndex: number;
    readonly keys: OrderKeys | null;
    readonly first: FirstDocuments;
  }[] = [];

  /** @throws FindlingError `unknown_field`, `invalid_order_by` */
  constructor(
    schema: EngineSchema,
    orderBy: { readonly field: string; readonly descending: boolean },
    limit: number,
  ) {
    this.#field = requireOrderField(schema, orderBy.field);
    this.#descending = orderBy.descending;
    this.#limit = limit;
  }

  startSegment(segmentIndex: number, statistics: SegmentStatistics): void {
    const keys = orderKeys(statistics, this.#field);
    this.#segments.push({
      segmentIndex,
      keys,
      first: new FirstDocuments(keys, this.#descending, this.#limit),
    });
  }

  collect(windowStart: DocId, matches: WindowBits): void {
    this.#segments.at(-1)!.first.collect(windowStart, matches);
  }

  sorted(): RankedHit[] {
    const hits = this.#segments.flatMap(({ segmentIndex, keys, first }) =>
      first
        .sorted()
        .map((docId) => ({ segmentIndex, docId, score: 1, sortKey: keys?.sortKey(docId) ?? null })),
    );
    // Stable, and each segment's hits come in order, so ties stay in insertion order.
    return hits.sort((a, b) => {
      if (a.sortKey === null || b.sortKey === null)
        return Number(a.sortKey === null) - Number(b.sortKey === null);
      return this.#descending ? compareBytes(b.sortKey, a.sortKey) : compareBytes(a.sortKey, b.sortKey);
    });
  }
}
