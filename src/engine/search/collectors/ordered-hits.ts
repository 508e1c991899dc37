import type { DocId } from "../../schema/document.js";
import type { EngineField, EngineSchema } from "../../schema/engine-schema.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { WindowBits, WindowScores } from "../evaluators/evaluator.js";
import { NO_INTERRUPT, type SearchInterrupt } from "../search-interrupt.js";
import type { OrderKey, RankedHit, RankedHits, SortKey } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { compareSortKeys } from "./compare-sort-keys.js";
import { FirstDocuments, type SegmentKey } from "./first-documents.js";
import { orderKeys, requireOrderField } from "./order-keys.js";
import { RunMerge } from "./run-merge.js";

interface OrderedSegment {
  readonly segmentIndex: number;
  readonly keys: readonly SegmentKey[];
  readonly first: FirstDocuments;
}

/**
 * Hits by values and scores, those without a value last, ties by the next key and in the end in
 * insertion order. Ranks order the documents of one segment; the values themselves are read where
 * segments are merged.
 */
export class OrderedHits {
  readonly #order: readonly OrderKey[];
  /** One for each key; null for the score. */
  readonly #fields: readonly (EngineField | null)[];
  readonly #limit: number;
  readonly #interrupt: SearchInterrupt;
  readonly #segments: OrderedSegment[] = [];

  /**
   * @param order at least one key
   * @throws FindlingError `unknown_field`, `invalid_order_by`
   */
  constructor(
    schema: EngineSchema,
    order: readonly OrderKey[],
    limit: number,
    interrupt: SearchInterrupt = NO_INTERRUPT,
  ) {
    this.#interrupt = interrupt;
    this.#order = order;
    this.#fields = order.map((key) => (key.kind === "score" ? null : requireOrderField(schema, key.field)));
    this.#limit = limit;
  }

  startSegment(segmentIndex: number, statistics: SegmentStatistics): void {
    const keys = this.#fields.map((field, i) => ({
      keys: field === null ? null : orderKeys(statistics, field),
      isScore: field === null,
      descending: this.#order[i]!.descending,
    }));
    const first = new FirstDocuments(keys, this.#limit);
    this.#segments.push({ segmentIndex, keys, first });
  }

  collect(windowStart: DocId, matches: WindowBits, scores: WindowScores | null): void {
    this.#segments.at(-1)!.first.collect(windowStart, matches, scores);
  }

  /** Takes all matches of the segment at hand, of an order in which scores don't matter. */
  collectAll(matches: DocBits, count: number): void {
    this.#segments.at(-1)!.first.collectAll(matches, count);
  }

  ranked(): RankedHits {
    for (const { first } of this.#segments) {
      this.#interrupt.check();
      first.sort();
    }
    return new MergedSegments(
      this.#segments.filter(({ first }) => first.length > 0),
      this.#order,
      this.#limit,
      this.#interrupt,
    );
  }
}

/** A hit's sort keys, each read when it is first asked for. */
interface HeadKeys {
  place: number;
  readonly keys: (SortKey | undefined)[];
}

class MergedSegments implements RankedHits {
  readonly #segments: readonly OrderedSegment[];
  readonly #order: readonly OrderKey[];
  readonly #merge: RunMerge;
  /** By segment: the keys of its hit that is compared with others now. */
  readonly #heads: readonly HeadKeys[];

  constructor(
    segments: readonly OrderedSegment[],
    order: readonly OrderKey[],
    limit: number,
    interrupt: SearchInterrupt,
  ) {
    this.#segments = segments;
    this.#order = order;
    this.#heads = segments.map(() => ({ place: -1, keys: order.map(() => undefined) }));
    this.#merge = new RunMerge(
      segments.map(({ first }) => first.length),
      limit,
      (segment, place, otherSegment, otherPlace) => {
        for (let key = 0; key < order.length; key++) {
          const result = compareSortKeys(
            this.#headKey(segment, place, key),
            this.#headKey(otherSegment, otherPlace, key),
            order[key]!.descending,
          );
          if (result !== 0) return result;
        }
        return 0;
      },
      interrupt,
    );
  }

  get length(): number {
    return this.#merge.length;
  }

  get held(): number {
    return this.#segments.reduce((sum, { first }) => sum + first.length, 0);
  }

  at(place: number): RankedHit {
    const { segmentIndex, first } = this.#segments[this.#merge.runAt(place)]!;
    const own = this.#merge.placeAt(place);
    return { segmentIndex, docId: first.docIdAt(own), score: first.scoreAt(own) };
  }

  sortKeys(place: number): readonly SortKey[] {
    const segment = this.#segments[this.#merge.runAt(place)]!;
    const own = this.#merge.placeAt(place);
    return this.#order.map((_, key) => sortKey(segment, own, key));
  }

  #headKey(run: number, place: number, key: number): SortKey {
    const head = this.#heads[run]!;
    if (head.place !== place) {
      head.place = place;
      head.keys.fill(undefined);
    }
    let value = head.keys[key];
    if (value === undefined) head.keys[key] = value = sortKey(this.#segments[run]!, place, key);
    return value;
  }
}

function sortKey({ keys, first }: OrderedSegment, place: number, key: number): SortKey {
  const { isScore, keys: values } = keys[key]!;
  return isScore ? first.scoreAt(place) : (values?.sortKey(first.docIdAt(place)) ?? null);
}
