import { setBit } from "../../bytes/bitset.js";
import { firstAtOrAfter } from "../../bytes/first-at-or-after.js";
import type { KernelFunctions } from "../../kernels/kernel-functions.js";
import type { NumberRange } from "../../kernels/listed-docs.js";
import type { SegmentKernels } from "../../kernels/segment-kernels.js";
import type { CanonicalValue, DocId } from "../../schema/document.js";
import type { EngineField, FieldKind } from "../../schema/engine-schema.js";
import { type RangeSide, type ResolvedBound, rangeBound } from "../../schema/range-bound.js";
import { sortBytes } from "../../schema/sort-bytes.js";
import type { DocBits, OrdinalColumn, SegmentReader } from "../../segment/segment-reader.js";
import { type OrdinalRange, prefixRange } from "../automaton/prefix-range.js";
import { DocListEvaluator, NumberRangeEvaluator } from "../evaluators/document-evaluators.js";
import type { Evaluator } from "../evaluators/evaluator.js";
import { markedDocsEvaluator } from "../evaluators/marked-docs.js";
import type { WindowPool } from "../evaluators/window-pool.js";
import type { SegmentContext } from "../plan/matcher.js";
import type {
  ExistsQuery,
  FacetQuery,
  RangeBound,
  ValuePrefixQuery,
  ValueRangeQuery,
  ValueSetQuery,
} from "../query.js";
import { FilterWeight } from "./filter-weight.js";
import type { QueryBinding } from "./query-binding.js";
import type { Weight } from "./weight.js";

export const COLUMN_KINDS: readonly FieldKind[] = [
  "keyword",
  "label",
  "facet",
  "bool",
  "u64",
  "i64",
  "f64",
  "datetime",
];
const TYPED_KINDS: readonly FieldKind[] = ["bool", "u64", "i64", "f64", "datetime"];

/** One in so many documents: from there on scanning the column is cheaper than setting bits one by one. */
const SCAN_SHARE = 8;
/** Kernels scan from one in so many documents on, since they look at several at a time. */
const VECTOR_SCAN_SHARE = 16;

export function valueSetWeight(query: ValueSetQuery, binding: QueryBinding): Weight {
  const field = binding.fieldWithColumn(query.field, COLUMN_KINDS);
  const values = query.values.map((value) => sortBytes(field, value));
  return new ColumnWeight(`field '${query.field}' has one of ${values.length} values`, field, (column) =>
    values.map((value) => column.ordinalOf(value)).map((ordinal) => ({ first: ordinal, end: ordinal + 1 })),
  );
}

export function valueRangeWeight(query: ValueRangeQuery, binding: QueryBinding): Weight {
  const field = binding.field(query.field, TYPED_KINDS);
  const lower = resolve(field, query.lower, "lower");
  const upper = resolve(field, query.upper, "upper");
  return new ColumnWeight(`range over field '${query.field}'`, field, (column) => {
    if (lower === "none" || upper === "none") return [];
    return [
      {
        first: lower === "all" ? 0 : boundOrdinal(column, lower.bytes, lower.inclusive),
        end: upper === "all" ? column.valueCount : boundOrdinal(column, upper.bytes, !upper.inclusive),
      },
    ];
  });
}

export function valuePrefixWeight(query: ValuePrefixQuery, binding: QueryBinding): Weight {
  const field = binding.field(query.field, ["keyword", "label"]);
  const prefix = sortBytes(field, query.prefix);
  return new ColumnWeight(`prefix of field '${query.field}'`, field, (column) => [
    prefixRange(column, column.valueCount, prefix),
  ]);
}

export function facetWeight(query: FacetQuery, binding: QueryBinding): Weight {
  const field = binding.field(query.field, ["facet"]);
  const paths = query.paths.map((path) => sortBytes(field, path));
  return new ColumnWeight(
    `facet '${query.field}' at or under one of ${paths.length} paths`,
    field,
    (column) =>
      paths
        .map((path) => column.ordinalOf(path))
        .map((ordinal) => ({ first: ordinal, end: ordinal < 0 ? 0 : column.facetSubtreeEnds![ordinal]! })),
  );
}

export function valueExistsWeight(query: ExistsQuery, field: EngineField): Weight {
  return new ColumnWeight(`field '${query.field}' has a value`, field, (column) => [
    { first: 0, end: column.valueCount },
  ]);
}

/** Documents with a value whose ordinal is in any of some ranges. */
class ColumnWeight extends FilterWeight {
  readonly #field: string;
  readonly #rangesOf: (column: OrdinalColumn) => readonly OrdinalRange[];
  /** A filter is asked for its numbers before it marks its documents, segment by segment. */
  #lastColumn: OrdinalColumn | null = null;
  #lastRanges: readonly OrdinalRange[] = [];

  /** @param rangesOf ordinals that match; ranges that start below 0 are of values that the segment lacks */
  constructor(
    description: string,
    { name }: EngineField,
    rangesOf: (column: OrdinalColumn) => readonly OrdinalRange[],
  ) {
    super(description);
    this.#field = name;
    this.#rangesOf = rangesOf;
  }

