import { FindlingError } from "../../../errors/index.js";
import { type Bitset, emptyBitset, nextSetBit, setBit, testBit } from "../../bytes/bitset.js";
import { GrowableU32 } from "../../bytes/growable-u32.js";
import { compareBytes } from "../../schema/compare-bytes.js";
import type { SectionSink } from "../sections.js";
import type { OrdinalColumn } from "../segment-reader.js";
import type { SlicedWork } from "../sliced-work.js";
import type { ColumnDictionary } from "./column-dictionary.js";
import { type ColumnOrdinals, type ColumnShape, writeColumnSections } from "./column-sections.js";
import { prefixKey } from "./value-interner.js";

/** Values taken between two pauses; a power of two. */
const VALUES_PER_STEP = 2048;

/** A segment's column (null if it has none) and where its documents go: new doc id, or -1 for those left out. */
export interface ColumnMergeInput {
  readonly column: OrdinalColumn | null;
  readonly docMap: Int32Array;
}

/**
 * Merges columns of one field into one. New doc ids ascend through the inputs in order. Values that
 * no kept document has, directly or through a facet's descendant, are left out. The dictionaries are
 * merged in their order, values are never sorted again.
 */
export function* mergeColumns(
  sink: SectionSink,
  prefix: string,
  inputs: readonly ColumnMergeInput[],
  newMaxDoc: number,
  shape: ColumnShape,
): SlicedWork {
  const sources: Source[] = [];
  for (const { column, docMap } of inputs) {
    if (column === null) continue;
    sources.push(new Source(column, docMap));
    yield;
  }
  const dictionary = yield* mergeDictionaries(sources);
  yield* writeColumnSections(sink, prefix, shape, dictionary, yield* mapOrdinals(sources, newMaxDoc));
}

/** One input: a cursor over the ordinals in use, and what they become. */
class Source {
  readonly column: OrdinalColumn;
  readonly docMap: Int32Array;
  readonly newOrdinals: Uint32Array;
  /** The cursor's ordinal, -1 at the end, and its value. */
  ordinal = -1;
  value: Uint8Array = new Uint8Array(0);
  key = 0;
  readonly #used: Bitset;

  constructor(column: OrdinalColumn, docMap: Int32Array) {
    this.column = column;
    this.docMap = docMap;
    this.newOrdinals = new Uint32Array(column.valueCount);
    this.#used = usedOrdinals(column, docMap);
    this.#moveTo(0);
  }

  get usedBytes(): number {
    let bytes = 0;
    for (
      let ordinal = nextSetBit(this.#used, 0);
      ordinal >= 0;
      ordinal = nextSetBit(this.#used, ordinal + 1)
    ) {
      bytes += this.column.valueBytes(ordinal).length;
    }
    return bytes;
  }

  /** Gives the cursor's value its new ordinal and moves on. */
  take(newOrdinal: number): void {
    this.newOrdinals[this.ordinal] = newOrdinal;
    this.#moveTo(this.ordinal + 1);
  }

  #moveTo(from: number): void {
    this.ordinal = nextSetBit(this.#used, from);
    if (this.ordinal < 0) return;
    this.value = this.column.valueBytes(this.ordinal);
    this.key = prefixKey(this.value, 0, this.value.length);
  }
}

function usedOrdinals(
  { docStarts, docs, valueCount, facetParents }: OrdinalColumn,
  docMap: Int32Array,
): Bitset {
  const used = emptyBitset(valueCount);
  for (let ordinal = valueCount - 1; ordinal >= 0; ordinal--) {
    const end = docStarts[ordinal + 1]!;
    let entry = docStarts[ordinal]!;
    while (entry < end && docMap[docs[entry]!]! < 0) entry++;
    if (entry === end) continue;
    setBit(used, ordinal);
    if (facetParents === null) continue;
    // Those above a path that a descendant has used are so, too.
    for (let at = facetParents[ordinal]!; at >= 0 && !testBit(used, at); at = facetParents[at]!)
      setBit(used, at);
  }
  return used;
}

function* mergeDictionaries(sources: readonly Source[]): SlicedWork<ColumnDictionary> {
  const capacity = sources.reduce((bytes, source) => bytes + source.usedBytes, 0);
  if (capacity > 0xffff_ffff) {
    throw new FindlingError("internal", "a column would pass 4 GiB in one segment; merge fewer segments");
  }
  const bytes = new Uint8Array(capacity);
  const offsets = new GrowableU32();
  offsets.push(0);
  let length = 0;
  // Each turn takes the least value off all sources that have it; ends when every cursor is at its end.
  for (let least = leastSource(sources); least !== null; least = leastSource(sources)) {
    const { value, key } = least;
    const newOrdinal = offsets.length - 1;
    bytes.set(value, length);
    length += value.length;
    offsets.push(length);
    if ((newOrdinal & (VALUES_PER_STEP - 1)) === 0) yield;
    for (let i = 0; i < sources.length; i++) {
      const source = sources[i]!;
      if (source.ordinal >= 0 && source.key === key && compareBytes(source.value, value) === 0)
        source.take(newOrdinal);
    }
  }
  return { bytes: bytes.subarray(0, length), offsets: offsets.toSection() };
}

function leastSource(sources: readonly Source[]): Source | null {
  let least: Source | null = null;
  for (let i = 0; i < sources.length; i++) {
    const source = sources[i]!;
    if (source.ordinal < 0) continue;
    if (least === null || (source.key - least.key || compareBytes(source.value, least.value)) < 0)
      least = source;
  }
  return least;
}

function* mapOrdinals(sources: readonly Source[], newMaxDoc: number): SlicedWork<ColumnOrdinals> {
  const starts = new Uint32Array(newMaxDoc + 1);
  const ordinals = new GrowableU32();
  let filled = 0;
  for (const { column, docMap, newOrdinals } of sources) {
    const { ordinals: single, multiStarts, multiOrdinals } = column;
    for (let docId = 0; docId < docMap.length; docId++) {
      const newDocId = docMap[docId]!;
      if (newDocId < 0) continue;
      for (; filled <= newDocId; filled++) starts[filled] = ordinals.length;
      if (single !== null) {
        const stored = single[docId]!;
        if (stored !== 0) ordinals.push(newOrdinals[stored - 1]!);
      } else {
        // Merging keeps the dictionary's order, so the ordinals stay ascending.
        const end = multiStarts![docId + 1]!;
        for (let at = multiStarts![docId]!; at < end; at++) ordinals.push(newOrdinals[multiOrdinals![at]!]!);
      }
    }
    yield;
  }
  for (; filled <= newMaxDoc; filled++) starts[filled] = ordinals.length;
  return { starts, ordinals: ordinals.toSection() };
}
