import { FindlingError } from "../../../errors/index.js";
import { decodeUtf8 } from "../../bytes/byte-reader.js";
import type { DocId } from "../../schema/document.js";
import type { EngineField, EngineSchema } from "../../schema/engine-schema.js";
import { fieldOf } from "../../schema/field-ordinals.js";
import { textSortBytes } from "../../schema/text-sort-bytes.js";
import type { OrdinalColumn, SegmentReader } from "../../segment/segment-reader.js";
import type { SegmentStatistics } from "../statistics/segment-statistics.js";

/** The order of one segment's documents by a field. */
export interface OrderKeys {
  /** From 1, equal values equal ranks; 0 = no value. Comparable within the segment only. */
  rankOf(docId: DocId): number;
  /** Present if there is an array of ranks: by doc id. */
  readonly ranks?: Uint8Array | Uint16Array | Uint32Array;
  /**
   * Present if ranks are the column's ordinals plus one: documents by rank can then be read from its
   * inverted lists.
   */
  readonly inverted?: Pick<OrdinalColumn, "valueCount" | "docStarts" | "docs">;
  /** Bytes in the order of the values, comparable across segments; null = no value. */
  sortKey(docId: DocId): Uint8Array | null;
}

/** @throws FindlingError `unknown_field`; `invalid_order_by` for a field that has no single order */
export function requireOrderField(schema: EngineSchema, name: string): EngineField {
  const field = fieldOf(schema, name);
  if (field === undefined) throw new FindlingError("unknown_field", `field '${name}' is not in the schema`);
  if (field.multi || field.kind === "facet" || field.kind === "opaque") {
    throw new FindlingError(
      "invalid_order_by",
      `results can't be ordered by field '${name}': it has to be single-valued and neither facet nor opaque`,
    );
  }
  return field;
}

/** Null if no document of the segment has a value. */
export function orderKeys(statistics: SegmentStatistics, field: EngineField): OrderKeys | null {
  const { segment } = statistics;
  if (field.kind === "text") {
    const order = segment.textOrder(field.name);
    return order === null ? null : new TextOrderKeys(segment, field, order.ranks);
  }
  const column = segment.column(field.name);
  if (column === null || column.ordinals === null) return null;
  return field.kind === "keyword" || field.kind === "label"
    ? new KeywordOrderKeys(column, column.ordinals, statistics.foldedRanks(field.name))
    : new ValueOrderKeys(column, column.ordinals);
}

class ValueOrderKeys implements OrderKeys {
  readonly #column: OrdinalColumn;
  readonly #ordinals: Uint8Array | Uint16Array | Uint32Array;

  constructor(column: OrdinalColumn, ordinals: Uint8Array | Uint16Array | Uint32Array) {
    this.#column = column;
    this.#ordinals = ordinals;
  }

  get inverted(): OrdinalColumn {
    return this.#column;
  }

  get ranks(): Uint8Array | Uint16Array | Uint32Array {
    return this.#ordinals;
  }

  rankOf(docId: DocId): number {
    return this.#ordinals[docId]!;
  }

  sortKey(docId: DocId): Uint8Array | null {
    const ordinal = this.#ordinals[docId]! - 1;
    return ordinal < 0 ? null : this.#column.valueBytes(ordinal);
  }
}

/** Keywords and labels are kept case-sensitive and ordered case-insensitively. */
class KeywordOrderKeys implements OrderKeys {
  readonly #column: OrdinalColumn;
  readonly #ordinals: Uint8Array | Uint16Array | Uint32Array;
  /** By ordinal; null where ordinals are in that order anyway. */
  readonly #foldedRanks: Uint32Array | null;

  constructor(
    column: OrdinalColumn,
    ordinals: Uint8Array | Uint16Array | Uint32Array,
    foldedRanks: Uint32Array | null,
  ) {
    this.#column = column;
    this.#ordinals = ordinals;
    this.#foldedRanks = foldedRanks;
  }

  rankOf(docId: DocId): number {
    const entry = this.#ordinals[docId]!;
    return entry === 0 || this.#foldedRanks === null ? entry : this.#foldedRanks[entry - 1]!;
  }

  sortKey(docId: DocId): Uint8Array | null {
    const ordinal = this.#ordinals[docId]! - 1;
    return ordinal < 0 ? null : textSortBytes(decodeUtf8(this.#column.valueBytes(ordinal)), false);
  }
}

class TextOrderKeys implements OrderKeys {
  readonly ranks: Uint32Array;
  readonly #segment: SegmentReader;
  readonly #field: EngineField;

  constructor(segment: SegmentReader, field: EngineField, ranks: Uint32Array) {
    this.#segment = segment;
    this.#field = field;
    this.ranks = ranks;
  }

  rankOf(docId: DocId): number {
    return this.ranks[docId]!;
  }

  sortKey(docId: DocId): Uint8Array | null {
    if (this.ranks[docId] === 0) return null;
    const json = this.#field.stored ? this.#segment.storedJson(docId) : this.#segment.unstoredJson(docId);
    const document = JSON.parse(json) as Readonly<Record<string, unknown>>;
    return textSortBytes(String(document[this.#field.name]), this.#field.composed === true);
  }
}
