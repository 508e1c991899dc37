import { testBit } from "../../bytes/bitset.js";
import type { EngineSchema } from "../../schema/engine-schema.js";
import type { DocBits } from "../../segment/segment-reader.js";
import type { SearchInterrupt } from "../search-interrupt.js";
import type { OrderKey, RankedHit, RankedHits, SortKey } from "../search-types.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";
import { DOCS_MAX, JoinedOrder } from "./joined-order.js";
import { requireOrderField } from "./order-keys.js";
import { WalksInVain } from "./walks-in-vain.js";

/** Orders that are kept at a time. */
const ORDERS_MAX = 8;
/** Documents that are passed in the time that kernels take for one of a term's in a segment, and for each of these. */
const PASSED_PER_SEGMENT = 500;
const PASSED_PER_MATCH = 1.25;
/** The same for a filter's, whose bits are made anew where they aren't walked to. */
const FILTER_PASSED_MIN = 1000;
const FILTER_PASSED_PER_SEGMENT = 300;
const FILTER_DOCS_PER_PASSED = 256;

/** Documents of a snapshot, numbered in a row. */
export interface JoinedMatches {
  /** Live documents. */
  readonly count: number;
  /** Which they are; null: all. */
  readonly bits: DocBits | null;
}

/** How far an order is walked. */
export interface WalkLimits {
  /** Hits; above 0. */
  readonly limit: number;
  /** Documents that may be passed: how many are expected to be says nothing where the order puts the matches last. */
  readonly passedMax: number;
  /** Of these matches. */
  readonly inVain: WalksInVain;
}

/** Orders of a snapshot's documents by values, which the first matches are found in by walking them. */
export class JoinedOrders {
  readonly #schema: EngineSchema;
  readonly #segments: readonly SegmentStatistics[];
  readonly #starts: readonly number[];
  readonly #docCount: number;
  /** `passedMax` of no matches. */
  readonly #termPassed: number;
  readonly #filterPassed: number;
  /** Of a search for all documents: orders in which too few have a value. */
  readonly inVainForAll: WalksInVain = new WalksInVain();
  readonly #orders: Map<string, JoinedOrder> = new Map();

  /** @param starts by segment, the number of its first document */
  constructor(schema: EngineSchema, segments: readonly SegmentStatistics[], starts: readonly number[]) {
    this.#schema = schema;
    this.#segments = segments;
    this.#starts = starts;
    this.#docCount = segments.reduce((sum, { segment }) => sum + segment.docCount, 0);
    this.#termPassed = PASSED_PER_SEGMENT * segments.length;
    const filterPassed = FILTER_PASSED_MIN + FILTER_PASSED_PER_SEGMENT * segments.length;
    this.#filterPassed = filterPassed + Math.trunc(this.#docCount / FILTER_DOCS_PER_PASSED);
  }

  /**
   * Documents that may be passed for the first of so many matches: as many as are in the time that it takes to go
   * through the matches segment by segment. Given up there, a search takes twice the time of the better way at most,
   * and the next one the better way.
   *
   * @param isTerm whether they are a term's documents, and not a filter's
   */
  passedMax(count: number, isTerm: boolean): number {
    const besides = isTerm ? this.#termPassed : this.#filterPassed;
    return Math.min(besides + Math.trunc(PASSED_PER_MATCH * count), DOCS_MAX);
  }

  /** Whether no more documents than may be are expected to be passed for the first of so many matches. */
  isWalkedTo(count: number, limit: number, passedMax: number): boolean {
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
    const name = JoinedOrder.nameOf(field, descending);
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
   * @throws FindlingError `search_timeout`
   */
  first(
    matches: JoinedMatches,
    walked: JoinedOrder,
    { limit, passedMax, inVain }: WalkLimits,
    interrupt: SearchInterrupt,
  ): RankedHits | null {
    const { count, bits } = matches;
    const wanted = Math.min(limit, count);
    if (inVain.has(walked.name, wanted, passedMax)) return null;
    const hits = new JoinedOrderHits(walked.field, this.#segments);
    const docs = walked.known;
    for (let place = 0, found = 0; found < wanted; place++) {
      if (place >= passedMax) {
        inVain.add(walked.name, passedMax, found);
        return null;
      }
      // Those without a value come last, and aren't among them.
      if (place === docs.length && walked.at(place, interrupt) < 0) {
        inVain.add(walked.name, Number.POSITIVE_INFINITY, found);
        return null;
      }
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
