import { BuildingMemory } from "../../kernels/building-memory.js";
import { SECTION_ENCODINGS, type SectionSink } from "../sections.js";
import type { SlicedWork } from "../sliced-work.js";
import { foldFrontCoded } from "../strings/front-coding.js";
import type { ColumnDictionary } from "./column-dictionary.js";
import { facetTree } from "./facet-tree.js";
import { foldLongs } from "./fold-longs.js";

/** Words of the section `header`: values, documents with a value, flags, ordinal width, value width. */
export const COLUMN_HEADER_WORDS = 5;
export const COLUMN_IS_MULTI = 1;
export const COLUMN_IS_FACET = 2;
/** Value width of a column whose values differ in length: it has a section `valueOffsets`. */
export const VALUE_WIDTH_VARIES = 0xffff_ffff;
/** Value width of values that `foldLongs` takes. */
const LONG_BYTES = 8;

export interface ColumnShape {
  readonly multi: boolean;
  readonly facet: boolean;
}

/** Each document's ordinals, ascending: entries `starts[docId]` to `starts[docId + 1]`. */
export interface ColumnOrdinals {
  readonly starts: Uint32Array;
  readonly ordinals: Uint32Array;
}

/** Adds a column's sections under the prefix, see `FORMAT.md`; none if no document has a value. */
export function* writeColumnSections(
  sink: SectionSink,
  prefix: string,
  shape: ColumnShape,
  dictionary: ColumnDictionary,
  { starts, ordinals }: ColumnOrdinals,
): SlicedWork {
  if (ordinals.length === 0) return;
  const valueCount = dictionary.offsets.length - 1;
  const valueWidth = commonWidth(dictionary.offsets);
  const docsWithValue = countWithValue(starts);
  // Ordinals of single values are stored plus one.
  const ordinalWidth = shape.multi ? 0 : valueCount < 0x100 ? 1 : valueCount < 0x1_0000 ? 2 : 4;
  const flags = (shape.multi ? COLUMN_IS_MULTI : 0) | (shape.facet ? COLUMN_IS_FACET : 0);
  sink.add(`${prefix}header`, Uint32Array.of(valueCount, docsWithValue, flags, ordinalWidth, valueWidth));
  addValues(sink, prefix, dictionary, valueWidth);

  if (shape.multi) {
    sink.addNumbers(`${prefix}multiStarts`, starts);
    sink.addNumbers(`${prefix}multiOrdinals`, ordinals);
  } else {
    sink.addNumbers(`${prefix}ordinals`, ordinalPerDoc(starts, ordinals, ordinalWidth));
  }
  yield;
  const { docStarts, docs } = invertOrdinals(starts, ordinals, valueCount);
  sink.addNumbers(`${prefix}docStarts`, docStarts);
  sink.addNumbers(`${prefix}docs`, docs);
  if (shape.facet) {
    yield;
    const { parents, subtreeEnds } = facetTree(dictionary);
    sink.addNumbers(`${prefix}facetParents`, parents);
    sink.addNumbers(`${prefix}facetSubtreeEnds`, subtreeEnds);
  }
}

/** Adds the values, folded if that is shorter. */
function addValues(
  sink: SectionSink,
  prefix: string,
  { bytes, offsets }: ColumnDictionary,
  valueWidth: number,
): void {
  const name = `${prefix}values`;
  const { frontCoded, longs } = SECTION_ENCODINGS;
  const varies = valueWidth === VALUE_WIDTH_VARIES;
  if (varies) sink.addNumbers(`${prefix}valueOffsets`, offsets);
  const folded = varies
    ? foldFrontCoded(bytes, offsets)
    : valueWidth === LONG_BYTES
      ? foldLongs(bytes)
      : null;
  if (folded === null || folded.length >= bytes.length) sink.add(name, bytes);
  else sink.addFolded(name, varies ? frontCoded : longs, folded, bytes.length);
}

/** Documents per ordinal, by a counting sort that keeps them ascending. */
export function invertOrdinals(
  starts: Uint32Array,
  ordinals: Uint32Array,
  valueCount: number,
): { readonly docStarts: Uint32Array; readonly docs: Uint32Array } {
  const memory = BuildingMemory.borrow();
  try {
    const { functions } = memory;
    const startsAt = memory.place(starts);
    const ordinalsAt = memory.place(ordinals);
    const docStarts = functions.zeros(4 * (valueCount + 1));
    const next = functions.allocate(4 * (valueCount + 1));
    const docs = functions.allocate(4 * ordinals.length);
    functions.invertOrdinals(startsAt, ordinalsAt, starts.length - 1, valueCount, docStarts, next, docs);
    const { words } = memory;
    return {
      docStarts: words.slice(docStarts >>> 2, (docStarts >>> 2) + valueCount + 1),
      docs: words.slice(docs >>> 2, (docs >>> 2) + ordinals.length),
    };
  } finally {
    memory.giveBack();
  }
}

function ordinalPerDoc(
  starts: Uint32Array,
  ordinals: Uint32Array,
  width: number,
): Uint8Array | Uint16Array | Uint32Array {
  const maxDoc = starts.length - 1;
  const perDoc =
    width === 1 ? new Uint8Array(maxDoc) : width === 2 ? new Uint16Array(maxDoc) : new Uint32Array(maxDoc);
  for (let docId = 0; docId < maxDoc; docId++) {
    const start = starts[docId]!;
    if (starts[docId + 1]! > start) perDoc[docId] = ordinals[start]! + 1;
  }
  return perDoc;
}

function countWithValue(starts: Uint32Array): number {
  let count = 0;
  for (let docId = 0; docId + 1 < starts.length; docId++) {
    if (starts[docId + 1]! > starts[docId]!) count++;
  }
  return count;
}

/** The length that all values have, or `VALUE_WIDTH_VARIES`. */
function commonWidth(offsets: Uint32Array): number {
  const width = offsets[1]!;
  for (let i = 1; i + 1 < offsets.length; i++) {
    if (offsets[i + 1]! - offsets[i]! !== width) return VALUE_WIDTH_VARIES;
  }
  return width;
}
