import { CorruptionError } from "../../../errors/index.js";
import type { SectionSource } from "../sections.js";
import type { OrdinalColumn } from "../segment-reader.js";
import {
  COLUMN_HEADER_WORDS,
  COLUMN_IS_FACET,
  COLUMN_IS_MULTI,
  VALUE_WIDTH_VARIES,
} from "./column-sections.js";

/** A column over the sections that `writeColumnSections` wrote; nothing is copied. */
export class ColumnReader implements OrdinalColumn {
  readonly valueCount: number;
  readonly docsWithValue: number;
  readonly multi: boolean;
  readonly ordinals: Uint8Array | Uint16Array | Uint32Array | null;
  readonly multiStarts: Uint32Array | null;
  readonly multiOrdinals: Uint32Array | null;
  readonly docStarts: Uint32Array;
  readonly docs: Uint32Array;
  readonly facetParents: Int32Array | null;
  readonly facetSubtreeEnds: Uint32Array | null;
  readonly #values: Uint8Array;
  /** Null where all values are `#valueWidth` long. */
  readonly #valueOffsets: Uint32Array | null;
  readonly #valueWidth: number;

  /** The column under the prefix, or null if there is none. @throws CorruptionError naming `fileName` */
  static open(source: SectionSource, prefix: string, maxDoc: number, fileName: string): ColumnReader | null {
    return source.has(`${prefix}header`) ? new ColumnReader(source, prefix, maxDoc, fileName) : null;
  }

  private constructor(source: SectionSource, prefix: string, maxDoc: number, fileName: string) {
    const header = source.u32(`${prefix}header`);
    const flags = header[2] ?? 0;
    const ordinalWidth = header[3] ?? 0;
    this.valueCount = header[0] ?? 0;
    this.docsWithValue = header[1] ?? 0;
    this.multi = (flags & COLUMN_IS_MULTI) !== 0;
    this.#valueWidth = header[4] ?? 0;
    this.#values = source.u8(`${prefix}values`);
    this.#valueOffsets = this.#valueWidth === VALUE_WIDTH_VARIES ? source.u32(`${prefix}valueOffsets`) : null;
    this.ordinals = this.multi ? null : ordinalsOf(source, `${prefix}ordinals`, ordinalWidth);
    this.multiStarts = this.multi ? source.u32(`${prefix}multiStarts`) : null;
    this.multiOrdinals = this.multi ? source.u32(`${prefix}multiOrdinals`) : null;
    this.docStarts = source.u32(`${prefix}docStarts`);
    this.docs = source.u32(`${prefix}docs`);
    const isFacet = (flags & COLUMN_IS_FACET) !== 0;
    this.facetParents = isFacet ? source.i32(`${prefix}facetParents`) : null;
    this.facetSubtreeEnds = isFacet ? source.u32(`${prefix}facetSubtreeEnds`) : null;
    if (header.length !== COLUMN_HEADER_WORDS || !this.#sizesFit(maxDoc)) {
      throw new CorruptionError(fileName, `sections '${prefix}' don't fit ${maxDoc} documents`);
    }
  }

  valueBytes(ordinal: number): Uint8Array {
    return this.#values.subarray(this.#valueStart(ordinal), this.#valueStart(ordinal + 1));
  }

  lowerBound(value: Uint8Array): number {
    let low = 0;
    let high = this.valueCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, value) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  upperBound(value: Uint8Array): number {
    let low = 0;
    let high = this.valueCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#compare(middle, value) <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  ordinalOf(value: Uint8Array): number {
    const ordinal = this.lowerBound(value);
    return ordinal < this.valueCount && this.#compare(ordinal, value) === 0 ? ordinal : -1;
  }

  #valueStart(ordinal: number): number {
    return this.#valueOffsets === null ? ordinal * this.#valueWidth : this.#valueOffsets[ordinal]!;
  }

  #compare(ordinal: number, value: Uint8Array): number {
    const start = this.#valueStart(ordinal);
    const length = this.#valueStart(ordinal + 1) - start;
    const shared = Math.min(length, value.length);
    for (let i = 0; i < shared; i++) {
      const difference = this.#values[start + i]! - value[i]!;
      if (difference !== 0) return difference;
    }
    return length - value.length;
  }

  #sizesFit(maxDoc: number): boolean {
    const { valueCount, docs } = this;
    return (
      (this.#valueOffsets === null || this.#valueOffsets.length === valueCount + 1) &&
      this.#values.length === this.#valueStart(valueCount) &&
      (this.ordinals === null || this.ordinals.length === maxDoc) &&
      (this.multiStarts === null || this.multiStarts.length === maxDoc + 1) &&
      (this.multiOrdinals === null || this.multiOrdinals.length === docs.length) &&
      this.docStarts.length === valueCount + 1 &&
      this.docStarts[valueCount] === docs.length &&
      (this.facetParents === null || this.facetParents.length === valueCount) &&
      (this.facetSubtreeEnds === null || this.facetSubtreeEnds.length === valueCount)
    );
  }
}

function ordinalsOf(
  source: SectionSource,
  name: string,
  width: number,
): Uint8Array | Uint16Array | Uint32Array {
  if (width === 1) return source.u8(name);
  return width === 2 ? source.u16(name) : source.u32(name);
}