  evaluator({ segment, pool }: SegmentContext): Evaluator | null {
    const column = segment.column(this.#field);
    return column === null ? null : ordinalsEvaluator(column, this.#rangesIn(column), segment, pool);
  }

  override mark({ segment }: SegmentContext, { functions }: SegmentKernels, target: number): void {
    const column = segment.column(this.#field);
    if (column === null) return;
    for (const range of this.#rangesIn(column)) markRange(column, range, segment.maxDoc, functions, target);
  }

  override numbers({ segment }: SegmentContext): NumberRange | null {
    const column = segment.column(this.#field);
    return column === null ? null : numbersOf(column, this.#rangesIn(column));
  }

  #rangesIn(column: OrdinalColumn): readonly OrdinalRange[] {
    if (column === this.#lastColumn) return this.#lastRanges;
    this.#lastRanges = disjoint(this.#rangesOf(column));
    this.#lastColumn = column;
    return this.#lastRanges;
  }
}

/** Column entries are ordinal + 1, so that 0 can stand for no value. */
function numbersOf(
  { ordinals, docStarts }: OrdinalColumn,
  ranges: readonly OrdinalRange[],
): NumberRange | null {
  const [range] = ranges;
  if (ordinals === null || range === undefined || ranges.length > 1) return null;
  return {
    address: ordinals.byteOffset,
    width: ordinals.BYTES_PER_ELEMENT,
    first: range.first + 1,
    end: range.end + 1,
    docCount: docStarts[range.end]! - docStarts[range.first]!,
  };
}

/** The column is in the segment's image, as everything of a segment is. */
function markRange(
  column: OrdinalColumn,
  { first, end }: OrdinalRange,
  maxDoc: number,
  functions: KernelFunctions,
  target: number,
): void {
  const entry = column.docStarts[first]!;
  const count = column.docStarts[end]! - entry;
  const { ordinals } = column;
  if (ordinals !== null && count > maxDoc / VECTOR_SCAN_SHARE) {
    // Column entries are ordinal + 1, so that 0 can stand for no value.
    functions.markNumbers(
      target,
      ordinals.byteOffset,
      ordinals.BYTES_PER_ELEMENT,
      first + 1,
      end + 1,
      maxDoc,
    );
  } else {
    functions.markDocs(target, column.docs.byteOffset + 4 * entry, count);
  }
}

function resolve(
  field: EngineField,
  bound: RangeBound<CanonicalValue> | null,
  side: RangeSide,
): ResolvedBound {
  return bound === null ? "all" : rangeBound(field, bound.value, bound.inclusive, side);
}

/** First ordinal at or after the bytes, or after them if they are to be left out. */
function boundOrdinal(column: OrdinalColumn, bytes: Uint8Array, atBound: boolean): number {
  return atBound ? column.lowerBound(bytes) : column.upperBound(bytes);
}

/** These ordinals in ascending ranges that neither overlap nor touch. */
function disjoint(ranges: readonly OrdinalRange[]): readonly OrdinalRange[] {
  if (ranges.length === 1 && ranges[0]!.first >= 0 && ranges[0]!.first < ranges[0]!.end) return ranges;
  const sorted = ranges
    .filter(({ first, end }) => first >= 0 && first < end)
    .sort((a, b) => a.first - b.first);
  const result: { first: number; end: number }[] = [];
  for (const { first, end } of sorted) {
    const last = result.at(-1);
    if (last !== undefined && first <= last.end) last.end = Math.max(last.end, end);
    else result.push({ first, end });
  }
  return result;
}

/** Documents with a value in any of the ranges, by the inverted lists or by scanning, as it is cheaper. */
function ordinalsEvaluator(
  column: OrdinalColumn,
  ranges: readonly OrdinalRange[],
  segment: SegmentReader,
  pool: WindowPool,
): Evaluator | null {
  const { maxDoc } = segment;
  const only = ranges[0];
  if (only === undefined) return null;
  let entries = 0;
  for (const { first, end } of ranges) entries += column.docStarts[end]! - column.docStarts[first]!;
  if (ranges.length === 1) {
    if (only.end - only.first === 1) {
      return new DocListEvaluator(
        column.docs.subarray(column.docStarts[only.first], column.docStarts[only.end]),
      );
    }
    if (column.ordinals !== null && entries > maxDoc / SCAN_SHARE) {
      // Column entries are ordinal + 1, so that 0 can stand for no value.
      const range = { first: only.first + 1, end: only.end + 1 };
      return new NumberRangeEvaluator(column.ordinals, range, maxDoc, entries);
    }
  }
  return markedDocsEvaluator(segment, pool, Math.min(entries, maxDoc), (docs, from, end) => {
    mark(column, ranges, pool, docs, from, end);
  });
}

/** Those of documents from one to before another; the first one's bit is the first. */
function mark(
  { docs, docStarts }: OrdinalColumn,
  ranges: readonly OrdinalRange[],
  pool: WindowPool,
  target: DocBits,
  from: DocId,
  end: DocId,
): void {
  for (const range of ranges) {
    for (let ordinal = range.first; ordinal < range.end; ordinal++) {
      pool.beginClause();
      const last = docStarts[ordinal + 1]!;
      let entry = docStarts[ordinal]!;
      if (from > 0) entry += firstAtOrAfter(docs.subarray(entry, last), 0, from);
      for (; entry < last && docs[entry]! < end; entry++) setBit(target, docs[entry]! - from);
    }
  }
}
