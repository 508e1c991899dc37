import { testBit } from "../../bytes/bitset.js";
import type { EngineSchema } from "../../schema/engine-schema.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { OrderKey, RankedHit, RankedHits, SortKey } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { JoinedOrder } from "./joined-order.js";
import { requireOrderField } from "./order-keys.js";

/** Orders that are kept at a time. */
const ORDERS_MAX = 8;
/** Documents that are expected to be passed at most for the hits of a search. */
const PASSED_MAX = 8192;
/** Documents that are passed in the time that kernels take for a term's, and what each segment adds to it. */
const TERM_PASSED_MIN = 1000;
const TERM_PASSED_PER_SEGMENT = 800;

/** Documents of a snapshot, numbered in a row. */
export interface JoinedMatches {
  /** Live documents. */
  readonly count: number;
  /** Which they are; null: all. */
  readonly bits: DocBits | null;
}

/** Orders of a snapshot's documents by values, which the first matches are found in by walking them. */
export class JoinedOrders {
  readonly #schema: EngineSchema;
  readonly #segments: readonly SegmentStatistics[];
  readonly #starts: readonly number[];
  readonly #docCount: number;
  readonly #orders: Map<string, JoinedOrder> = new Map();

  /** @param starts by segment, the number of its first document */
  constructor(schema: EngineSchema, segments: readonly SegmentStatistics[], starts: readonly number[]) {
    this.#schema = schema;
    this.#segments = segments;
    this.#starts = starts;
    this.#docCount = segments.reduce((sum, { segment }) => sum + segment.docCount, 0);
  }

  /** Whether so many documents of a term are better walked to than put in order by kernels, segment by segment. */
  isWalkedToTerm(count: number, limit: number): boolean {
    const passedMax = TERM_PASSED_MIN + TERM_PASSED_PER_SEGMENT * this.#segments.length;
    return this.#isPassing(count, limit, Math.min(passedMax, PASSED_MAX));
  }

  /** Whether at most so many documents are expected to be passed for the first of so many matches. */
  #isPassing(count: number, limit: number, passedMax: number): boolean {
    return Math.min(limit, count) * this.#docCount <= count * passedMax;
  }

  /**
   * The documents in an order; null where they can't be walked in it: by several keys, by the score, or by a field whose
   * values aren't kept in their order.
   *
   * @param order at least one key
   * @throws FindlingError `unknown_field`, `invalid_order_by`
   */
  walked(order: readonly OrderKey[]): JoinedOrder | null {
    const key = order[0]!;
    if (order.length > 1 || key.kind === "score") return null;
    const { field, descending } = key;
    const name = descending ? `-${field}` : `+${field}`;
    const known = this.#orders.get(name);
    if (known !== undefined) return known;
    const { kind } = requireOrderField(this.#schema, field);
    if (kind === "text" || kind === "keyword") return null;
    const walked = new JoinedOrder(this.#segments, this.#starts, field, descending);
    if (this.#orders.size >= ORDERS_MAX) this.#orders.clear();
    this.#orders.set(name, walked);
    return walked;
  }

  /**
   * The first matches in an order; null where walking it isn't the way to find them.
   *
   * @param limit above 0
   * @throws FindlingError `search_timeout`
   */
  first(
    matches: JoinedMatches,
    walked: JoinedOrder,
    limit: number,
    interrupt: SearchInterrupt,
  ): RankedHits | null {
    const { count, bits } = matches;
    if (!this.#isPassing(count, limit, PASSED_MAX)) return null;
    const wanted = Math.min(limit, count);
    const hits = new JoinedOrderHits(walked.field, this.#segments);
    const docs = walked.known;
    for (let place = 0, found = 0; found < wanted; place++) {
      // Those without a value come last, and aren't among them.
      if (place === docs.length && walked.at(place, interrupt) < 0) return null;
      const doc = docs[place]!;
      if (bits !== null && !testBit(bits, doc)) continue;
      hits.add(doc, this.#starts);
      found++;
    }
    return hits;
  }
}

class JoinedOrderHits implements RankedHits {
  readonly #field: string;
  readonly #segments: readonly SegmentStatistics[];
  readonly #segmentIndexes: number[] = [];
  readonly #docIds: number[] = [];

  constructor(field: string, segments: readonly SegmentStatistics[]) {
    this.#field = field;
    this.#segments = segments;
  }

  get length(): number {
    return this.#docIds.length;
  }

  get held(): number {
    return this.#docIds.length;
  }

  add(doc: number, starts: readonly number[]): void {
    let segment = starts.length - 1;
    while (starts[segment]! > doc) segment--;
    this.#segmentIndexes.push(segment);
    this.#docIds.push(doc - starts[segment]!);
  }

  at(place: number): RankedHit {
    return { segmentIndex: this.#segmentIndexes[place]!, docId: this.#docIds[place]!, score: 1 };
  }

  sortKeys(place: number): readonly SortKey[] {
    const column = this.#segments[this.#segmentIndexes[place]!]!.segment.column(this.#field)!;
    return [column.valueBytes(column.ordinals![this.#docIds[place]!]! - 1)];
  }
}
